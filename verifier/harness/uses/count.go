package uses

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// limit says that a variable is below a parameter (Use.Param), or at most it.
type limit struct {
	param  int
	of     ir.Value // that is compared with
	strict bool
	in     *ir.Block // where it holds; nil: nobody asked
	exit   *ir.Block // where it does not hold; nil: likewise
}

// counted says that a parameter counts what a pointer leads to, as an argument of Use.says.
type counted struct {
	pointer, param int
	plus           int64
	bytes          bool
}

// told notes what a limit says of pointer k. What is not a bound of the function itself says nothing where it is an index
// of the pointer, too: of a sorted part (lo, hi), or of the place behind the last element.
func (s *useScan) told(k int, l limit, plus int64, bytes bool) {
	if l.exit == nil && s.number(l.of) >= 0 {
		s.uses[k].says(l.param, plus, bytes)
		return
	}
	s.later = append(s.later, counted{k, l.param, plus, bytes})
}

// indexes notes that v is an index of pointer k.
func (s *useScan) indexes(k int, v ir.Value) {
	slot, _ := variable(v)
	if of, ok := s.of[slot]; ok {
		s.index[[2]int{k, of}] = true
	} else if ld, ok := slot.(*ir.Instr); ok && ld.Op == ir.OpLoad {
		if of, plain := s.from(slot); plain {
			s.index[[2]int{k, of}] = true
		}
	}
}

// bounds notes that x is below y, or at most y, if y is a parameter or what one led to when the function was called.
func (s *useScan) bounds(x, y ir.Value, l limit) {
	v, plus := variable(x)
	l.of = y
	if l.param = s.number(y); l.param < 0 {
		l.param = s.through(y)
	}
	if plus == 1 && !l.strict { // x + 1 <= y
		plus, l.strict = 0, true
	}
	if _, known := s.bound[v]; v == nil || l.param < 0 || plus != 0 || known && l.exit != nil {
		return
	}
	s.bound[v] = l
}

// through returns the pointer parameter that integer v is read from, as it was when the function was called; -1: none.
func (s *useScan) through(v ir.Value) int {
	for in, ok := v.(*ir.Instr); ok; in, ok = in.Args[0].(*ir.Instr) {
		switch in.Op {
		case ir.OpLoad:
			if k, plain := s.from(in.Args[0]); k >= 0 && plain && s.asCalled(in, k) {
				return k
			}
			return -1
		case ir.OpZext, ir.OpSext, ir.OpTrunc, ir.OpFreeze:
		default:
			return -1
		}
	}
	return -1
}

// asCalled reports whether nothing in front of at stores through parameter k, or hands it on.
func (s *useScan) asCalled(at *ir.Instr, k int) bool {
	seen := map[*ir.Block]bool{}
	touches := func(in *ir.Instr) bool {
		args := in.Args
		if in.Op == ir.OpStore {
			args = args[1:]
		} else if in.Op != ir.OpCall {
			return false
		}
		return slices.ContainsFunc(args, func(v ir.Value) bool {
			of, _ := s.from(v)
			return of == k && v.Type().IsPtr()
		})
	}
	var before func(b *ir.Block, end int) bool
	before = func(b *ir.Block, end int) bool {
		return !slices.ContainsFunc(b.Instrs[:end], touches) && !slices.ContainsFunc(b.Preds, func(p *ir.Block) bool {
			if seen[p] {
				return false
			}
			seen[p] = true
			return !before(p, len(p.Instrs))
		})
	}
	return before(at.Block, slices.Index(at.Block.Instrs, at))
}

// limitOf returns the limit of a variable in the block that is read; known is false where there is none.
func (s *useScan) limitOf(slot ir.Value) (l limit, known bool) {
	l, known = s.bound[slot]
	return l, known && slot != nil && (l.in == nil || leadsTo(l.in, s.here)) && (l.exit == nil || !leadsTo(l.exit, s.here))
}

// leadsTo reports whether control comes from block b to another, which may be b itself.
func leadsTo(b, to *ir.Block) bool { return b == to || b.Reaches(to, nil) }
