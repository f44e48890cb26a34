package reports

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestExampleOf: what can be corrected of what a violation assumes is suggested, and nothing of what is one structure.
func TestExampleOf(t *testing.T) {
	for assumed, want := range map[string]string{
		"tf.link leads to one TF_Link of its own":              "",
		"tf.link may be null":                                  "`F.tf.link: not null`",
		"s leads to as many elements as len says, at most 64":  "`F.s: 16 elements`",
		"to leads to 64 bytes: a guess, since nothing says it": "`F.to: 64 bytes`",
		"path leads to a string of at most 15 characters":      "`F.path: 64 bytes`",
	} {
		v := &SiteClaim{Result: &verdict.Result{Entry: "any call of F"},
			Claim: &verdict.Claim{Assumes: []string{"a leads to one T of its own", assumed}}}
		if got := exampleOf(v); got != want {
			t.Errorf("%s: %q, want %q", assumed, got, want)
		}
	}
}
