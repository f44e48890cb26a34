package frontend

import (
	"fmt"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/ir"
)

// term translates a terminator.
func (x *fn) term(in llir.Terminator) {
	switch in := in.(type) {
	case *llir.TermRet:
		i := &ir.Instr{Op: ir.OpRet}
		if in.X != nil {
			i.Args = x.operands(in.X)
		}
		x.emit(i)
	case *llir.TermBr:
		x.emit(&ir.Instr{Op: ir.OpBr, Targets: x.targets(in.Target)})
	case *llir.TermCondBr:
		x.emit(&ir.Instr{Op: ir.OpCondBr, Args: x.operands(in.Cond), Targets: x.targets(in.TargetTrue, in.TargetFalse)})
	case *llir.TermSwitch:
		x.switchTerm(in)
	case *llir.TermIndirectBr:
		x.emit(&ir.Instr{Op: ir.OpIndirectBr, Args: x.operands(in.Addr), Targets: x.targets(in.ValidTargets...)})
	case *llir.TermUnreachable:
		x.emit(&ir.Instr{Op: ir.OpUnreachable})
	case *llir.TermInvoke:
		// Without exceptions an invoke is a call followed by a branch (LangRef:
		// invoke); what throws is a call without model.
		ended := x.call(&site{v: in, callee: in.Invokee, args: in.Args, ty: x.typ(in.Type()), attrs: in.FuncAttrs})
		if ended {
			x.emit(&ir.Instr{Op: ir.OpUnreachable})
		} else {
			x.emit(&ir.Instr{Op: ir.OpBr, Targets: x.targets(in.NormalRetTarget)})
		}
	default:
		x.unfollowed(in)
	}
}

// unfollowed is a terminator that is not modelled. Its successors stay: what is behind them may be executed.
func (x *fn) unfollowed(in llir.Terminator) {
	what := goName(fmt.Sprintf("%T", in), "Term")
	if v, ok := in.(value.Named); ok {
		x.unsupported(v, x.typ(v.Type()), what)
	} else {
		x.unsupported(nil, x.void, what)
	}
	i := &ir.Instr{Op: ir.OpSwitch, Args: []ir.Value{x.intConst(32, 0)}}
	for n, b := range in.Succs() {
		if i.Targets = append(i.Targets, x.blocks[b]); n > 0 {
			i.Cases = append(i.Cases, x.intConst(32, int64(n)).Bits)
		}
	}
	if len(i.Targets) == 0 {
		i = &ir.Instr{Op: ir.OpUnreachable}
	}
	x.emit(i)
}

func (x *fn) targets(vs ...value.Value) []*ir.Block {
	var out []*ir.Block
	for _, v := range vs {
		out = append(out, x.blocks[v.(*llir.Block)])
	}
	return out
}

func (x *fn) switchTerm(in *llir.TermSwitch) {
	i := &ir.Instr{Op: ir.OpSwitch, Args: x.operands(in.X), Targets: x.targets(in.TargetDefault)}
	for _, c := range in.Cases {
		k, ok := x.operand(c.X).(*ir.Const)
		if !ok || k.Kind != ir.ConstInt {
			x.unsupported(nil, x.void, "switch case that is no literal")
			x.emit(&ir.Instr{Op: ir.OpUnreachable})
			return
		}
		i.Cases = append(i.Cases, k.Bits)
		i.Targets = append(i.Targets, x.targets(c.Target)...)
	}
	x.emit(i)
}
