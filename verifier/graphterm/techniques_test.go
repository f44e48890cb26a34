package graphterm

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bitterm"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Each kind of graph and system has a program in whose answer it has a part, and none once it is left out.
func TestTechniques(t *testing.T) {
	const sums = `int main(void) { int s = 0, n = nondet_int(); for (int i = 0; i < n; i++) s += i; return s; }`
	const apart = `int main(void) { int x = nondet_int(), y = nondet_int(), n = 0; if (y <= 0) return 0;
		while (x >= y) { int z = y; while (z > 0) { z--; x--; } n++; } return n; }`
	const shared = `void down(int n, int s) { while (n > 0) n -= s; }
		int main(void) { down(8, 2); down(6, 3); down(4, 1); down(9, 1); return 0; }`
	const up = `int main(void) { unsigned j = nondet_uint(); while (j > 0) j++; return 0; }`
	const bitsSet = `int main(void) { unsigned x = nondet_uint(); while (x) x &= x - 1; return 0; }`
	const list = `struct n { struct n *next; }; void *malloc(unsigned long);
		int main(void) { struct n *l = 0; int k = nondet_int();
		for (int i = 0; i < k; i++) { struct n *m = malloc(sizeof *m); if (!m) return 0; m->next = l; l = m; }
		while (l) l = l->next; return 0; }`
	bounds := Complexity{Turns: bitterm.Turns}
	ends := Termination{Proves: func(context.Context, verdict.Check) bool { return false }}
	for _, c := range []struct {
		name, src string
		engine    problem.Engine
		check     verdict.Check
		off       []string
	}{
		{byNoOverflow, apart, ends, verdict.Termination, nil},
		{byWrapping, sums, ends, verdict.Termination, []string{byNoOverflow}},
		{byModularGraph, shared, ends, verdict.Termination, nil},
		{byNullsApart, list, Safety{}, verdict.Memory, nil},
		{byMachineRanges, up, bounds, verdict.ComplexityBound, []string{byBitTurns}},
		{byBitTurns, bitsSet, bounds, verdict.ComplexityBound, nil},
	} {
		makers := func(off ...string) (out []string) {
			p := testprogram.Problem(testprogram.Hosted(t, c.src), "main", c.check)
			p.Off = map[string]bool{}
			for _, n := range off {
				p.Off[n] = true
			}
			a := problem.NewAnswers()
			_ = c.engine.Run(testprogram.Within(t, time.Minute), p, a)
			for _, s := range a.AllSettled() {
				out = append(out, s.Claim.Certificate.Makers...)
			}
			if proofs := a.Proofs(); proofs != nil && proofs.Certificate != nil {
				out = append(out, proofs.Certificate.Makers...)
			}
			return out
		}
		if by := makers(c.off...); !slices.Contains(by, c.name) {
			t.Errorf("%s had no part: %v", c.name, by)
		}
		if by := makers(append(c.off, c.name)...); slices.Contains(by, c.name) {
			t.Errorf("without %s: %v", c.name, by)
		}
	}
}
