package reports

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestCountsOf: what was stopped was not run, and what ended without an answer has none; neither had nothing to check.
func TestCountsOf(t *testing.T) {
	reason := func(kind verdict.ReasonKind) *verdict.Reason { return &verdict.Reason{Kind: kind} }
	empty, proved := verdict.Result{}, verdict.Result{Claims: []verdict.Claim{{Status: verdict.Proved}}}
	stopped, late := verdict.Result{Reason: reason(verdict.Cancelled)}, verdict.Result{Reason: reason(verdict.TimedOut)}
	for want, list := range map[string][]verdict.Result{
		"nothing to check":                 {empty},
		"not run":                          {stopped},
		"no answer":                        {late},
		"2 not run":                        {stopped, stopped},
		"1 proved, 1 not run, 2 no answer": {late, stopped, proved, late},
		"nothing to check, 1 no answer":    {empty, late},
		"1 proved":                         {proved, empty},
	} {
		if got := countsOf(pointers(list)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
