package invariant

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"
)

func TestKernel(t *testing.T) {
	for _, c := range []struct {
		rows [][]int64
		want string
	}{
		{[][]int64{{1, 0, 0}, {1, 1, 2}, {1, 2, 4}}, "[[0 -2 1]]"},
		{[][]int64{{1, 3, 5}, {1, 5, 8}, {1, 7, 11}}, "[[-1 -3 2]]"},
		{[][]int64{{1, 7, 2}, {1, 7, 3}}, "[[-7 1 0]]"},
		{[][]int64{{1, 0}, {1, 5}}, "[]"},
		{[][]int64{{0, 0}}, "[[1 0] [0 1]]"},
	} {
		var rows [][]*big.Rat
		for _, r := range c.rows {
			var row []*big.Rat
			for _, x := range r {
				row = append(row, big.NewRat(x, 1))
			}
			rows = append(rows, row)
		}
		if got := fmt.Sprint(kernel(rows, len(c.rows[0]))); got != c.want {
			t.Errorf("%v: %s, want %s", c.rows, got, c.want)
		}
	}
}

// Every vector of a kernel is orthogonal to every row, and rank and kernel add up.
func TestKernelOfRandomRows(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 200 {
		n, m := 1+r.Intn(5), 1+r.Intn(6)
		plain := make([][]int64, m)
		rows, again := make([][]*big.Rat, m), make([][]*big.Rat, m)
		for i := range rows {
			for range n {
				x := int64(r.Intn(5) - 2)
				plain[i] = append(plain[i], x)
				rows[i], again[i] = append(rows[i], big.NewRat(x, 1)), append(again[i], big.NewRat(x, 1))
			}
		}
		basis := kernel(rows, n)
		if rank := len(reduce(again, n)); rank+len(basis) != n {
			t.Errorf("%v: rank %d, kernel of %d", plain, rank, len(basis))
		}
		for _, c := range basis {
			for _, row := range plain {
				sum := int64(0)
				for j := range c {
					sum += c[j] * row[j]
				}
				if sum != 0 {
					t.Errorf("%v: %v is not orthogonal", plain, c)
				}
			}
		}
	}
}
