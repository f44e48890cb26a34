package llvm

import "testing"

// TestNames: names in UTF-8 are read and written as LLVM prints them.
func TestNames(t *testing.T) {
	for text, name := range map[string]string{`main`: "main", `"gr\C3\B6\C3\9Fer"`: "größer", `"a b\22"`: `a b"`} {
		if got := Name([]byte(text)); got != name {
			t.Errorf("Name(%s) = %q", text, got)
		}
		if got := Quote(name); text[0] == '"' && got != text {
			t.Errorf("Quote(%q) = %s", name, got)
		}
	}
}
