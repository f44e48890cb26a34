package linear

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// The limit is one of work: a hard question ends without an answer, and the same
// one each time; an easy one is answered under the same limit.
func TestZ3Limit(t *testing.T) {
	cube := func(v exact.Var) exact.Poly {
		p := exact.PolyOf(exact.V(v))
		return p.Mul(p).Mul(p)
	}
	hard := []PolyRow{{Poly: cube(0).Add(cube(1)).Add(cube(2)).Sub(exact.PolyOf(exact.C(114))), EQ: true}}
	easy := []PolyRow{{Poly: exact.PolyOf(exact.V(0).AddInt(-3))}, {Poly: exact.PolyOf(exact.V(0).Neg().AddInt(2))}}
	for n := 0; n < 3; n++ {
		z := NewZ3(50)
		if st, _ := z.Sat(hard, nil); st != Unknown {
			t.Errorf("a sum of three cubes: %s, want unknown", st)
		}
		if st, _ := z.Sat(easy, nil); st != Unsat {
			t.Errorf("x >= 3 and x <= 2: %s, want unsat", st)
		}
		z.Close()
	}
}
