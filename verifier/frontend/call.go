package frontend

import (
	"slices"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/firmproof/firmproof/verifier/frontend/dialect"
	"github.com/firmproof/firmproof/verifier/ir"
)

// site is a call or an invoke.
type site struct {
	v      value.Named
	callee value.Value
	args   []value.Value
	ty     *ir.Type
	attrs  []llir.FuncAttribute
}

// call translates a call; ended says that it never comes back because it stands for a failed check.
func (x *fn) call(s *site) (ended bool) {
	name := ""
	if f, ok := s.callee.(*llir.Func); ok {
		name = f.Name()
	}
	if strings.HasPrefix(name, "llvm.dbg.") {
		x.debugCall(name, s.args)
		return false
	}
	if rest, ok := strings.CutPrefix(name, dialect.UnmodelledPrefix); ok {
		_, what, _ := strings.Cut(rest, "|")
		x.unsupported(s.v, s.ty, what)
		return false
	}
	if x.trap(name, s) {
		return true
	}
	if name == "llvm.experimental.noalias.scope.decl" || name == "llvm.pseudoprobe" {
		return false
	}
	if a, ok := s.callee.(*llir.InlineAsm); ok {
		x.asm(s, a)
		return false
	}
	if what := unmodelled(name, s.args); what != "" {
		x.unsupported(s.v, s.ty, what)
		return false
	}
	for _, a := range s.args {
		if _, meta := a.(*metadata.Value); meta {
			x.unsupported(s.v, s.ty, "call of "+name+" with metadata")
			return false
		}
	}
	x.plainCall(s)
	return false
}

// unmodelled returns what a call of firmproof_unmodelled says is not followed, "" for other calls: the models of the
// C library have such calls where they end.
func unmodelled(name string, args []value.Value) string {
	if name != "firmproof_unmodelled" || len(args) != 1 {
		return ""
	}
	v := args[0]
	if a, ok := v.(*llir.Arg); ok {
		v = a.Value
	}
	if gep, ok := v.(*constant.ExprGetElementPtr); ok {
		v = gep.Src
	}
	if g, ok := v.(*llir.Global); ok {
		if text, ok := g.Init.(*constant.CharArray); ok {
			return strings.TrimRight(string(text.X), "\x00")
		}
	}
	return "what " + name + " stands for"
}

func (x *fn) plainCall(s *site) {
	callee := x.operand(s.callee)
	if a, ok := s.callee.(*llir.Alias); ok {
		if f := x.replaceable(a); f != nil {
			callee = &ir.Const{T: x.ptr, Kind: ir.ConstAddr, Func: f}
		}
	}
	model, what := ir.ModelNone, ""
	if k, ok := callee.(*ir.Const); ok && k.Kind == ir.ConstAddr && k.Func != nil && k.Off == 0 {
		model = k.Func.Model
		if model == ir.ModelLLVM {
			what = "intrinsic " + k.Func.Name
		}
	}
	if k, ok := callee.(*ir.Const); ok && k.Kind == ir.ConstAddr && k.Func != nil && k.Off == 0 && k.Func.IsDecl() &&
		s.ty.Kind == ir.KindFloat && x.pureMath(k.Func.Name) != "" {
		x.mathResult(s, x.pureMath(k.Func.Name))
		return
	}
	if x.masked(s, callee) {
		return
	}
	filled := toScalar
	if model == ir.ModelMemset {
		if filled = x.fills(s); filled == toNothing {
			return
		}
	}
	if model == ir.ModelMulAdd && len(s.args) == 3 && !x.fuses(s.ty) && notFollowed(ir.OpFmul, s.ty, s.ty) == "" {
		product := x.emit(&ir.Instr{Op: ir.OpFmul, T: s.ty, Args: x.operands(s.args[0], s.args[1])})
		x.define(s.v, ir.Instr{Op: ir.OpFadd, T: s.ty, Args: []ir.Value{product, x.operand(s.args[2])}})
		return
	}
	i := ir.Instr{Op: ir.OpCall, T: s.ty, Callee: callee, Model: model, Sig: x.signature(s)}
	if p, ok := s.callee.Type().(*types.PointerType); ok && model == ir.ModelNone {
		if as := x.foreign(p); as != "" {
			what = "call through " + as
		}
	}
	for _, a := range s.args {
		if o := odd(x.typ(a.Type())); o != "" && what == "" && model != ir.ModelPrintf && model != ir.ModelNop &&
			model != ir.ModelNondet {
			what = "call with " + o
		}
	}
	if o := odd(s.ty); o != "" {
		what = "call returning " + o
	}
	if what != "" {
		x.unsupported(s.v, s.ty, what)
		return
	}
	if i.Sig.Variadic && model == ir.ModelNone && byValueExtra(s.args, len(i.Sig.Fields)) {
		x.unsupported(s.v, s.ty, "structure passed by value as a variable argument")
		return
	}
	i.Args = x.operands(s.args...)
	x.countOfZero(s, &i)
	x.byValue(s.args, i.Args)
	var parts []span
	if model == ir.ModelMemcpy || model == ir.ModelMemmove {
		parts = x.markCopy(&i)
	}
	call := &i
	if s.ty.IsVoid() {
		x.emit(call)
	} else {
		call = x.define(s.v, i)
		x.setsErrno(call)
	}
	if len(parts) > 0 {
		x.copyParts(i.Args[0], i.Args[1], parts)
	}
	if model == ir.ModelMemcpy {
		x.afterCopy(&i)
	}
	if filled == toEither {
		x.choose(call, zeroPadding)
	}
	x.looksAtBytes(call)
}

