package weave

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

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
	b := &builder{m: m}
	for _, f := range m.Funcs {
		for _, blk := range f.Blocks {
			for _, in := range blk.Instrs {
				g := calledFunc(in)
				if _, ok := effects[g]; ok && !slices.Contains(calls[f], g.Name) {
					calls[f] = append(calls[f], g.Name)
				}
			}
		}
		if len(calls[f]) > 0 {
			b.rewriteFunc(f, func(in *ir.Instr) {
				if e, ok := effects[calledFunc(in)]; ok {
					b.apiCall(in, e)
				} else {
					b.keep(in)
				}
			})
		}
	}
	for f, e := range effects {
		f.Model = e.model()
	}
	m.Funcs = append(m.Funcs, b.decls...)
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
	if slices.ContainsFunc(e.writes, func(i int) bool { return !pointer(i) }) ||
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

// apiCall writes a call of a known function.
func (b *builder) apiCall(in *ir.Instr, e apiEffect) {
	for _, i := range e.writes {
		b.model(ir.ModelHavocRest, "firmproof.known", ir.Void(), in.Args[i])
	}
	if len(e.fills) > 0 {
		b.model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), in.Args[e.fills[0]],
			b.resize(in.Args[e.fills[1]], b.word()))
	}
	if e.gives == handle {
		name := calledFunc(in).Name
		block := b.model(ir.ModelMalloc, "malloc", b.ptr(), b.int(b.word(), 1))
		fails := b.nondet(name+" fails", ir.Int(1))
		in.Op, in.Callee, in.Sig, in.Args = ir.OpSelect, nil, nil, []ir.Value{fails, b.null(), block}
		b.keep(in)
		return
	}
	in.Model = e.model()
	b.keep(in)
	if e.gives != inRange {
		return
	}
	if e.most == 0 {
		b.assume(b.and(b.compare(ir.SGE, in, b.int(in.T, e.from)), b.compare(ir.SLE, in, b.int(in.T, e.to))))
		return
	}
	most := b.resize(in.Args[e.most-1], in.T)
	if e.from == 0 { // of an unsigned type
		b.assume(b.compare(ir.ULE, in, most))
		return
	}
	b.assume(b.or(b.compare(ir.EQ, in, b.int(in.T, e.from)),
		b.and(b.compare(ir.SGE, in, b.int(in.T, 0)), b.compare(ir.ULE, in, most))))
}
