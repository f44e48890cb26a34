package prepare

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestFurtherPointers: advice about pointers that have no name of their own names no place for `assume`.
func TestFurtherPointers(t *testing.T) {
	for name, assume := range map[string]bool{harness.Further + "64": false, "p.next": true} {
		j := Job{Plan: verifier.Plan{Guesses: []string{name}}}
		why := j.RestsOn(verdict.Claim{Check: verdict.Memory, Status: verdict.Violated,
			Failure: &verdict.Failure{Kind: verdict.OutOfBounds, Of: []verdict.Subject{{Name: name, Maker: verdict.ByHarness}}}})
		if why == nil || strings.Contains(why.Remedy, "assume") != assume {
			t.Errorf("%s: %+v", name, why)
		}
	}
}
