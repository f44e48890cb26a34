package uses

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// step returns the step from one address to another that v is, whatever type it is taken for; nil: it is none.
func step(v ir.Value) *ir.Instr {
	for in, ok := v.(*ir.Instr); ok; in, ok = in.Args[0].(*ir.Instr) {
		switch in.Op {
		case ir.OpGep:
			return in
		case ir.OpBitcast:
		default:
			return nil
		}
	}
	return nil
}

// isMember reports whether v is an address inside of the structure that parameter k points to, or may be.
func (s *useScan) isMember(k int, v ir.Value) bool {
	var first *ir.Instr // what is computed from the parameter
	for in := step(v); in != nil; in = step(in.Args[0]) {
		first = in
	}
	return first != nil && len(first.Args) == 1 && first.Off >= 0 && (first.Off < s.structs[k] ||
		s.open[k] && first.Off == s.structs[k])
}

// inMember reports whether v is computed from a variable that holds the address of a member alone.
func (s *useScan) inMember(v ir.Value) bool {
	ld, ok := ir.Root(v).(*ir.Instr)
	return ok && ld.Op == ir.OpLoad && s.members[ld.Args[0]]
}

// isArray reports whether v is an address in an array of the structure that parameter k points to, one without a length
// at its end among them.
func (s *useScan) isArray(k int, v ir.Value) bool {
	in := step(v)
	for inner := in; in != nil; in = step(in.Args[0]) {
		if step(in.Args[0]) != nil {
			continue
		}
		return s.structs[k] > 0 && len(in.Args) == 1 && (in.Off < s.structs[k] ||
			(in != inner || s.open[k]) && in.Off == s.structs[k])
	}
	return false
}

// EndsOpen reports whether a structure ends in an array without a length.
func EndsOpen(t *ir.DType) bool {
	if len(t.Fields) == 0 {
		return false
	}
	last := &t.Fields[len(t.Fields)-1]
	return last.T != nil && last.T.Kind == ir.DArray && ir.SizeInC(last.T) == 0
}

// access notes that size bytes at address v are accessed.
func (s *useScan) access(v ir.Value, size int64, writes bool) {
	k, _ := s.from(v)
	if k < 0 {
		return
	}
	u := &s.uses[k]
	u.Reads, u.Writes = u.Reads || !writes, u.Writes || writes
	off, far := int64(0), int64(0)
	for in := step(v); in != nil; in = step(in.Args[0]) {
		off += in.Off
		if s.structs[k] > 0 && (step(in.Args[0]) != nil || s.inMember(in)) {
			continue // an index of an array in the structure
		}
		for i, index := range in.Args[1:] {
			u.Varies = true
			s.indexes(k, index)
			if most, bounded := s.most(index); bounded && in.Scales[i] >= 0 && !s.wentOn(v) {
				far += most * in.Scales[i]
			} else {
				u.Loose = true
			}
			slot, plus := variable(index)
			l, known := s.limitOf(slot)
			if !known || l.param == k {
				continue
			}
			if !l.strict {
				plus++
			}
			s.told(k, l, max(plus, 0), in.Scales[i] == 1)
		}
	}
	u.Far = max(u.Far, off+far+size)
	u.Need, u.Before = max(u.Need, off+size), u.Before || isBefore(v) && !(size == s.numbers[k] && s.wentOn(v))
}

// aligned notes that an access at address v asks for an alignment.
func (s *useScan) aligned(v ir.Value, align int64) {
	if k, _ := s.from(v); k >= 0 {
		s.uses[k].Align = max(s.uses[k].Align, align)
	}
}

// wentOn reports whether v is computed from a variable that the function may have moved on behind where its parameter
// leads: of `while (*p) p++; last = p[-1];` nothing says that there is something in front of the first character.
func (s *useScan) wentOn(v ir.Value) bool {
	ld, ok := ir.Root(v).(*ir.Instr)
	return ok && ld.Op == ir.OpLoad && slices.ContainsFunc(ir.StoresBefore(ld), func(in *ir.Instr) bool {
		k, plain := s.from(in.Args[0])
		return k >= 0 && !plain && step(in.Args[0]) != nil && !goesBack(step(in.Args[0]))
	})
}

