package reports

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestExampleOf: what can be corrected of what a violation assumes is suggested, and nothing of what is declared.
func TestExampleOf(t *testing.T) {
	for _, c := range []struct {
		relation verdict.Relation
		origin   verdict.Origin
		want     string
	}{
		{verdict.Extent, verdict.Read, ""},
		{verdict.Nullness, verdict.Read, "`F.p: not null`"},
		{verdict.Extent, verdict.Chosen, "`F.p: 64 bytes`"},
		{verdict.Interval, verdict.Observed, "`F.p: 0..64`"},
		{verdict.Calls, verdict.Chosen, ""},
	} {
		other, a := verdict.Assume("a", verdict.Extent, verdict.Read, "x"), verdict.Assume("p", c.relation, c.origin, "y")
		v := &SiteClaim{Result: &verdict.Result{Entry: "any call of F", Assumptions: []verdict.Assumption{other, a}},
			Claim: &verdict.Claim{Assumptions: []string{other.ID, a.ID}}}
		if got := exampleOf(v); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.relation, c.origin, got, c.want)
		}
	}
}
