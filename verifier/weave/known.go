package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// knownCalls writes calls of functions that are known by their names.
type knownCalls struct{ *irbuild.Builder }

// Known gives the functions of m without a body that knownFuncs names their effect at each call, and returns which
// of them each function calls. One whose type is another, or whose address is taken, stays as it is.
func Known(m *ir.Module) map[*ir.Func][]string {
	effects := map[*ir.Func]apiEffect{}
	for _, f := range Bodiless(m) {
		if e, ok := knownFuncs[f.Name]; ok && !f.Addr && e.fits(f, m.Layout.PtrBits) {
			effects[f] = e
		}
	}
	calls := map[*ir.Func][]string{}
	if len(effects) == 0 {
		return calls
	}
	b := knownCalls{&irbuild.Builder{Module: m}}
	for _, f := range m.Funcs {
		for _, blk := range f.Blocks {
			for _, in := range blk.Instrs {
				g := ir.CalledFunc(in)
				if _, ok := effects[g]; ok && !slices.Contains(calls[f], g.Name) {
					calls[f] = append(calls[f], g.Name)
				}
			}
		}
		if len(calls[f]) > 0 {
			b.RewriteFunc(f, func(in *ir.Instr) {
				if e, ok := effects[ir.CalledFunc(in)]; ok {
					b.apiCall(in, e)
				} else {
					b.Keep(in)
				}
			})
		}
	}
	for f, e := range effects {
		f.Model = e.model()
	}
	m.Funcs = append(m.Funcs, b.Decls...)
	return calls
}

// model returns the model that takes the place of a call, once its effect is written beside it.
func (e apiEffect) model() ir.Model {
	switch e.gives {
	case allocates:
		return ir.ModelMalloc
	case frees:
		return ir.ModelFree
	}
	return ir.ModelNondet
}

// fits reports whether f has the parameters and the kind of result that e is about.
func (e apiEffect) fits(f *ir.Func, word int) bool {
	pointer := func(i int) bool { return i < len(f.Params) && f.Params[i].T.IsPtr() && f.Params[i].ByVal == nil }
	number := func(i int) bool { return i < len(f.Params) && f.Params[i].T.IsInt() }
	if slices.ContainsFunc(slices.Concat(e.writes, e.may), func(i int) bool { return !pointer(i) }) ||
		e.says != always && !f.Ret.IsInt() ||
		len(e.fills) > 0 && (!pointer(e.fills[0]) || !number(e.fills[1])) || e.most > 0 && !number(e.most-1) {
		return false
	}
	switch e.gives {
	case inRange:
		return f.Ret.IsInt()
	case handle:
		return f.Ret.IsPtr()
	case allocates:
		return f.Ret.IsPtr() && len(f.Params) == 1 && number(0) && f.Params[0].T.Width == word
	case frees:
		return f.Ret.IsVoid() && len(f.Params) == 1 && pointer(0)
	}
	return !f.Ret.IsPtr()
}

// apiCall writes a call of a known function: its result, then what it leaves in memory.
func (b knownCalls) apiCall(in *ir.Instr, e apiEffect) {
	args := in.Args
	if e.gives == handle {
		b.giveHandle(in)
	} else {
		in.Model = e.model()
		b.Keep(in)
	}
	if e.gives == inRange {
		b.Assume(b.allowed(in, e))
	}
	for _, i := range e.may {
		b.when(b.Nondet(ir.CalledFunc(in).Name+" writes", ir.Int(1)), func() { b.overwrite(args[i]) })
	}
	if len(e.writes)+len(e.fills) == 0 {
		return
	}
	if e.says == counts {
		some := ir.NE // of an unsigned type
		if e.from < 0 {
			some = ir.SGT
		}
		b.when(b.Compare(some, in, b.Int(in.T, 0)), func() { b.fill(args[e.fills[0]], in) })
		return
	}
	b.when(b.succeeds(in, e), func() {
		for _, i := range e.writes {
			b.overwrite(args[i])
		}
		if len(e.fills) > 0 {
			b.fill(args[e.fills[0]], args[e.fills[1]])
		}
	})
}

// giveHandle makes the call in null, or a block of its own, which is not the program's (ir.Instr.MakesOwn).
func (b knownCalls) giveHandle(in *ir.Instr) {
	fails := b.Nondet(ir.CalledFunc(in).Name+" fails", ir.Int(1))
	block := b.Model(ir.ModelMalloc, "firmproof.handle", b.Ptr(), b.Int(b.Word(), 1))
	in.Op, in.Callee, in.Sig, in.Args = ir.OpSelect, nil, nil, []ir.Value{fails, b.Null(), block}
	b.Keep(in)
}

// allowed is the condition that the number in is a result that e allows.
func (b knownCalls) allowed(in *ir.Instr, e apiEffect) ir.Value {
	if e.most == 0 {
		return b.And(b.Compare(ir.SGE, in, b.Int(in.T, e.from)), b.Compare(ir.SLE, in, b.Int(in.T, e.to)))
	}
	most := b.Resize(in.Args[e.most-1], in.T)
	if e.from == 0 { // of an unsigned type
		return b.Compare(ir.ULE, in, most)
	}
	return b.Or(b.Compare(ir.EQ, in, b.Int(in.T, e.from)),
		b.And(b.Compare(ir.SGE, in, b.Int(in.T, 0)), b.Compare(ir.ULE, in, most)))
}

// succeeds is the condition that the call in has written what it is to write; nil where it always has.
func (b knownCalls) succeeds(in *ir.Instr, e apiEffect) ir.Value {
	switch {
	case e.says == nonzero:
		return b.Compare(ir.NE, in, b.Int(in.T, 0))
	case e.says == zero:
		return b.Compare(ir.EQ, in, b.Int(in.T, 0))
	case e.says == zeroOrPart:
		return b.Or(b.Compare(ir.EQ, in, b.Int(in.T, 0)), b.Nondet(ir.CalledFunc(in).Name+" begins", ir.Int(1)))
	}
	return nil
}

// when writes instructions that run where c holds; nil: always.
func (b knownCalls) when(c ir.Value, write func()) {
	if c == nil {
		write()
		return
	}
	then, next := b.NewBlock("known"), b.NewBlock("known.end")
	b.Branch(c, then, next)
	b.At(then)
	write()
	b.Jump(next)
	b.At(next)
}

// overwrite gives what p leads to any value, from there to its end.
func (b knownCalls) overwrite(p ir.Value) {
	b.Model(ir.ModelHavocRest, "firmproof.known", ir.Void(), p)
}

// fill gives n bytes that p leads to any value.
func (b knownCalls) fill(p, n ir.Value) {
	b.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, b.Resize(n, b.Word()))
}
