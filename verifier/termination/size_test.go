package termination

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// A local bound of a polynomial takes positive constants as they are, and negative ones as 0.
func TestLocalBoundOfPolynomial(t *testing.T) {
	q := &problem{n: 2}
	for k, want := range map[int64]int64{5: 5, -5: 0, 0: 0} {
		p := exact.PolyOf(exact.C(k)).Add(exact.PolyOf(exact.V(0)).Scale(exact.I(-3)))
		p = p.Add(exact.PolyOf(exact.V(0)).Mul(exact.PolyOf(exact.V(1))))
		got := q.polyLocal(p)
		if !got.ok || got.c.Cmp(exact.I(want)) != 0 || len(got.monos) != 1 || len(got.terms) != 1 ||
			got.terms[0].s != neg(0) || got.terms[0].k.Cmp(exact.I(3)) != 0 {
			t.Errorf("of %s: %+v", p, got)
		}
	}
}
