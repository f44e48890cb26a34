package stub

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Convert gives the calls of functions through a wrong declaration (mostly none:
// then C takes int) the meaning that CBMC gives them: arguments and result are
// converted between the call's types and the definition's. Only what is clear
// without the C type at the call is converted: narrowing, a result that nobody
// uses, arguments that nobody takes, and widening of a result by its declared sign. It changes m and gives one
// assumption for each function.
func Convert(m *ir.Module) []string {
	var notes []string
	seen := map[*ir.Func]bool{}
	for _, f := range m.Funcs {
		changed := false
		for _, b := range f.Blocks {
			for k := 0; k < len(b.Instrs); k++ {
				in := b.Instrs[k]
				to := calledThroughWrongType(in)
				if to == nil {
					continue
				}
				before, after, ok := conversions(f, in, to)
				if !ok {
					continue
				}
				rest := append(append(before, in), after...)
				b.Instrs = append(b.Instrs[:k:k], append(rest, b.Instrs[k+1:]...)...)
				k += len(before) + len(after)
				changed = true
				if !seen[to] {
					seen[to] = true
					notes = append(notes,
						fmt.Sprintf("%s is called through another declaration than its own: values are converted",
							to.Name))
				}
			}
		}
		if changed {
			ir.Number(f)
		}
	}
	return notes
}

// calledThroughWrongType is the function that in calls directly with enough
// arguments but other types, or nil.
func calledThroughWrongType(in *ir.Instr) *ir.Func {
	k, ok := in.Callee.(*ir.Const)
	if in.Op != ir.OpCall || in.Model != ir.ModelNone || !ok || k.Kind != ir.ConstAddr || k.Off != 0 || k.Func == nil {
		return nil
	}
	f := k.Func
	if f.Variadic || len(in.Args) < len(f.Params) {
		return nil
	}
	same := in.T.Equal(f.Ret) && len(in.Args) == len(f.Params)
	for i, p := range f.Params {
		if p.ByVal != nil || p.SRet {
			return nil
		}
		same = same && p.T.Equal(in.Args[i].Type())
	}
	if same {
		return nil
	}
	return f
}

// conversions rewrites the call in of to; the instructions go in front of it and behind it.
func conversions(f *ir.Func, in *ir.Instr, to *ir.Func) (before, after []*ir.Instr, ok bool) {
	args := append([]ir.Value(nil), in.Args[:len(to.Params)]...) // more than there are parameters are dropped
	for i, p := range to.Params {
		a := args[i]
		switch {
		case p.T.Equal(a.Type()):
		case p.T.IsInt() && a.Type().IsInt() && p.T.Width < a.Type().Width:
			c := &ir.Instr{Op: ir.OpTrunc, T: p.T, Args: []ir.Value{a}, Block: in.Block, Pos: in.Pos}
			before, args[i] = append(before, c), c
		default:
			return nil, nil, false
		}
	}
	uses := usesOf(f, in)
	if !in.T.Equal(to.Ret) && len(uses) > 0 {
		op, fits := resultConversion(in.T, to)
		if !fits {
			return nil, nil, false
		}
		c := &ir.Instr{Op: op, T: in.T, Args: []ir.Value{in}, Block: in.Block, Pos: in.Pos}
		for _, u := range uses {
			*u = c
		}
		after = append(after, c)
	}
	in.Args, in.T, in.Sig = args, to.Ret, to.Sig()
	return before, after, true
}

// resultConversion converts the result of to into type t.
func resultConversion(t *ir.Type, to *ir.Func) (ir.Op, bool) {
	if !t.IsInt() || !to.Ret.IsInt() {
		return 0, false
	}
	if t.Width < to.Ret.Width {
		return ir.OpTrunc, true
	}
	if to.DRet == nil {
		return 0, false
	}
	if to.DRet.Signed {
		return ir.OpSext, true
	}
	return ir.OpZext, true
}

// usesOf lists the operands of f that are v.
func usesOf(f *ir.Func, v *ir.Instr) []*ir.Value {
	var out []*ir.Value
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i := range in.Args {
				if in.Args[i] == ir.Value(v) {
					out = append(out, &in.Args[i])
				}
			}
			if in.Callee == ir.Value(v) {
				out = append(out, &in.Callee)
			}
		}
	}
	return out
}
