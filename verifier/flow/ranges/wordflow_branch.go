package ranges

import (
	"maps"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// along returns what is known of the variables on the way from the end of a block to another; ok is false where control
// cannot go it.
func (x *wordFlow) along(from, to *ir.Block, env map[cell]Interval) (out map[cell]Interval, ok bool) {
	out = maps.Clone(env)
	t := from.Term()
	if t.Op != ir.OpCondBr || t.Targets[0] == t.Targets[1] {
		return out, true
	}
	return out, x.suppose(from, t.Args[0], t.Targets[0] == to, out)
}

// suppose narrows what is known of the variables at the end of a block by a condition that holds there, or does not. It
// reports whether it can.
func (x *wordFlow) suppose(at *ir.Block, cond ir.Value, holds bool, env map[cell]Interval) bool {
	c, ok := cond.(*ir.Instr)
	if !ok {
		return true
	}
	switch {
	case c.Op == ir.OpXor && ir.IsConst(c.Args[1], 1):
		return x.suppose(at, c.Args[0], !holds, env)
	case c.Op != ir.OpIcmp || !c.Args[0].Type().IsInt() || c.Block != at:
		return true // of another block: its operands may change without a visit of this one
	}
	pred := c.Pred
	if wide, isInstr := c.Args[0].(*ir.Instr); isInstr && wide.Op == ir.OpZext && wide.Args[0].Type().Width == 1 &&
		ir.IsConst(c.Args[1], 0) && (pred == ir.EQ || pred == ir.NE) { // a truth value as a number
		return x.suppose(at, wide.Args[0], holds == (pred == ir.NE), env)
	}
	if !holds {
		pred = pred.Negated()
	}
	a, b := x.value(c.Args[0]), x.value(c.Args[1])
	w := c.Args[0].Type().Width
	return x.narrow(at, c.Args[0], compared(a, pred, b, w), env) &&
		x.narrow(at, c.Args[1], compared(b, pred.Swapped(), a, w), env)
}

// narrow notes that v is in r where a block ends, which a comparison in it has shown, and reports whether it can be.
func (x *wordFlow) narrow(at *ir.Block, v ir.Value, r Interval, env map[cell]Interval) bool {
	for range policy.ExpressionSteps {
		in, ok := v.(*ir.Instr)
		if r.empty() || !ok {
			return !r.empty()
		}
		w := v.Type().Width
		for _, c := range x.holders(at, in) {
			key, known := holds(env, c.cell)
			now := Full(w)
			if known {
				now = env[key]
			} else if c.memory {
				if m, ok := x.memory(x.first[c.cell]); ok {
					now = m
				}
			}
			if now = now.meet(r.plus(c.more, w)).tight(w); now.empty() {
				return false
			}
			env[key] = now
		}
		switch d, of := addend(in); {
		case in.Op == ir.OpZext || in.Op == ir.OpSext:
			r = converted(ir.OpTrunc, r, w, in.Args[0].Type().Width)
			v = in.Args[0]
		case of != nil:
			r, v = r.plus(-d, w), of
		default:
			return true
		}
	}
	return true
}

// addend returns the constant that an instruction adds, or takes away, and what to; nil where it does something else.
func addend(in *ir.Instr) (d int64, of ir.Value) {
	op, args := in.Op, in.Args
	if call, ok := firstOf(in); ok {
		op, args = overflowing[call.Model], call.Args
	}
	if op != ir.OpAdd && op != ir.OpSub || in.T.Width > 60 {
		return 0, nil
	}
	c, ok := args[1].(*ir.Const)
	if !ok || c.Kind != ir.ConstInt {
		return 0, nil
	}
	if d = c.Bits.Signed().Int64(); op == ir.OpSub {
		d = -d
	}
	return d, args[0]
}

// firstOf returns the call of an operation that tells of its overflow, whose result in is.
func firstOf(in *ir.Instr) (*ir.Instr, bool) {
	if in.Op != ir.OpExtractValue || in.Indices[0] != 0 {
		return nil, false
	}
	call, ok := in.Args[0].(*ir.Instr)
	if ok = ok && call.Op == ir.OpCall; ok {
		_, ok = overflowing[call.Model]
	}
	return call, ok
}
