package weave

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// outsideName is the name of the function that Outside makes.
const outsideName = "firmproof.outside"

// Outside is a program in which functions without a body may do whatever code that is not known may do in a program
// of one thread (docs/SEMANTICS.md): what is proved of it holds of the program that it was made of.
type Outside struct {
	Module *ir.Module
	Entry  *ir.Func
	Funcs  []string                // without a body
	Same   map[*ir.Instr]*ir.Instr // instructions of the program that it was made of, by those of Module
}

// OutsideOf makes such a program of m, nil where it cannot. A call of a function without a body gives any result and
// any value to all variables that live as long as the program. Before the program, or rather in its place,
// each function but entry and main may be called, with any arguments and with any values in those variables: whenever
// they are called back, that is how. What is read through a pointer, or of a local whose address the program
// keeps, is what the program wrote or any value, since such functions may have kept the address. What would need more
// is not modelled: blocks of the heap, and what the engines do themselves through such pointers.
func OutsideOf(m *ir.Module, entry, main *ir.Func) *Outside {
	if slices.ContainsFunc(m.Funcs, bindsOutside) || slices.ContainsFunc(m.Globals, isUnsized) {
		return nil
	}
	with, same := ir.Copy(m)
	if with == nil {
		return nil
	}
	o := &outside{Builder: &irbuild.Builder{Module: with}}
	o.funcs = append(o.funcs, Bodiless(with)...)
	var inside []*ir.Func
	for _, f := range with.Funcs {
		if !f.IsDecl() {
			o.opens(f)
			if f.Name != entry.Name && f.Name != main.Name && !f.Made {
				inside = append(inside, f)
			}
		}
	}
	ends := ir.Endless(with)
	out := &Outside{Module: with, Same: same}
	for _, f := range o.funcs {
		out.Funcs = append(out.Funcs, f.Name)
		if ends[f] {
			f.Model = ir.ModelTrapI
			retarget(with, map[*ir.Func]bool{f: true})
		} else {
			o.anything(f)
		}
	}
	out.Entry = o.start(with.Func(entry.Name), inside)
	return out
}

// bindsOutside reports functions of programs in which code that is not known may do more than Outside lets it: one
// that it may run beside others or later, since its address is taken; handlers; checks of contracts; what
// no stub stands for (ir.NoStub).
func bindsOutside(f *ir.Func) bool {
	return f.Addr && !f.IsDecl() || strings.HasPrefix(f.Name, irbuild.PointPrefix) || strings.Contains(f.Name, contractPart) ||
		strings.Contains(f.Name, "setjmp") || f.IsDecl() && ir.NoStub(f.Name) != ""
}

// isUnsized reports a variable that may not be there, or of which nothing says how large it is.
func isUnsized(g *ir.Global) bool {
	return g.Extern && (g.Weak || g.T.Kind == ir.KindArray && g.T.Len == 0)
}

// outside writes such a program.
type outside struct {
	*irbuild.Builder
	funcs []*ir.Func
}

// opens rewrites a function of the program: what code that is not known may have written is any value.
func (o *outside) opens(f *ir.Func) {
	kept := ir.Escapes(f)
	own := func(v ir.Value) bool {
		switch r := ir.Root(v).(type) {
		case *ir.Const:
			return true
		case *ir.Instr:
			return r.Op == ir.OpAlloca && !kept[r]
		}
		return false
	}
	changed := map[ir.Value]ir.Value{}
	o.RewriteFunc(f, func(in *ir.Instr) {
		if what := o.beyond(in, own); what != "" {
			o.Unsupported(what)
		}
		o.Keep(in)
		if in.Op == ir.OpLoad && !own(in.Args[0]) {
			other := o.Nondet("what a function without a body wrote", in.T)
			which := o.Nondet("a function without a body wrote", ir.Int(1))
			changed[in] = o.Emit(&ir.Instr{Op: ir.OpSelect, T: in.T, Args: []ir.Value{which, other, in}})
		}
	})
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if c, ok := changed[in.Callee]; ok {
				in.Callee = c
			}
			for i, a := range in.Args {
				if s, ok := changed[a]; ok && s != ir.Value(in) {
					in.Args[i] = s
				}
			}
		}
	}
	o.Finish()
}