// goesBack reports whether a step leads a constant number of bytes back.
func goesBack(in *ir.Instr) bool { return len(in.Args) == 1 && in.Off < 0 || isBefore(in) }

// isBefore reports whether v is at a fixed place in front of what it is computed from.
func isBefore(v ir.Value) bool {
	off := int64(0)
	for in := step(v); in != nil; in = step(in.Args[0]) {
		off += in.Off
		for i := 1; i < len(in.Args); i++ {
			n, constant := constantOf(in.Args[i])
			if !constant {
				return false
			}
			off += n * in.Scales[i-1]
		}
	}
	return off < 0
}

// constantOf returns a number that is the same in all executions: a constant, a variable that is one, their negation, sum
// and difference.
func constantOf(v ir.Value) (int64, bool) {
	switch v := v.(type) {
	case *ir.Const:
		if v.Kind == ir.ConstInt && v.Bits.Signed().IsInt64() {
			return v.Bits.Signed().Int64(), true
		}
	case *ir.Instr:
		switch v.Op {
		case ir.OpLoad:
			if k, ok := v.Args[0].(*ir.Const); ok && k.Kind == ir.ConstAddr && k.Global != nil && k.Global.Const && k.Off == 0 &&
				k.Global.Init != nil && k.Global.T == v.T {
				return constantOf(k.Global.Init)
			}
		case ir.OpZext, ir.OpSext, ir.OpTrunc, ir.OpFreeze:
			return constantOf(v.Args[0])
		case ir.OpAdd, ir.OpSub:
			a, isA := constantOf(v.Args[0])
			b, isB := constantOf(v.Args[1])
			if v.Op == ir.OpSub {
				b = -b
			}
			return a + b, isA && isB
		}
	}
	return 0, false
}

// says notes that a parameter bounds what is behind the pointer. The first one is kept.
func (u *Use) says(param int, plus int64, bytes bool) {
	if u.Param >= 0 && u.Param != param {
		return
	}
	u.Param, u.Plus, u.Bytes = param, max(u.Plus, plus), bytes
}

// call notes what a called function does with the parameters that it is given.
func (s *useScan) call(in *ir.Instr) {
	switch in.Model {
	case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemcmp:
		s.block(in.Args[0], in.Args[2], in.Model != ir.ModelMemcmp)
		s.block(in.Args[1], in.Args[2], false)
		return
	case ir.ModelMemset:
		s.block(in.Args[0], in.Args[2], true)
		return
	case ir.ModelSameObject, ir.ModelPtrOffset, ir.ModelPtrObject: // of the address alone
		return
	}
	g := ir.CalledFunc(in)
	if g == nil || g.IsDecl() {
		for i := range in.Args {
			if k := s.parameter(in, i); k >= 0 {
				s.uses[k].Handed = true
			}
		}
	}
	if g == nil || len(in.Args) < len(g.Params) {
		return
	}
	for _, i := range ReadText[g.Name] {
		if k := s.parameter(in, i); k >= 0 {
			s.uses[k].Text = true
		}
	}
	if g.IsDecl() {
		return
	}
	for j, u := range s.p.Of(g) {
		if n := s.number(in.Args[j]); n >= 0 {
			s.uses[n].Tested = s.uses[n].Tested || u.Tested
			s.uses[n].Compared = s.uses[n].Compared || u.Compared
		}
		s.metBy(in, j, &u)
		k, plain := s.from(in.Args[j])
		if k < 0 || !in.Args[j].Type().IsPtr() {
			continue
		}
		mine := &s.uses[k]
		mine.Reads, mine.Writes = mine.Reads || u.Reads, mine.Writes || u.Writes
		mine.Before = mine.Before || u.Before && plain
		mine.Text = mine.Text || u.Text && plain
		mine.Kept, mine.Handed = mine.Kept || u.Kept && plain, mine.Handed || u.Handed && plain
		if !s.isArray(k, in.Args[j]) && !s.inMember(in.Args[j]) {
			off, far, varies, bounded := s.span(in.Args[j])
			mine.Varies, mine.Loose = mine.Varies || u.Varies || varies && u.Far > 0, mine.Loose || u.Loose || !bounded
			mine.Far = max(mine.Far, off+far+u.Far)
			if !plain && u.Need > 0 {
				mine.Need = max(mine.Need, off+u.Need)
			}
		}
		if plain {
			mine.Need, mine.Far, mine.Align = max(mine.Need, u.Need), max(mine.Far, u.Far), max(mine.Align, u.Align)
			mine.Ends = mine.Ends || u.Ends
		}
		if u.Param >= 0 && plain {
			n := s.number(in.Args[u.Param])
			if g.Params[u.Param].T.IsPtr() {
				if n = s.parameter(in, u.Param); n >= 0 && !s.asCalled(in, n) {
					n = -1
				}
			}
			if n >= 0 {
				mine.says(n, u.Plus, u.Bytes)
			}
			mine.Elsewhere, mine.Loose = mine.Elsewhere || n < 0 || u.Elsewhere, mine.Loose || n < 0
		}
	}
}

