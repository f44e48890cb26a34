package weave

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

const (
	plainRounds = 3  // rounds before bounds that grow go on to the next constant of the functions that store there
	maxRounds   = 24 // before what still grows is any number
)

// solve finds ranges that the stores of the functions keep to if loads give what is in them: it begins with what
// initialisers put there, and adds what is stored, until that is nothing new.
func (s *spans) solve(storing []*ir.Func) {
	s.unstored(storing)
	limits := s.constants(storing)
	changed, passing := map[place]bool{}, map[place]interval{}
	for round := 0; round == 0 || len(changed) > 0; round++ {
		found := map[place]interval{}
		add := func(to map[place]interval) func(in *ir.Instr, v interval) {
			return func(in *ir.Instr, v interval) {
				if p, ok := s.of[in]; ok {
					if old, ok := to[p]; ok {
						v = old.join(v)
					}
					to[p] = v
				}
			}
		}
		for _, f := range storing {
			if !s.matters(f, round == 0, changed) {
				continue
			}
			x := &wordFlow{f: f, param: s.param, memory: s.loaded, at: s.placeOf, sole: s.isSole, stored: add(found),
				passes: add(passing)}
			x.run()
		}
		changed = s.grow(found, round, limits)
		for p, v := range passing {
			if x := s.at[p]; !v.within(x.value) && !(x.passed && v.within(x.passing)) {
				x.passed, x.passing = true, v
				if s.soles[p.g] != nil { // others read these, too
					changed[p] = true
				}
			}
		}
	}
	for _, x := range s.at {
		x.passed = x.passed && !x.passing.within(x.value)
	}
}

// placeOf returns the place that an instruction loads a number from or stores it at, if it is known.
func (s *spans) placeOf(in *ir.Instr) (place, bool) {
	p, ok := s.of[in]
	return p, ok
}

// unstored notes the members that nothing gives a number: whoever uses the program does, any.
func (s *spans) unstored(storing []*ir.Func) {
	stored := map[place]bool{}
	for _, f := range storing {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if p, ok := s.of[in]; ok && in.Op == ir.OpStore {
					stored[p] = true
				}
			}
		}
	}
	for p, x := range s.at {
		x.any = x.any || p.of != "" && (s.loose[x.bits] || s.loose[anyWidth])
		if p.of != "" && !x.any && !x.some && !stored[p] {
			x.any, x.unset = true, true
		}
	}
}

// matters reports whether a function stores at a place of which something may be known, and, but for the first time, loads
// one that has changed.
func (s *spans) matters(f *ir.Func, first bool, changed map[place]bool) bool {
	stores, loads := false, first
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if p, ok := s.of[in]; ok && in.Op == ir.OpLoad {
				loads = loads || changed[p]
			} else if ok {
				stores = stores || !s.at[p].any && !s.wild[p.of]
			}
		}
	}
	return stores && loads
}

// loaded returns what a load gives: what is stored at its place. The memory of a structure may be zero before.
func (s *spans) loaded(in *ir.Instr) (interval, bool) {
	p, ok := s.of[in]
	x := s.at[p]
	if !ok {
		return s.tabled(in)
	}
	if x.any || s.wild[p.of] || x.bits != in.T.Width {
		return interval{}, false
	}
	v := x.value // zero where nothing is stored yet
	if in.Flags.Has(ir.Volatile) && x.passed && !s.isSole(in) {
		v = v.join(x.passing)
	}
	if p.of != "" {
		v = v.join(interval{})
	}
	return v, true
}

// grow adds what a round found to be stored, and returns the places where some of it is new.
func (s *spans) grow(found map[place]interval, round int, limits map[place][]int64) map[place]bool {
	changed := map[place]bool{}
	for p, v := range found {
		x := s.at[p]
		if x.any || x.some && v.within(x.value) && (x.value.limited || !v.limited) {
			continue
		}
		changed[p] = true
		old := x.value
		had := x.some
		x.add(v)
		if had && round >= plainRounds {
			x.value = old.widened(x.value, x.bits, limits[p])
		}
		x.any = x.value.isFull(x.bits) || round >= maxRounds
	}
	return changed
}

// constants returns for each place the numbers that the functions which store there name, and those next to them,
// ascending.
func (s *spans) constants(storing []*ir.Func) map[place][]int64 {
	sets := map[place]map[int64]bool{}
	for _, f := range storing {
		named := numbersIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if p, ok := s.of[in]; ok && in.Op == ir.OpStore {
					if sets[p] == nil {
						sets[p] = map[int64]bool{}
					}
					maps.Copy(sets[p], named)
				}
			}
		}
	}
	out := map[place][]int64{}
	for p, set := range sets {
		out[p] = slices.Sorted(maps.Keys(set))
	}
	return out
}

// numbersIn returns the numbers that a function names, and those next to them.
func numbersIn(f *ir.Func) map[int64]bool {
	set := map[int64]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				if c, ok := a.(*ir.Const); ok && c.Kind == ir.ConstInt {
					if n := c.Bits.Signed(); n.IsInt64() && n.Int64() >= 0 && n.Int64() < 1<<31 {
						set[n.Int64()], set[n.Int64()+1] = true, true
						set[max(n.Int64()-1, 0)] = true
					}
				}
			}
		}
	}
	return set
}
