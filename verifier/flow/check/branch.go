package check

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// supposed adds what is so on the way from a block to another; false where control cannot go it.
func (w *walk) supposed(from, to *ir.Block, p *point) bool {
	t := from.Term()
	switch {
	case t.Op == ir.OpCondBr && t.Targets[0] != t.Targets[1]:
		return w.suppose(t.Args[0], t.Targets[0] == to, p)
	case t.Op == ir.OpSwitch && t.Targets[0] != to && isWord(t.Args[0].Type()):
		bits, some := t.Args[0].Type().Width, false
		var is words
		for i, c := range t.Cases {
			n, _ := c.Uint64()
			switch x := (words{n, 0}); {
			case t.Targets[i+1] != to:
			case some:
				is = is.join(x, bits)
			default:
				is, some = x, true
			}
		}
		return w.narrow(t.Args[0], is, p)
	}
	return true
}

// suppose adds that a condition holds, or that it does not.
func (w *walk) suppose(cond ir.Value, holds bool, p *point) bool {
	if k, ok := cond.(*ir.Const); ok && k.Kind == ir.ConstInt {
		return k.Bits.IsOne() == holds
	}
	c, ok := cond.(*ir.Instr)
	if !ok {
		return true
	}
	switch {
	case c.Op == ir.OpXor && ir.IsConst(c.Args[1], 1):
		return w.suppose(c.Args[0], !holds, p)
	case c.Op == ir.OpAnd && holds, c.Op == ir.OpOr && !holds:
		return w.suppose(c.Args[0], holds, p) && w.suppose(c.Args[1], holds, p)
	case c.Op != ir.OpIcmp || !isWord(c.Args[0].Type()):
		return true
	}
	a, b, bits := c.Args[0], c.Args[1], c.Args[0].Type().Width
	if truth, ok := a.(*ir.Instr); ok && truth.Op == ir.OpZext && truth.Args[0].Type().Width == 1 && ir.IsConst(b, 0) &&
		(c.Pred == ir.EQ || c.Pred == ir.NE) {
		return w.suppose(truth.Args[0], holds == (c.Pred == ir.NE), p)
	}
	pred := c.Pred
	if !holds {
		pred = pred.Negated()
	}
	x, ok := compared(pred, w.value(b, p), bits)
	y, ok2 := compared(pred.Swapped(), w.value(a, p), bits)
	return ok && ok2 && w.narrow(a, x, p) && w.narrow(b, y, p)
}

// narrow adds that a value is among some words; false where it cannot be.
func (w *walk) narrow(v ir.Value, to words, p *point) bool {
	for {
		bits := v.Type().Width
		is, ok := w.value(v, p).meet(to, bits)
		in, isInstr := v.(*ir.Instr)
		if _, isParam := v.(*ir.Param); !ok || !isInstr && !isParam {
			return ok
		}
		p.known[v] = is
		for key, r := range p.same {
			if r == v {
				held, _ := w.of(key, p)
				if p.known[key], ok = held.meet(is, bits); !ok {
					return false
				}
			}
		}
		if !isInstr {
			return true
		}
		if v, to, ok = inner(in, is); v == nil {
			return ok
		}
	}
}

// inner is the value that an instruction computes its own from, and what it may be where the result is among some words;
// nil where that says nothing of it, ok is false where there is none.
func inner(in *ir.Instr, is words) (v ir.Value, to words, ok bool) {
	bits := in.T.Width
	op, args := operation(in)
	switch op {
	case ir.OpZext:
		from := args[0].Type().Width
		is, ok = is.meet(words{0, mask(from)}, bits)
		low, high := is.unsigned(bits)
		if high > mask(from) { // in two parts
			low, high = 0, mask(from)
		}
		if !ok {
			return nil, to, false
		}
		return args[0], words{low, high - low}, true
	case ir.OpSext:
		from := args[0].Type().Width
		last := int64(mask(from) >> 1)
		low, high := is.signed(bits)
		if low, high = max(low, -last-1), min(high, last); low > high {
			return nil, to, false
		}
		return args[0], between(low, high, from), true
	case ir.OpAdd, ir.OpSub:
		c, constant := args[1].(*ir.Const)
		if !constant || c.Kind != ir.ConstInt {
			return nil, to, true
		}
		n, _ := c.Bits.Uint64()
		if op == ir.OpSub {
			n = -n
		}
		return args[0], words{(is.lo - n) & mask(bits), is.n}, true
	}
	return nil, to, true
}