// span returns how many bytes behind what a parameter leads to an address is that is computed from it: off for certain, and
// far more at most; varies: an index is no constant; bounded: the code bounds all of these.
func (s *useScan) span(v ir.Value) (off, far int64, varies, bounded bool) {
	bounded = !s.wentOn(v)
	for in, ok := v.(*ir.Instr); ok && (in.Op == ir.OpGep || in.Op == ir.OpBitcast || in.Op == ir.OpFreeze); in, ok = in.Args[0].(*ir.Instr) {
		if in.Op != ir.OpGep {
			continue
		}
		off += in.Off
		for i, index := range in.Args[1:] {
			most, known := s.most(index)
			if c, constant := constantOf(index); constant && c >= 0 {
				off += c * in.Scales[i]
				continue
			}
			varies = true
			if known && in.Scales[i] >= 0 {
				far += most * in.Scales[i]
			} else {
				bounded = false
			}
		}
	}
	return max(off, 0), far, varies, bounded && off >= 0
}

// parameter returns the parameter that argument i of a call is, -1 if it is none.
func (s *useScan) parameter(call *ir.Instr, i int) int {
	if i >= len(call.Args) || !call.Args[i].Type().IsPtr() {
		return -1
	}
	if k, plain := s.from(call.Args[i]); plain {
		return k
	}
	return -1
}

// block notes that n bytes at v are accessed.
func (s *useScan) block(v, n ir.Value, writes bool) {
	k, plain := s.from(v)
	if c, ok := n.(*ir.Const); ok && c.Kind == ir.ConstInt {
		size := c.Bits.Signed().Int64()
		if off, far, _, known := s.span(v); k >= 0 && off+far == 0 && known && !s.inMember(v) {
			s.uses[k].Block = max(s.uses[k].Block, size)
		}
		s.access(v, size, writes)
		return
	}
	if k < 0 {
		return
	}
	u := &s.uses[k]
	u.Writes = u.Writes || writes
	if !s.isArray(k, v) && !s.inMember(v) {
		u.Varies = true
		if most, bounded := s.most(n); bounded && plain {
			u.Far = max(u.Far, most)
		} else {
			u.Loose = true
		}
	}
	if p := s.number(n); p >= 0 && plain {
		u.says(p, 0, true)
	} else if slot, plus := variable(n); plain && plus == 0 {
		if l, known := s.limitOf(slot); known && l.param != k {
			s.told(k, l, 0, true)
		}
	}
}
