package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// guards reads from the branches of a function between which numbers its parameters are.
type guards struct {
	f    *ir.Func
	vars map[ir.Value]*ir.Var
	over []*ir.Block // nearest dominators; nil until they are asked for
}

// stored returns the least and the greatest number that a store can write: a constant, what a mask or a remainder
// leaves, or a parameter that control comes here with only where comparisons with constants hold.
func (g *guards) stored(in *ir.Instr) (low, high int64, guarded, known bool) {
	if c, ok := in.Args[0].(*ir.Const); ok && c.Kind == ir.ConstInt {
		n := c.Bits.Signed().Int64()
		return n, n, false, true
	}
	if low, high, ok := remainder(in.Args[0]); ok {
		return low, high, true, true
	}
	slot, plus := variable(in.Args[0])
	if slot == nil || plus != 0 || !g.spilled(slot) {
		return 0, 0, false, false
	}
	low, high = g.rangeAt(in.Block, slot, 0)
	return low, high, true, low > -most || high < most
}

// rangeAt returns between which numbers a parameter is where control comes to b: by each branch that every way to b
// takes.
func (g *guards) rangeAt(b *ir.Block, slot ir.Value, depth int) (low, high int64) {
	if g.over == nil {
		g.over = g.f.Dominators()
	}
	low, high = -most, most
	for ; b != nil; b = g.over[b.Index] {
		if len(b.Preds) == 1 {
			g.bound(b.Preds[0], b, slot, depth, &low, &high)
		}
	}
	return low, high
}

// spilled reports whether a variable is a number that is passed, which nothing changes.
func (g *guards) spilled(slot ir.Value) bool {
	v := g.vars[slot]
	if v == nil || !v.Param || !isNumber(v.T) {
		return false
	}
	n := 0
	for _, b := range g.f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case !slices.Contains(in.Args, slot) || in.Op == ir.OpLoad:
			case in.Op != ir.OpStore || in.Args[0] == slot:
				return false
			default:
				if _, ok := in.Args[0].(*ir.Param); !ok {
					return false
				}
				n++
			}
		}
	}
	return n == 1
}

// read returns the variable that v is the number in, nil where v may be another number: by a conversion that cuts it
// or takes it for one with another sign.
func (g *guards) read(v ir.Value) ir.Value {
	var wider ir.Op
	in, ok := v.(*ir.Instr)
	if ok && (in.Op == ir.OpZext || in.Op == ir.OpSext) {
		wider = in.Op
		in, ok = in.Args[0].(*ir.Instr)
	}
	if !ok || in.Op != ir.OpLoad || !g.spilled(in.Args[0]) {
		return nil
	}
	if signed := g.vars[in.Args[0]].T.Signed; wider == ir.OpZext && signed || wider == ir.OpSext && !signed {
		return nil
	}
	return in.Args[0]
}

// bound narrows the range of a variable by the branch that leads from a block to another.
func (g *guards) bound(from, to *ir.Block, slot ir.Value, depth int, low, high *int64) {
	t := from.Term()
	if t.Op != ir.OpCondBr || t.Targets[0] == t.Targets[1] {
		return
	}
	cmp, ok := t.Args[0].(*ir.Instr)
	if !ok || cmp.Op != ir.OpIcmp || g.read(cmp.Args[0]) != slot {
		return
	}
	if !g.vars[slot].T.Signed {
		*low = max(*low, 0)
	}
	pred := cmp.Pred
	if t.Targets[0] != to {
		pred = negated[pred]
	}
	unsigned := pred == ir.ULT || pred == ir.ULE || pred == ir.UGT || pred == ir.UGE
	number, isInstr := cmp.Args[0].(*ir.Instr)
	wider := isInstr && number.Op != ir.OpLoad
	if unsigned == g.vars[slot].T.Signed && !(wider && !unsigned) {
		return // the comparison takes it for a number with another sign
	}
	least, greatest := g.compared(from, cmp.Args[1], unsigned, depth)
	switch pred {
	case ir.SLT, ir.ULT:
		*high = min(*high, greatest-1)
	case ir.SLE, ir.ULE:
		*high = min(*high, greatest)
	case ir.SGT, ir.UGT:
		*low = max(*low, least+1)
	case ir.SGE, ir.UGE:
		*low = max(*low, least)
	case ir.EQ:
		*low, *high = max(*low, least), min(*high, greatest)
	}
}

// compared returns between which numbers v is, which a parameter is compared with: a constant, or another parameter.
func (g *guards) compared(at *ir.Block, v ir.Value, unsigned bool, depth int) (least, greatest int64) {
	if c, ok := v.(*ir.Const); ok && c.Kind == ir.ConstInt {
		n := c.Bits.Signed().Int64()
		if n < 0 && unsigned {
			return -most, most
		}
		return n, n
	}
	if slot := g.read(v); slot != nil && depth == 0 {
		return g.rangeAt(at, slot, depth+1)
	}
	return -most, most
}

// negated holds by a comparison of integers the one that holds where it does not.
var negated = map[ir.Pred]ir.Pred{ir.EQ: ir.NE, ir.NE: ir.EQ, ir.ULT: ir.UGE, ir.UGE: ir.ULT, ir.ULE: ir.UGT,
	ir.UGT: ir.ULE, ir.SLT: ir.SGE, ir.SGE: ir.SLT, ir.SLE: ir.SGT, ir.SGT: ir.SLE}
