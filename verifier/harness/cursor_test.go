package harness

import "testing"

// TestEndOf: names that say that something is the end of a block, and words that only end like that.
func TestEndOf(t *testing.T) {
	for name, want := range map[string]string{"end": "", "dest_limit": "dest", "bufEnd": "buf", "pend": "p", "_stop": "", "End": "",
		"src_end_": "src"} {
		if of, is := endOf(name); !is || of != want {
			t.Errorf("%s: %q %v", name, of, is)
		}
	}
	for _, name := range []string{"send", "append", "next", "friend", "extend", "nonstop", "ends", "SEND", "backEND"} {
		if _, is := endOf(name); is {
			t.Errorf("%s is an end", name)
		}
	}
}
