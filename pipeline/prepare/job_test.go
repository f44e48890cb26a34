package prepare

import (
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBodilessOnce: functions without a body are warned of, unless the reasons of the answer name each of them.
func TestBodilessOnce(t *testing.T) {
	job := Job{Bodiless: []string{"hal_read", "hal_write"}, BodilessNote: "2 functions have no body"}
	unknown := func(name string) verdict.Claim {
		return verdict.Claim{Status: verdict.Unknown, Reason: &verdict.Reason{Kind: verdict.Undefined,
			Function: name}}
	}
	for _, c := range []struct {
		what   string
		claims []verdict.Claim
		warned bool
	}{
		{"nothing", []verdict.Claim{{Status: verdict.Bounded}}, true},
		{"nothing, all is proved", []verdict.Claim{{Status: verdict.Proved}}, false},
		{"one", []verdict.Claim{unknown("hal_read"), unknown("other")}, true},
		{"both", []verdict.Claim{unknown("hal_read"), unknown("hal_write")}, false},
	} {
		res := verdict.Result{Claims: c.claims}
		res.Summarise()
		job.Complete(&res)
		if slices.Contains(res.Warnings, job.BodilessNote) != c.warned {
			t.Errorf("reasons name %s: warnings are %q", c.what, res.Warnings)
		}
	}
}
