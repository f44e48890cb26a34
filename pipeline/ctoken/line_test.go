package ctoken

import "testing"

// TestLineMarker: markers are read with the escapes of their file, and no other directive is one.
func TestLineMarker(t *testing.T) {
	for text, want := range map[string]struct {
		file string
		line int
	}{
		"# 7 \"a.c\" 2\n": {"a.c", 7}, "#line 3 \"b \\\"c\\\\d.h\"": {`b "c\d.h`, 3}, "#pragma 3 \"a\"": {}, "# 7\n": {},
		"x # 7 \"a.c\"": {}, "": {}, "# 99999999999999999999 \"a.c\"": {},
	} {
		file, line, ok := LineMarker([]byte(text))
		if ok != (want.line > 0) || ok && (file != want.file || line != want.line) {
			t.Errorf("%q: %q, %d, %v", text, file, line, ok)
		}
	}
}
