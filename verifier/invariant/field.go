package invariant

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/policy"
)

// Linear algebra modulo a prime: quicker than with fractions where there are many unknowns.

const prime = 0x7FFF_FFFF

func residue(k int64) uint64 { return uint64((k%prime + prime) % prime) }

// fieldKernel is a basis of the vectors of small integers that are orthogonal to all rows of n numbers, modulo a prime.
func fieldKernel(rows [][]uint64, n int) [][]int64 {
	pivots := eliminate(rows, n)
	if len(rows) < len(pivots)+policy.SpareSamples {
		return nil
	}
	var out [][]int64
	for f := range n {
		if slices.Contains(pivots, f) {
			continue
		}
		c := make([]uint64, n)
		c[f] = 1
		for i, j := range pivots {
			c[j] = (prime - rows[i][f]) % prime
		}
		if v := small(c); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// eliminate brings rows into reduced echelon form and gives the pivot columns of the first rows.
func eliminate(rows [][]uint64, n int) []int {
	var pivots []int
	for j := 0; j < n && len(pivots) < len(rows); j++ {
		at := len(pivots)
		i := slices.IndexFunc(rows[at:], func(r []uint64) bool { return r[j] != 0 })
		if i < 0 {
			continue
		}
		rows[at], rows[at+i] = rows[at+i], rows[at]
		inv := power(rows[at][j], prime-2)
		for k := range rows[at] {
			rows[at][k] = rows[at][k] * inv % prime
		}
		for i := range rows {
			if c := rows[i][j]; i != at && c != 0 {
				for k := range rows[i] {
					rows[i][k] = (rows[i][k] + (prime-c)*rows[at][k]) % prime
				}
			}
		}
		pivots = append(pivots, j)
	}
	return pivots
}

// power returns x^k modulo the prime.
func power(x, k uint64) uint64 {
	out := uint64(1)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			out = out * x % prime
		}
		x = x * x % prime
	}
	return out
}

// small scales c, numbers modulo the prime, to small integers; nil if that is not possible.
func small(c []uint64) []int64 {
	for scale := uint64(1); scale <= policy.MaxScale; scale++ {
		out := make([]int64, len(c))
		fits := true
		for i, x := range c {
			if out[i] = int64(x * scale % prime); out[i] > prime/2 {
				out[i] -= prime
			}
			fits = fits && out[i] <= policy.MaxScaled && out[i] >= -policy.MaxScaled
		}
		if fits {
			return out
		}
	}
	return nil
}
