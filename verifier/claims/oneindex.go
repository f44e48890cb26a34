package claims

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// JoinIndexes makes one finding of an index that the compiler's check refuses and of the access with it: in `a[k]++`
// the check lets the index of the end pass, whose access fails by itself.
func JoinIndexes(a *problem.Answers, res *verdict.Result) {
	found := ViolationsOf(a)
	checked := map[ir.Value]*problem.Settled{} // by the index
	for _, c := range res.Claims {
		if v := found[c.ID]; v != nil && c.Status == verdict.Violated && c.Check == verdict.Memory {
			if index := checkedIndex(v.At.Instr); index != nil {
				checked[index] = v
			}
		}
	}
	for i := range res.Claims {
		c := &res.Claims[i]
		v := found[c.ID]
		if v == nil || c.Status != verdict.Violated || c.Check != verdict.Memory {
			continue
		}
		if before := checked[accessIndex(v.At.Instr)]; before != nil && before.ID != c.ID {
			*c = behindViolation(*c, before)
			c.Reason.Detail = fmt.Sprintf("the index is that of %s in line %d, which is past the end, too", before.ID,
				before.Pos.Line)
		}
	}
}

// checkedIndex returns the index that a trap of the compiler is about, nil if in is none.
func checkedIndex(in *ir.Instr) ir.Value {
	if in.Op != ir.OpTrap || len(in.Block.Preds) != 1 {
		return nil
	}
	branch := in.Block.Preds[0].Term()
	if branch.Op != ir.OpCondBr {
		return nil
	}
	cond, ok := branch.Args[0].(*ir.Instr)
	if !ok || cond.Op != ir.OpIcmp {
		return nil
	}
	return narrow(cond.Args[0])
}

// accessIndex returns the last index of the address that in loads from or stores to, nil if there is none.
func accessIndex(in *ir.Instr) ir.Value {
	var addr ir.Value
	switch in.Op {
	case ir.OpLoad:
		addr = in.Args[0]
	case ir.OpStore:
		addr = in.Args[1]
	default:
		return nil
	}
	gep, ok := addr.(*ir.Instr)
	if !ok || gep.Op != ir.OpGep || len(gep.Args) < 2 {
		return nil
	}
	return narrow(gep.Args[len(gep.Args)-1])
}

// narrow returns what v was before it was extended; nil for a constant.
func narrow(v ir.Value) ir.Value {
	in, ok := v.(*ir.Instr)
	for ok && (in.Op == ir.OpZext || in.Op == ir.OpSext) {
		v = in.Args[0]
		in, ok = v.(*ir.Instr)
	}
	if !ok {
		return nil
	}
	return v
}
