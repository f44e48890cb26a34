package verifier

import (
	"context"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestLateAnswer: a violation that was announced is in the answer, even where nothing else is in time for it.
func TestLateAnswer(t *testing.T) {
	for src, want := range map[string]int{
		"int f(int n) { return 7 / n; }":               1,
		"int f(int n) { return 7 / (n & 1 ? n : 1); }": 0,
	} {
		whole, end := budget.With(context.Background(), time.Minute)
		ctx, cancel := context.WithCancel(whole)
		plan := Plan{Entry: "f", Checks: verdict.DefaultChecks(), Found: func(verdict.Claim) {
			cancel()
			late := budget.Spent(whole) + 2*policy.AnswerGrace // longer than there is for putting the answer together
			for budget.Spent(whole) < late {
				continue
			}
		}}
		res := Run(ctx, testprogram.Trapping(t, src), plan)
		cancel()
		end()
		n := 0
		for _, c := range res.Claims {
			if c.Status == verdict.Violated && c.Check == verdict.DivByZero {
				n++
			}
		}
		if n != want || (res.Status == verdict.Violated) != (want > 0) || (want > 0) != (res.Reason != nil) {
			t.Errorf("%s: %+v", src, res)
		}
	}
}
