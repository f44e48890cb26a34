package memory

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// exclusion knows which guards exclude each other: those of one pointer. A guard has the numbers of the pointers that it
// is of, the newest ones, in order.
type exclusion struct {
	guards map[ilr.Term][]int32
	last   int32
}

// exclusive records that the guards of p exclude each other.
func (x *exclusion) exclusive(p *Ptr) {
	if len(p.Alts) < 2 || x.known(p) {
		return
	}
	x.last++
	for _, a := range p.Alts {
		of := x.guards[a.Guard]
		if len(of) >= policy.ExclusiveKept {
			of = slices.Clone(of[1:])
		}
		x.guards[a.Guard] = append(of, x.last)
	}
}

// known reports that the guards of p are among those of one pointer.
func (x *exclusion) known(p *Ptr) bool {
	return slices.ContainsFunc(x.guards[p.Alts[0].Guard], func(n int32) bool {
		return !slices.ContainsFunc(p.Alts[1:], func(a Alt) bool { return !slices.Contains(x.guards[a.Guard], n) })
	})
}

// meet reports that two lists of numbers, in order, have one in common.
func meet(a, b []int32) bool {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; {
		switch {
		case a[i] == b[j]:
			return true
		case a[i] > b[j]:
			i--
		default:
			j--
		}
	}
	return false
}
