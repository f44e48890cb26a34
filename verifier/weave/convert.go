package weave

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Convert gives the calls of functions through a wrong declaration (mostly none:
// then C takes int) the meaning that CBMC gives them: arguments and result are
// converted between the call's types and the definition's. Only what is clear
// without the C type at the call is converted: narrowing, a result that nobody
// uses, arguments that nobody takes, and widening of a result by its declared sign. It changes m and gives one
// assumption for each function.
func Convert(m *ir.Module) []verdict.Assumption {
	var notes []verdict.Assumption
	seen := map[*ir.Func]bool{}
	for _, f := range m.Funcs {
		b := &irbuild.Builder{Module: m}
		for _, blk := range f.Blocks {
			b.Rewrite(blk, func(in *ir.Instr) {
				to := calledThroughWrongType(in)
				if to == nil || !convert(b, f, in, to) {
					b.Keep(in)
				} else if !seen[to] {
					seen[to] = true
					notes = append(notes, verdict.Assume(to.CName, verdict.Meaning, verdict.Declared,
						fmt.Sprintf("%s is called through another declaration than its own: values are converted",
							to.Name)))
				}
			})
		}
		ir.Number(f)
	}
	return notes
}

// calledThroughWrongType is the function that in calls directly with enough
// arguments but other types, or nil.
func calledThroughWrongType(in *ir.Instr) *ir.Func {
	f := ir.CalledFunc(in)
	if f == nil || in.Model != ir.ModelNone || f.Variadic || len(in.Args) < len(f.Params) {
		return nil
	}
	same := in.T.Equal(f.Ret) && len(in.Args) == len(f.Params)
	for i, p := range f.Params {
		if p.ByVal != nil || p.SRet != nil {
			return nil
		}
		same = same && p.T.Equal(in.Args[i].Type())
	}
	if same {
		return nil
	}
	return f
}

// convert makes the call in of f one of to, between conversions; false if one of them
// is not clear, and then nothing is changed.
func convert(b *irbuild.Builder, f *ir.Func, in *ir.Instr, to *ir.Func) bool {
	for i, p := range to.Params {
		if a := in.Args[i].Type(); !p.T.Equal(a) && !(p.T.IsInt() && a.IsInt() && p.T.Width < a.Width) {
			return false
		}
	}
	uses := usesOf(f, in)
	t, convertResult := in.T, !in.T.Equal(to.Ret) && len(uses) > 0
	op, clear := resultConversion(t, to)
	if convertResult && !clear {
		return false
	}
	args := make([]ir.Value, len(to.Params)) // more than there are parameters are dropped
	for i, p := range to.Params {
		if args[i] = in.Args[i]; !p.T.Equal(args[i].Type()) {
			args[i] = b.Resize(args[i], p.T)
		}
	}
	in.Args, in.T, in.Sig = args, to.Ret, to.Sig()
	b.Keep(in)
	if convertResult {
		c := b.Emit(&ir.Instr{Op: op, T: t, Args: []ir.Value{in}})
		for _, u := range uses {
			*u = c
		}
	}
	return true
}

// resultConversion is the instruction that converts the result of to into type t.
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
