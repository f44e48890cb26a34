package harness

import "testing"

// TestNamedAfter: lengths that have the name of a pointer in theirs, a letter as a word alone.
func TestNamedAfter(t *testing.T) {
	for _, c := range []struct {
		length, pointer string
		want            bool
	}{{"bufsz", "buf", true}, {"a_len", "a", true}, {"len_b", "b", true}, {"aLen", "a", true}, {"len", "e", false},
		{"a_len", "b", false}, {"alen", "a", false}, {"nData", "n", true}, {"in_len", "out", false}, {"len", "", false}} {
		if isNamedAfter(c.length, c.pointer) != c.want {
			t.Errorf("%s, %s: want %t", c.length, c.pointer, c.want)
		}
	}
}
