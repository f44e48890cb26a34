package ellipse

import "math"

// matrix is a square or rectangular matrix, in rows. What is computed with it is a guess that others check.
type matrix [][]float64

func newMatrix(n, m int) matrix {
	a := make(matrix, n)
	for i := range a {
		a[i] = make([]float64, m)
	}
	return a
}

func (a matrix) times(b matrix) matrix {
	out := newMatrix(len(a), len(b[0]))
	for i := range a {
		for j := range b[0] {
			for k := range b {
				out[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return out
}

// plus returns a + k*b.
func (a matrix) plus(k float64, b matrix) matrix {
	out := newMatrix(len(a), len(a[0]))
	for i := range a {
		for j := range a[i] {
			out[i][j] = a[i][j] + k*b[i][j]
		}
	}
	return out
}

func (a matrix) transposed() matrix {
	out := newMatrix(len(a[0]), len(a))
	for i := range a {
		for j := range a[i] {
			out[j][i] = a[i][j]
		}
	}
	return out
}

// inverse returns a's; ok is false if there is none.
func (a matrix) inverse() (out matrix, ok bool) {
	n := len(a)
	w := newMatrix(n, 2*n)
	for i := range a {
		copy(w[i], a[i])
		w[i][n+i] = 1
	}
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(w[i][k]) > math.Abs(w[p][k]) {
				p = i
			}
		}
		w[k], w[p] = w[p], w[k]
		if d := w[k][k]; !(math.Abs(d) > 0) || math.IsInf(d, 0) {
			return nil, false
		}
		for i := range n {
			if i == k {
				continue
			}
			r := w[i][k] / w[k][k]
			for j := k; j < 2*n; j++ {
				w[i][j] -= r * w[k][j]
			}
		}
	}
	out = newMatrix(n, n)
	for i := range n {
		for j := range n {
			out[i][j] = w[i][n+j] / w[i][i]
		}
	}
	return out, true
}

// growth returns the largest magnitude of an eigenvalue of a, nearly.
func (a matrix) growth() float64 {
	log, b := 0.0, a.plus(0, a)
	for n := range 24 {
		most := 0.0
		for i := range b {
			for j := range b[i] {
				most = math.Max(most, math.Abs(b[i][j]))
			}
		}
		if !(most > 0) || math.IsInf(most, 0) {
			return most
		}
		log += math.Log(most) / math.Pow(2, float64(n))
		for i := range b {
			for j := range b[i] {
				b[i][j] /= most
			}
		}
		b = b.times(b)
	}
	return math.Exp(log)
}

// gathered returns the sum of a^k * q * a'^k for all k; ok is false if it has no limit.
func (a matrix) gathered(q matrix) (sum matrix, ok bool) {
	sum = q
	for range 60 {
		sum = sum.plus(1, a.times(sum).times(a.transposed()))
		a = a.times(a)
	}
	for i := range sum {
		if v := sum[i][i]; math.IsNaN(v) || v > 1e200 {
			return nil, false
		}
	}
	return sum, true
}
