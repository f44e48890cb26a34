package termination

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// stretches lists the eigenvalues of a square matrix that are whole numbers from 0 to policy.ConeStretch, falling, each
// as often as it is a root of the characteristic polynomial.
func stretches(a [][]exact.Int) []int64 {
	n := len(a)
	coef := make([]exact.Int, n+1) // of the polynomial, by the method of Faddeev and LeVerrier
	coef[n] = exact.I(1)
	m := make([][]exact.Int, n)
	for i := range m {
		m[i] = make([]exact.Int, n)
	}
	for k := 1; k <= n; k++ {
		next, trace := make([][]exact.Int, n), exact.Int{}
		for i := range n { // m = a*m + coef*1
			next[i] = make([]exact.Int, n)
			for j := range n {
				for h := range n {
					next[i][j] = next[i][j].Add(a[i][h].Mul(m[h][j]))
				}
			}
			next[i][i] = next[i][i].Add(coef[n-k+1])
		}
		m = next
		for i := range n {
			for h := range n {
				trace = trace.Add(a[i][h].Mul(m[h][i]))
			}
		}
		coef[n-k] = trace.Neg().Quo(exact.I(int64(k)))
	}
	var out []int64
	for l := int64(policy.ConeStretch); l >= 0; {
		rest, sum := make([]exact.Int, len(coef)-1), exact.Int{}
		for i := len(coef) - 1; i >= 0; i-- { // division by (variable - l)
			sum = sum.Mul(exact.I(l)).Add(coef[i])
			if i > 0 {
				rest[i-1] = sum
			}
		}
		if len(rest) == 0 || !sum.IsZero() {
			l--
			continue
		}
		out, coef = append(out, l), rest
	}
	return out
}

// eliminate brings the first columns of a into reduced echelon form and returns those with pivots, by row.
func eliminate(a [][]exact.Rat, columns int) (pivots []int) {
	for col := 0; col < columns && len(pivots) < len(a); col++ {
		row := len(pivots)
		k := slices.IndexFunc(a[row:], func(r []exact.Rat) bool { return !r[col].IsZero() })
		if k < 0 {
			continue
		}
		a[row], a[row+k] = a[row+k], a[row]
		by := a[row][col]
		for j := range a[row] {
			a[row][j] = a[row][j].Div(by)
		}
		for i := range a {
			if i == row || a[i][col].IsZero() {
				continue
			}
			by := a[i][col]
			for j := range a[i] {
				a[i][j] = a[i][j].Sub(by.Mul(a[row][j]))
			}
		}
		pivots = append(pivots, col)
	}
	return pivots
}
