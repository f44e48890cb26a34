package rewrite

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// memory applies (R4), or returns 0: a read over a write, where the indices are provably equal or different.
func (m *match) memory(k ilr.Kind, args []ilr.Term) ilr.Term {
	s := m.s
	switch k {
	case ilr.KSelect:
		return m.read(args[0], args[1])
	case ilr.KStore: // writing back what was read
		v := args[2]
		if s.Kind(v) == ilr.KSelect && s.Arg(v, 0) == args[0] && s.Arg(v, 1) == args[1] {
			return args[0]
		}
	case ilr.KIte:
		if m.sort.Kind == ilr.SortArray {
			return m.write(args[0], args[1], args[2])
		}
	}
	return 0
}

// write makes a store that happens under condition c a store of what is there then:
// at a constant index, whose element is at hand, or where both branches store.
func (m *match) write(c, a, b ilr.Term) ilr.Term {
	s := m.s
	sa, sb := s.Kind(a) == ilr.KStore, s.Kind(b) == ilr.KStore
	if sa && sb && s.Arg(a, 0) == s.Arg(b, 0) && s.Arg(a, 1) == s.Arg(b, 1) {
		return s.Store(s.Arg(a, 0), s.Arg(a, 1), s.Ite(c, s.Arg(a, 2), s.Arg(b, 2)))
	}
	if sb && s.Arg(b, 0) == a {
		c, a, b = s.Not(c), b, a
		sa = true
	}
	if !sa || s.Arg(a, 0) != b || s.Kind(s.Arg(a, 1)) != ilr.KConst {
		return 0
	}
	i := s.Arg(a, 1)
	return s.Store(b, i, s.Ite(c, s.Arg(a, 2), s.Select(b, i)))
}

// read walks down a while the writes certainly hit or certainly miss index i.
func (m *match) read(a, i ilr.Term) ilr.Term {
	s := m.s
	start := a
	for {
		next := ilr.Term(0)
		switch s.Kind(a) {
		case ilr.KStore:
			if s.Arg(a, 1) == i {
				return s.Arg(a, 2)
			}
			if m.distinct(s.Arg(a, 1), i) {
				next = s.Arg(a, 0)
			}
		case ilr.KArrSet:
			switch in, known := m.within(s.Sub(i, s.Arg(a, 1)), s.Arg(a, 2)); {
			case known && in:
				return s.Arg(a, 3)
			case known:
				next = s.Arg(a, 0)
			}
		case ilr.KArrCopy:
			d := s.Sub(i, s.Arg(a, 1))
			switch in, known := m.within(d, s.Arg(a, 4)); {
			case known && in:
				return s.Select(s.Arg(a, 2), s.Add(d, s.Arg(a, 3)))
			case known:
				next = s.Arg(a, 0)
			}
		}
		if next == 0 {
			break
		}
		a = next
	}
	if a == start {
		return 0
	}
	return s.Select(a, i)
}

// within decides d <u n where it can.
func (m *match) within(d, n ilr.Term) (in, known bool) {
	t := m.s.Ult(d, n)
	return m.s.IsTrue(t), m.s.IsTrue(t) || m.s.IsFalse(t)
}

// distinct reports whether i and j certainly differ: one base plus different constants, or facts that exclude each other.
func (m *match) distinct(i, j ilr.Term) bool {
	s := m.s
	bi, ci := m.offset(i)
	bj, cj := m.offset(j)
	if bi == bj && ci != cj {
		return true
	}
	return m.r.facts.Of(s, i).Excludes(m.r.facts.Of(s, j))
}

// offset splits t into a base (0 for none) and a constant.
func (m *match) offset(t ilr.Term) (ilr.Term, bits.Vec) {
	s := m.s
	if v, ok := s.ConstVal(t); ok {
		return 0, v
	}
	if s.Kind(t) == ilr.KAdd {
		if v, ok := s.ConstVal(s.Arg(t, 1)); ok {
			return s.Arg(t, 0), v
		}
	}
	return t, bits.New(s.Width(t), 0)
}
