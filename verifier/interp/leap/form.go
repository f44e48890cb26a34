package leap

import (
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/policy"
)

// form is the closed form of a word over the turns t = 0, 1, 2, ... of a loop, modulo 2^w: the sum of form[k] times
// t over k (Newton's basis). nil stands for a value that is the same in every turn.
type form []bits.Vec

// trim leaves out leading coefficients that are zero.
func (f form) trim() form {
	for len(f) > 1 && f[len(f)-1].IsZero() {
		f = f[:len(f)-1]
	}
	if len(f) < 2 {
		return nil
	}
	return f
}

// each maps the coefficients.
func (f form) each(g func(bits.Vec) bits.Vec) form {
	out := make(form, len(f))
	for i, c := range f {
		out[i] = g(c)
	}
	return out
}

// plus adds two forms of the same width.
func (f form) plus(g form) form {
	if len(f) < len(g) {
		f, g = g, f
	}
	out := append(form{}, f...)
	for i, c := range g {
		out[i] = bits.Add(out[i], c)
	}
	return out
}

// negated is -f.
func (f form) negated() form { return f.each(bits.Neg) }

// next is f one turn later.
func (f form) next() form {
	out := append(form{}, f...)
	for k := range len(f) - 1 {
		out[k] = bits.Add(f[k], f[k+1])
	}
	return out
}

// same reports whether two forms without leading zeros are equal.
func (f form) same(g form) bool {
	if len(f) != len(g) {
		return false
	}
	for i := range f {
		if f[i] != g[i] {
			return false
		}
	}
	return true
}

// at is the value in turn n.
func (f form) at(n int64) bits.Vec {
	return bits.FromBig(f[0].Width(), f.whole(false).at(n))
}

// fitted is the form of the lowest degree through four values, of which the last is that of turn 0.
func fitted(v [4]bits.Vec) form {
	d := [][]bits.Vec{v[:]}
	for len(d) < 4 {
		last := d[len(d)-1]
		var diff []bits.Vec
		for i := range len(last) - 1 {
			diff = append(diff, bits.Sub(last[i+1], last[i]))
		}
		d = append(d, diff)
	}
	backward := make(form, 4) // the differences that end with turn 0
	for k := range d {
		backward[k] = d[k][len(d[k])-1]
	}
	c3 := backward[3]
	c2 := bits.Add(backward[2], bits.Add(c3, c3))
	c1 := bits.Add(backward[1], bits.Add(backward[2], c3))
	return form{v[3], c1, c2, c3}.trim()
}

// whole is f over the integers: its first coefficient as a signed or unsigned number, the others as signed ones. It is
// the value that the word has in each turn for as long as it stays in the range of the word.
func (f form) whole(signed bool) wholes {
	out := make(wholes, len(f))
	for i, c := range f {
		if out[i] = c.Signed(); i == 0 && !signed {
			out[i] = c.Unsigned()
		}
	}
	return out
}

// wholes is a closed form over the integers, in the same basis.
type wholes []*big.Int

// word is w modulo 2^width.
func (w wholes) word(width int) form {
	out := make(form, len(w))
	for i, c := range w {
		out[i] = bits.FromBig(width, c)
	}
	return out
}

// at is the value in turn n.
func (w wholes) at(n int64) *big.Int {
	sum := new(big.Int)
	for k, c := range w {
		sum.Add(sum, new(big.Int).Mul(c, new(big.Int).Binomial(n, int64(k))))
	}
	return sum
}

// span bounds the values in the turns 0 to n: by what grows alone, and by what falls alone.
func (w wholes) span(n int64) (low, high *big.Int) {
	falls, grows := append(wholes{}, w...), append(wholes{}, w...)
	for k := 1; k < len(w); k++ {
		if w[k].Sign() > 0 {
			falls[k] = new(big.Int)
		} else {
			grows[k] = new(big.Int)
		}
	}
	return falls.at(n), grows.at(n)
}

// steps is how many turns after turn 0 a linear form stays between low and high, at most policy.LeapMost.
func (w wholes) steps(low, high *big.Int) int64 {
	end := high
	if len(w) > 1 && w[1].Sign() < 0 {
		end = low
	}
	if len(w) < 2 || w[1].Sign() == 0 || end == nil {
		return policy.LeapMost
	}
	n := new(big.Int).Sub(end, w[0])
	if n.Quo(n, w[1]); !n.IsInt64() {
		return policy.LeapMost
	}
	return min(policy.LeapMost, n.Int64())
}

// minus subtracts two forms.
func (w wholes) minus(v wholes) wholes {
	out := make(wholes, max(len(w), len(v)))
	for i := range out {
		out[i] = new(big.Int)
		if i < len(w) {
			out[i].Add(out[i], w[i])
		}
		if i < len(v) {
			out[i].Sub(out[i], v[i])
		}
	}
	return out
}

// plus adds two forms.
func (w wholes) plus(v wholes) wholes { return w.minus(wholes{}.minus(v)) }

// times is the product; that of t over i and t over j is the sum over k of k!/((k-i)!(k-j)!(i+j-k)!) times t over k.
func (w wholes) times(v wholes) wholes {
	out := make(wholes, len(w)+len(v)-1)
	for i := range out {
		out[i] = new(big.Int)
	}
	for i, a := range w {
		for j, b := range v {
			for k := max(i, j); k <= i+j; k++ {
				n := new(big.Int).Binomial(int64(k), int64(i))
				n.Mul(n, new(big.Int).Binomial(int64(i), int64(k-j)))
				out[k].Add(out[k], n.Mul(n, new(big.Int).Mul(a, b)))
			}
		}
	}
	return out
}
