package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

func degreeOf(t *its.Transition) int {
	d := 0
	for _, a := range t.Guard {
		d = max(d, a.Poly.Degree())
	}
	for _, p := range t.Update {
		d = max(d, p.Degree())
	}
	return d
}

// fewTurns bounds a loop of one edge that cannot be taken a few times in a row.
func (b *bounder) fewTurns(ctx context.Context, part []*edge) bool {
	e := part[0]
	if len(part) != 1 || e.from != e.to {
		return false
	}
	run := &edge{from: e.from, to: e.to, full: e.full}
	for k := int64(1); k <= policy.FewTurns && ctx.Err() == nil; k++ {
		t, ok := b.p.sys.Chain(&run.full, &e.full)
		if ok {
			run.full = t
			if degreeOf(&t) > policy.FewTurnsDegree {
				return false
			}
			run.linearise(b.p.n)
			tb := linear.NewTableau(true)
			for _, r := range b.p.hyp(run) {
				tb.Add(r)
			}
			ok = tb.Check(ctx) != linear.Unsat
		}
		if ok {
			continue
		}
		total := Zero()
		for _, f := range b.into[e.from] {
			if f != e {
				total = total.add(b.time[f].scale(exact.I(k)))
			}
		}
		return b.learn(part, total)
	}
	return false
}

// phaseFactor is d! times gamma(d), where gamma(1) = 1 and gamma(i) = 2 +
// gamma(i-1)/(i-1) + 1/(i-1)! (Ben-Amram and Genaim, CAV 2017): how often a
// d-phase function falls, per unit of its greatest phase.
func phaseFactor(d int) exact.Int {
	gamma := exact.R(1)
	factorial := exact.R(1)
	for i := 2; i <= d; i++ {
		before := exact.R(int64(i - 1))
		gamma = exact.R(2).Add(gamma.Div(before)).Add(exact.R(1).Div(factorial))
		factorial = factorial.Mul(exact.R(int64(i)))
	}
	return gamma.Mul(factorial).Ceil()
}

// reset bounds the strict edges by what the functions are worth whenever another
// edge enters the part.
func (b *bounder) reset(ctx context.Context, part, strict []*edge, fs []map[its.Loc]exact.Lin) bool {
	inPart := map[*edge]bool{}
	for _, e := range part {
		inPart[e] = true
	}
	least := b.least(ctx, strict, fs[0])
	total := Zero()
	for l := range fs[0] {
		for _, e := range b.into[l] {
			if inPart[e] {
				continue
			}
			worth := Zero()
			if len(fs) == 1 { // falls at most f-least+1 times, f counted from its least
				worth = b.entry(ctx, e, fs[0][l].Sub(exact.Lin{Const: least}).AddInt(1))
			} else {
				for _, f := range fs {
					worth = worth.upperOf(b.entry(ctx, e, f[l]))
				}
				worth = worth.scale(phaseFactor(len(fs))).add(constBound(exact.I(1)))
			}
			total = total.add(b.time[e].mul(worth))
		}
	}
	return b.learn(strict, total)
}

// least is a natural number that f is at least before any of the edges.
func (b *bounder) least(ctx context.Context, edges []*edge, f map[its.Loc]exact.Lin) exact.Int {
	var out exact.Int
	for i, e := range edges {
		tb := linear.NewTableau(true)
		for _, row := range b.r.lean(ctx, e) {
			tb.Add(row)
		}
		m, kind := tb.Maximise(ctx, f[e.from].Neg())
		if kind != linear.Attained {
			return exact.Int{}
		}
		if low := m.Neg().Ceil(); i == 0 || low.Cmp(out) < 0 {
			out = low
		}
	}
	if out.Sign() < 0 {
		return exact.Int{}
	}
	return out
}
