package compile

import "testing"

// TestFoldsUndefined: a large number next to another counts, but not in what comes
// from system headers or in the names of files.
func TestFoldsUndefined(t *testing.T) {
	const enter, leave = "# 1 \"/usr/include/limits.h\" 1 3 4\n", "# 2 \"p.c\" 2\n"
	for text, want := range map[string]bool{
		"int x = 1 ? 2147483647 + 1 : 2;\n":                       true,
		"int x = (-2147483647 - 1) / -1;\n":                       true,
		"int x = 0xffff * (0xffff);\n":                            true,
		"int x = 12 + 1; long y = 2147483647;\n":                  false,
		"int x = y + 100000;\n":                                   false,
		"# 1 \"/tmp/1/12345-6/p.c\"\nint x;\n":                    false,
		enter + "enum { A = 2147483647 - 1 };\n" + leave:          false,
		enter + "typedef int t;\n" + leave + "int x = 70000 * 3;": true,
	} {
		if got := foldsUndefined([]byte(text), nil); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !foldsUndefined(nil, []byte("p.c:1:2: warning: overflow in expression; result is 0\n")) {
		t.Error("a warning does not count")
	}
}