// beyond says what an instruction does that is not modelled beside code that is not known, "" where it is. own
// reports addresses of what such code can write during its calls alone.
func (o *outside) beyond(in *ir.Instr, own func(ir.Value) bool) string {
	const memory = "memory that functions without a body may have written"
	switch in.Op {
	case ir.OpLoad:
		if k := in.T.Kind; !own(in.Args[0]) && k != ir.KindInt && k != ir.KindPtr && k != ir.KindFloat {
			return memory
		}
	case ir.OpCmpXchg, ir.OpAtomicRMW, ir.OpVaArg:
		if !own(in.Args[0]) {
			return memory
		}
	case ir.OpCall:
		if in.Model == ir.ModelNone {
			return o.passes(in, own, memory)
		}
		if in.Model.OfHeap() {
			return "the heap beside functions without a body, which may release blocks"
		}
		switch in.Model {
		case ir.ModelLifetimeStart, ir.ModelLifetimeEnd, ir.ModelMemset:
			return ""
		}
		if slices.ContainsFunc(in.Args, func(a ir.Value) bool { return a.Type().IsPtr() && !own(a) }) {
			return memory
		}
	}
	return ""
}

// passes says so of a call of a function that the engines do not know: of a copy of a structure that it is passed.
func (o *outside) passes(in *ir.Instr, own func(ir.Value) bool, memory string) string {
	f := ir.CalledFunc(in)
	for i, a := range in.Args {
		if f == nil || i >= len(f.Params) || f.Params[i].ByVal != nil {
			if a.Type().IsPtr() && !own(a) && !slices.Contains(o.funcs, f) {
				return memory
			}
		}
	}
	return ""
}

// anything gives f the body of code that is not known. What may be missing stays without one: its address may be null.
func (o *outside) anything(f *ir.Func) {
	if k := f.Ret.Kind; f.Weak || k != ir.KindVoid && k != ir.KindInt && k != ir.KindPtr && k != ir.KindFloat {
		return
	}
	pos := f.Pos
	pos.Function = f.CName
	b := &irbuild.Builder{Module: o.Module, Func: f, Pos: &pos}
	b.At(b.NewBlock("entry"))
	changeAll(b)
	var result *ir.Instr
	if f.Ret.Kind != ir.KindVoid {
		result = b.Nondet(f.Name, f.Ret)
	}
	b.Ret(result)
	b.Finish()
	o.Module.Funcs = append(o.Module.Funcs, b.Decls...)
}

// changeAll gives all variables that live as long as the program any value.
func changeAll(b *irbuild.Builder) {
	for _, g := range b.Module.Globals {
		if !g.Const && b.Module.Layout.SizeOf(g.T) > 0 {
			b.Model(ir.ModelHavocObj, "firmproof.change", ir.Void(), b.AddrOfGlobal(g))
		}
	}
}

// start makes a function around entry: it calls that, or any of the functions inside from any state.
func (o *outside) start(entry *ir.Func, inside []*ir.Func) *ir.Func {
	b := irbuild.Around(o.Module, outsideName, entry)
	b.Func.Made = true
	var args []ir.Value
	for _, p := range entry.Params {
		q := *p
		b.Func.Params = append(b.Func.Params, &q)
		args = append(args, &q)
	}
	for _, f := range inside {
		called, next := b.NewBlock("called"), b.NewBlock("next")
		b.Branch(b.Nondet("calls "+f.Name, ir.Int(1)), called, next)
		b.At(called)
		changeAll(b)
		var with []ir.Value
		for _, p := range f.Params {
			if k := p.T.Kind; p.ByVal != nil || k != ir.KindInt && k != ir.KindPtr && k != ir.KindFloat {
				b.Unsupported("call of " + f.Name + " by a function without a body")
				with = append(with, &ir.Const{T: p.T, Kind: ir.ConstUndef})
				continue
			}
			with = append(with, b.Nondet(p.Name, p.T))
		}
		if f.Variadic {
			b.Unsupported("call of " + f.Name + " by a function without a body")
		}
		b.Call(f, with...)
		b.Model(ir.ModelAssume, "firmproof.assume", ir.Void(), b.Int(ir.Int(1), 0))
		b.Jump(next)
		b.At(next)
	}
	b.Ret(b.Call(entry, args...))
	return b.Done()
}
