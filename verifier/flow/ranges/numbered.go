package ranges

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// numbers notes the structures of which the program makes the address of a member, or its own, a number, where it makes
// numbers that are not constant addresses too: it may come to any other member. Differences, and comparisons of
// addresses and of their last bits, are none.
func (s *Table) numbers(m *ir.Module) {
	x := &walks{s: s, moved: map[any]bool{}, again: true}
	back, users := false, map[ir.Value][]*ir.Instr{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				_, constant := ir.ConstantAddress(in)
				back = back || in.Op == ir.OpIntToPtr && !constant
				for _, a := range in.Args {
					if n, ok := a.(*ir.Instr); ok && n.T.IsInt() {
						users[n] = append(users[n], in)
					}
				}
			}
		}
	}
	if !back {
		return
	}
	for x.again {
		x.again = false
		x.each(m, func(f *ir.Func, _ map[ir.Value]*ir.Var, in *ir.Instr, i int) {
			if n := holderOf(in.Args[i]); n != nil && !x.moved[n] && x.numbered(f, in, i, users) {
				x.moved[n], x.again = true, true
			}
		})
	}
	x.each(m, func(f *ir.Func, vars map[ir.Value]*ir.Var, in *ir.Instr, i int) {
		if x.numbered(f, in, i, users) {
			for _, o := range places.ObjectsAt(vars, in.Args[i]) {
				s.other(places.Element(o.T), 0)
			}
		}
	})
}

// holderOf returns the variable, parameter or function that v is computed from the pointer of; nil: it is another's.
func holderOf(v ir.Value) any {
	return pointerNode(ir.Root(v))
}

// numbered reports whether argument i of an instruction of f, a pointer, becomes a number there, or does later.
func (x *walks) numbered(f *ir.Func, in *ir.Instr, i int, users map[ir.Value][]*ir.Instr) bool {
	switch in.Op {
	case ir.OpPtrToInt:
		return staysNumber(in, users, policy.FlowChoices)
	case ir.OpRet:
		return x.moved[f]
	case ir.OpStore:
		to, ok := in.Args[1].(*ir.Instr)
		return i == 0 && ok && to.Op == ir.OpAlloca && x.moved[to]
	case ir.OpCall:
		g := ir.CalledFunc(in)
		return g != nil && i < len(g.Params) && x.moved[g.Params[i]]
	}
	return false
}

// staysNumber reports whether a number that an address became is used for more than a difference or a comparison.
func staysNumber(n *ir.Instr, users map[ir.Value][]*ir.Instr, steps int) bool {
	if steps == 0 {
		return true
	}
	for _, u := range users[n] {
		switch {
		case u.Op == ir.OpIcmp, u.Op == ir.OpSub && u.Flags.Has(ir.PtrDiff):
		case (u.Op == ir.OpAnd || u.Op == ir.OpUrem || u.Op == ir.OpTrunc) && !staysNumber(u, users, steps-1):
		default:
			return true
		}
	}
	return false
}
