package ranges

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// solve finds ranges that the stores of the functions keep to if loads give what is in them: it begins with what
// initialisers put there, and adds what is stored, until that is nothing new.
func (s *Table) solve(storing []*ir.Func) {
	s.unstored(storing)
	limits := s.constants(storing)
	changed, passing := map[places.Place]bool{}, map[places.Place]Interval{}
	for round := 0; round == 0 || len(changed) > 0; round++ {
		found := map[places.Place]Interval{}
		add := func(to map[places.Place]Interval) func(in *ir.Instr, v Interval) {
			return func(in *ir.Instr, v Interval) {
				if p, ok := s.Of[in]; ok {
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
			x := &wordFlow{f: f, param: s.param, memory: s.loaded, at: s.placeOf, sole: s.IsSole, stored: add(found),
				passes: add(passing)}
			x.run()
		}
		changed = s.grow(found, round, limits)
		for p, v := range passing {
			if x := s.At[p]; !v.within(x.Value) && !(x.Passed && v.within(x.passing)) {
				x.Passed, x.passing = true, v
				if s.Soles[p.Global] != nil { // others read these, too
					changed[p] = true
				}
			}
		}
	}
	for _, x := range s.At {
		x.Passed = x.Passed && !x.passing.within(x.Value)
	}
}

// Words returns what numbers without sign the words of f are at most, as far as its comparisons, masks and remainders keep
// them from 0 to there.
func (s *Table) Words(f *ir.Func) func(v ir.Value) (high int64, ok bool) {
	x := &wordFlow{f: f, param: s.param, memory: s.loaded, at: s.placeOf, sole: s.IsSole, marks: true,
		stored: func(*ir.Instr, Interval) {}}
	x.run()
	return func(v ir.Value) (int64, bool) {
		in := x.value(v)
		return min(in.Uhigh, in.shigh), in.limited && in.slow >= 0 && min(in.Uhigh, in.shigh) < most
	}
}

// placeOf returns the place that an instruction loads a number from or stores it at, if it is known.
func (s *Table) placeOf(in *ir.Instr) (places.Place, bool) {
	p, ok := s.Of[in]
	return p, ok
}

// unstored notes the members that nothing gives a number: whoever uses the program does, any. One that is only counted on
// from what it was begins as zero.
func (s *Table) unstored(storing []*ir.Func) {
	stored, set := map[places.Place]bool{}, map[places.Place]bool{}
	for _, f := range storing {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if p, ok := s.Of[in]; ok && in.Op == ir.OpStore {
					stored[p] = true
					set[p] = set[p] || !s.countsOn(in.Args[0], p, policy.FlowChoices)
				}
			}
		}
	}
	for p, x := range s.At {
		x.Any = x.Any || p.Of != "" && (s.Loose[x.Bits] || s.Loose[anyWidth])
		switch {
		case p.Of == "" || x.Any || x.Some:
		case !stored[p]:
			x.Any, x.Unset = true, true
		case !set[p]:
			x.add(Interval{})
		}
	}
}

// countsOn reports whether a number is computed from what is at a place.
func (s *Table) countsOn(v ir.Value, p places.Place, steps int) bool {
	in, ok := v.(*ir.Instr)
	if !ok || steps == 0 {
		return false
	}
	if in.Op == ir.OpLoad {
		at, known := s.Of[in]
		return known && at == p
	}
	return slices.ContainsFunc(in.Args, func(a ir.Value) bool { return s.countsOn(a, p, steps-1) })
}

// matters reports whether a function stores at a place of which something may be known, and, but for the first time, loads
// one that has changed.
func (s *Table) matters(f *ir.Func, first bool, changed map[places.Place]bool) bool {
	stores, loads := false, first
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if p, ok := s.Of[in]; ok && in.Op == ir.OpLoad {
				loads = loads || changed[p]
			} else if ok {
				stores = stores || !s.At[p].Any && !s.Wild[p.Of]
			}
		}
	}
	return stores && loads
}

// loaded returns what a load gives: what is stored at its place. The memory of a structure may be zero before.
func (s *Table) loaded(in *ir.Instr) (Interval, bool) {
	p, ok := s.Of[in]
	x := s.At[p]
	if !ok {
		return s.tabled(in)
	}
	if x.Any || s.Wild[p.Of] || x.Bits != in.T.Width {
		return Interval{}, false
	}
	v := x.Value // zero where nothing is stored yet
	if in.Flags.Has(ir.Volatile) && x.Passed && !s.IsSole(in) {
		v = v.join(x.passing)
	}
	if p.Of != "" {
		v = v.join(Interval{})
	}
	return v, true
}

// grow adds what a round found to be stored, and returns the places where some of it is new.
func (s *Table) grow(found map[places.Place]Interval, round int, limits map[places.Place][]int64) map[places.Place]bool {
	changed := map[places.Place]bool{}
	for p, v := range found {
		x := s.At[p]
		if x.Any || x.Some && v.within(x.Value) && (x.Value.limited || !v.limited) {
			continue
		}
		changed[p] = true
		old := x.Value
		had := x.Some
		x.add(v)
		if had && round >= policy.RangePlain {
			x.Value = old.widened(x.Value, x.Bits, limits[p])
		}
		x.Any = x.Value.isFull(x.Bits) || round >= policy.RangeRounds
	}
	return changed
}

// constants returns for each place the numbers that the functions which store there name, and those next to them,
// ascending.
func (s *Table) constants(storing []*ir.Func) map[places.Place][]int64 {
	sets := map[places.Place]map[int64]bool{}
	for _, f := range storing {
		named := numbersIn(f)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if p, ok := s.Of[in]; ok && in.Op == ir.OpStore {
					if sets[p] == nil {
						sets[p] = map[int64]bool{}
					}
					maps.Copy(sets[p], named)
				}
			}
		}
	}
	out := map[places.Place][]int64{}
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
