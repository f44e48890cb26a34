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

// TestReadFolded: warnings about values give their check; of what had to be
// constant the note behind it does.
func TestReadFolded(t *testing.T) {
	got := readFolded([]byte(`p.c:2:17: warning: overflow in expression; result is -2147483648 with type 'int' [-Winteger-overflow]
p.c:3:9: warning: signed shift result (0x80000000) sets the sign bit of the shift expression's type ('int') and becomes negative [-Wshift-sign-overflow]
p.c:4:5: warning: expression is not an integer constant expression; folding it to a constant is a GNU extension [-Wgnu-folding-constant]
p.c:4:7: note: value 2147483648 is outside the range of representable values of type 'int'
p.c:5:1: warning: implicit declaration of function 'f' [-Wimplicit-function-declaration]
p.c:6:1: note: expanded from macro 'M'
`))
	want := []folded{
		{file: "p.c", line: 2, col: 17, check: "signed-overflow",
			text: "overflow in expression; result is -2147483648 with type 'int'"},
		{file: "p.c", line: 3, col: 9, check: "shift",
			text: "signed shift result (0x80000000) sets the sign bit of the shift expression's type ('int') and becomes negative", strict: true},
		{file: "p.c", line: 4, col: 5, check: "signed-overflow",
			text: "value 2147483648 is outside the range of representable values of type 'int'", constant: true},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}
