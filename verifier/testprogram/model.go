package testprogram

import (
	"math/rand"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// RandomModel gives every variable of a store a value, a small one often.
func RandomModel(s *ilr.Store, rng *rand.Rand) ilr.Model {
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}}
	value := func(w int) bits.Vec {
		if rng.Intn(3) == 0 {
			return bits.NewInt(w, int64(rng.Intn(5)-2))
		}
		return bits.New(w, rng.Uint64())
	}
	for t := ilr.Term(1); int(t) <= s.Len(); t++ {
		if s.Kind(t) != ilr.KVar {
			continue
		}
		if sort := s.Sort(t); sort.Kind == ilr.SortArray {
			a := &ilr.ArrayValue{Elems: map[bits.Vec]bits.Vec{}, Default: value(sort.W)}
			for i := 0; i < 8; i++ {
				a.Elems[value(sort.Idx)] = value(sort.W)
			}
			m.Arrays[t] = a
		} else {
			m.BV[t] = value(max(1, sort.W))
		}
	}
	return m
}