func hasByval(arg *llir.Arg) bool {
	return slices.ContainsFunc(arg.Attrs, func(a llir.ParamAttribute) bool {
		_, byval := a.(llir.Byval)
		return byval
	})
}

// byValType is the type of what a argument with the attribute byval points to, or nil.
func (x *fn) byValType(a value.Value) *ir.Type {
	if arg, ok := a.(*llir.Arg); ok {
		for _, at := range arg.Attrs {
			if b, byval := at.(llir.Byval); byval {
				return x.pointee(b.Typ, arg.Type())
			}
		}
	}
	return nil
}

// elementType is the type of what an argument of assembly points to.
func (x *fn) elementType(a value.Value) *ir.Type {
	if arg, ok := a.(*llir.Arg); ok {
		for _, at := range arg.Attrs {
			if e, ok := at.(llir.ElementType); ok {
				return x.pointee(e.Typ, arg.Type())
			}
		}
	}
	return x.pointee(nil, a.Type())
}

// byValueExtra reports a byval attribute behind the first n arguments.
func byValueExtra(args []value.Value, n int) bool {
	for _, a := range args[min(n, len(args)):] {
		if arg, ok := a.(*llir.Arg); ok && hasByval(arg) {
			return true
		}
	}
	return false
}

// signature is the function type at the call.
func (x *fn) signature(s *site) *ir.Type {
	if p, ok := s.callee.Type().(*types.PointerType); ok {
		if f, ok := p.ElemType.(*types.FuncType); ok {
			return x.typ(f)
		}
	}
	sig := &ir.Type{Kind: ir.KindFunc, Ret: s.ty}
	for _, a := range s.args {
		sig.Fields = append(sig.Fields, x.typ(a.Type()))
	}
	return sig
}

func (x *fn) asm(s *site, a *llir.InlineAsm) {
	if what := odd(s.ty); what != "" {
		x.unsupported(s.v, s.ty, "inline assembly with "+what)
		return
	}
	if x.unchanged(s, a.Asm, a.Constraint) || x.programRead(s, a.Asm, a.Constraint) {
		return
	}
	constraints, stores := indirectOutputs(a.Constraint)
	i := ir.Instr{Op: ir.OpAsm, T: s.ty, Args: x.operands(s.args...), What: a.Asm,
		Asm: &ir.Asm{Template: a.Asm, Constraints: constraints, SideEffect: a.SideEffect}}
	if s.ty.IsVoid() {
		x.emit(&i)
	} else {
		x.define(s.v, i)
	}
	for _, n := range stores {
		p := x.elementType(s.args[n])
		if what := odd(p) + x.foreign(s.args[n].Type()); what != "" {
			x.unsupported(nil, x.void, "inline assembly that writes "+what)
			return
		}
		v := x.emit(&ir.Instr{Op: ir.OpAsm, T: p, What: a.Asm, Asm: &ir.Asm{Template: a.Asm, SideEffect: a.SideEffect}})
		x.emit(&ir.Instr{Op: ir.OpStore, Access: p, Align: 1, Args: []ir.Value{v, i.Args[n]}})
	}
}

// indirectOutputs takes the outputs that go through a pointer out of a list of
// constraints (LangRef: Indirect inputs and outputs), and gives the numbers of their arguments.
func indirectOutputs(constraints string) (rest string, args []int) {
	keep := strings.Split(constraints, ",")
	for i, m := range readConstraints(constraints).indirect {
		keep = slices.Delete(keep, m.number-i, m.number-i+1)
		args = append(args, m.arg)
	}
	return strings.Join(keep, ","), args
}

// debugCall notes the variable of an llvm.dbg.declare; the other debug
// intrinsics carry nothing that the engines need.
func (x *fn) debugCall(name string, args []value.Value) {
	if name != "llvm.dbg.declare" || len(args) < 3 {
		return
	}
	slot, ok1 := args[0].(*metadata.Value)
	desc, ok2 := args[1].(*metadata.Value)
	expr, ok3 := args[2].(*metadata.Value)
	if !ok1 || !ok2 || !ok3 {
		return
	}
	v, ok := desc.Value.(*metadata.DILocalVariable)
	if !ok {
		return
	}
	e, ok := expr.Value.(*metadata.DIExpression)
	if !ok || len(e.Fields) > 1 {
		return
	}
	sv, ok := slot.Value.(value.Value)
	if !ok {
		return
	}
	if len(e.Fields) == 1 { // newer versions keep the address of a parameter's copy in a local
		sv = x.kept(sv)
		if sv == nil || v.Arg == 0 || e.Fields[0] != metadata.DIExpressionField(enum.DwarfOpDeref) {
			return
		}
	}
	if _, isConst := sv.(constant.Constant); isConst {
		return
	}
	where, ok := x.values[sv]
	if !ok {
		return
	}
	x.home[where] = v.Scope
	x.homes[where] = append(x.homes[where], v.Scope)
	x.out.Vars = append(x.out.Vars, &ir.Var{Name: v.Name, T: x.dbg.typ(v.Type), Slot: where, Param: v.Arg > 0,
		Pos: x.dbg.varPos(v, x.out.CName)})
}

// kept returns the parameter that the entry block keeps in a local, nil if that is none.
func (x *fn) kept(local value.Value) value.Value {
	for _, in := range x.src.Blocks[0].Insts {
		if st, ok := in.(*llir.InstStore); ok && st.Dst == local {
			if p, ok := st.Src.(*llir.Param); ok {
				return p
			}
			return nil
		}
	}
	return nil
}
