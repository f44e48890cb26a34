package ranges

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// tabled returns what a load from a constant table of numbers gives: what is in between its elements.
func (s *Table) tabled(in *ir.Instr) (Interval, bool) {
	g := ir.VariableAt(in.Args[0])
	if g == nil || in.Flags.Has(ir.Volatile) || !g.Const || g.Weak || g.Init == nil {
		return Interval{}, false
	}
	x, known := s.tables[g]
	if !known {
		x = &span{Bits: in.T.Width}
		n := 0
		x.Any = !x.elements(g.Init, &n)
		s.tables[g] = x
	}
	return x.Value, !x.Any && x.Bits == in.T.Width
}

// elements adds the numbers in an initialiser, and reports whether these are all words of the span's width.
func (x *span) elements(c *ir.Const, n *int) bool {
	if *n++; *n > policy.RangeTable || c == nil {
		return false
	}
	switch c.Kind {
	case ir.ConstInt:
		if c.Bits.Width() != x.Bits {
			return false
		}
		v := exactly(c, x.Bits)
		v.limited = true
		x.add(v)
		return true
	case ir.ConstBytes:
		for _, b := range c.Bytes {
			x.add(Interval{slow: int64(int8(b)), shigh: int64(int8(b)), Ulow: int64(b), Uhigh: int64(b), limited: true})
		}
		return x.Bits == 8 && len(c.Bytes) > 0
	case ir.ConstAgg:
		for _, e := range c.Elems {
			if !x.elements(e, n) {
				return false
			}
		}
		return len(c.Elems) > 0
	}
	return false
}
