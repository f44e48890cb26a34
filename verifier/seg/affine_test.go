package seg

import (
	"math/rand"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
)

// TestInBoth: what two lists of equations both have vanishes at the points of either, and there are as many equations as
// those points leave.
func TestInBoth(t *testing.T) {
	const n = 5
	r := rand.New(rand.NewSource(7))
	point := func() (p [n]int64) {
		for i := range p {
			p[i] = int64(r.Intn(9) - 4)
		}
		return p
	}
	at := func(e exact.Lin, p [n]int64) exact.Int {
		return e.Eval(func(v exact.Var) exact.Int { return exact.I(p[v-1]) })
	}
	for range 200 {
		p, q, d := point(), point(), point()
		// the line through p in direction d, and the point q
		var line, only []exact.Lin
		for i := range n {
			for j := range i { // d[j]*(x_i - p_i) = d[i]*(x_j - p_j)
				line = append(line, exact.V(exact.Var(i+1)).AddInt(-p[i]).Scale(exact.I(d[j])).
					Sub(exact.V(exact.Var(j+1)).AddInt(-p[j]).Scale(exact.I(d[i]))))
			}
			only = append(only, exact.V(exact.Var(i+1)).AddInt(-q[i]))
		}
		got := inBoth(line, only)
		further := p
		for i := range further {
			further[i] += 3 * d[i]
		}
		for _, e := range got {
			for _, x := range [][n]int64{p, q, further} {
				if !at(e, x).IsZero() {
					t.Fatalf("%v is not 0 at %v, of the line through %v along %v and the point %v", e, x, p, d, q)
				}
			}
		}
		if want := n - dimension(d, minus(q, p)); d != [n]int64{} && len(got) != want {
			t.Fatalf("%d equations, want %d: line through %v along %v, point %v", len(got), want, p, d, q)
		}
	}
}

func minus(p, q [5]int64) [5]int64 {
	for i := range p {
		p[i] -= q[i]
	}
	return p
}

// dimension is that of the space of two vectors of which the first is not 0.
func dimension(a, b [5]int64) int {
	for i := range a {
		for j := range i {
			if a[i]*b[j] != a[j]*b[i] {
				return 2
			}
		}
	}
	return 1
}
