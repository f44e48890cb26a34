package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// makes reports whether g is a constructor of a handle: a function that is handed none, gives one back, as a pointer
// or by value, and stores all its pointers (or all its numbers where there are none), or has a function do so that
// fills it. What it reads of it, it stored before.
func (c *cone) makes(g *ir.Func, hd *shared) bool {
	t, byValue := g.DRet, true
	if t != nil && t.Kind == ir.DPointer {
		t, byValue = t.Elem, false
	}
	if t == nil || !ir.IsStruct(t) || !ir.IsStruct(hd.t) || places.LayoutOf(t) != places.LayoutOf(hd.t) ||
		slices.ContainsFunc(c.p.effectsOf(g).handed, func(u *ir.DType) bool {
			if u == nil {
				return false
			}
			_, within := inside(hd.t, u)
			_, around := inside(u, hd.t)
			return within || around
		}) {
		return false
	}
	if byValue && returnsAt(g) < 0 && (g.Ret.IsPtr() || c.p.m.Layout.SizeOf(g.Ret) > ir.SizeInC(hd.t)) {
		return false
	}
	stored, _ := c.stores(g, hd, true)
	return stored || slices.ContainsFunc(g.Blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
			f := ir.CalledFunc(in)
			return f != nil && f != g && !f.IsDecl() && c.fills(f, hd)
		})
	})
}

// returnsAt returns the parameter of g that says where its result goes; -1: none.
func returnsAt(g *ir.Func) int {
	return slices.IndexFunc(g.Params, func(p *ir.Param) bool { return p.SRet != nil })
}

// askedForNull reports whether the program compares the pointer off bytes into a handle with null.
func (c *cone) askedForNull(hd *shared, off int64) bool {
	known := c.p.places.At[places.Place{Of: places.LayoutOf(hd.t), Off: off}]
	return known != nil && len(known.Null) > 0
}

// unset gives the pointers of a handle that its constructors leave null, and of which nobody asks whether they are, what
// callers set there: null is no value to call other functions with. kept: the others are not null.
func (w *callWriter) unset(hd *shared, kept bool) {
	if !ir.IsStruct(hd.t) {
		return
	}
	h, left := w.p.newHarness(w.Builder, w.cone.of), policy.HarnessFields
	h.variant = "calls."
	for i := range hd.t.Fields {
		f, off := &hd.t.Fields[i], hd.t.Fields[i].BitOff/8
		if f.IsBits || f.T == nil || f.T.Kind != ir.DPointer || w.cone.askedForNull(hd, off) {
			continue
		}
		at := w.Gep(w.Load(w.Ptr(), w.AddrOfGlobal(hd.at)), off, nil, 0)
		set := w.Compare(ir.NE, w.Load(w.Ptr(), at), w.Null())
		if !slices.ContainsFunc(hd.makers, func(g *ir.Func) bool { return w.cone.storesNull(g, hd, off) }) {
			if kept {
				w.Assume(set)
			}
			continue
		}
		name := f.Of(hd.name)
		to := h.inside(name, f.T, places.Place{Of: places.LayoutOf(hd.t), Off: off}, 1, &left)
		brings(h.note(name, verdict.Nullness, verdict.Chosen, "%s is set where its constructor leaves it null", name),
			w.Store(w.Emit(&ir.Instr{Op: ir.OpSelect, T: w.Ptr(), Args: []ir.Value{set, w.Load(w.Ptr(), at), to}}), at, 1))
	}
	h.showHeld()
	w.take(h)
}

// storesNull reports whether g stores null off bytes into a handle.
func (c *cone) storesNull(g *ir.Func, hd *shared, off int64) bool {
	vars := g.VarsBySlot()
	return slices.ContainsFunc(g.Blocks, func(b *ir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(in *ir.Instr) bool {
			if in.Op != ir.OpStore || !ir.IsNullConst(in.Args[0]) {
				return false
			}
			at, own := hd.partAt(vars, in.Args[1])
			return own && at == off
		})
	})
}

// begin writes a call of f, which fills the handle hd or makes it.
func (w *callWriter) begin(f *ir.Func, hd *shared) {
	if !slices.Contains(hd.makers, f) {
		w.callOf(f, nil)
		return
	}
	object := w.Load(w.Ptr(), w.AddrOfGlobal(hd.at))
	switch made := w.callOf(f, object); {
	case returnsAt(f) >= 0: // it is in object
	case f.DRet.Kind == ir.DPointer:
		w.Assume(w.Compare(ir.NE, made, w.Null()))
		w.Store(made, w.AddrOfGlobal(hd.at), 1)
	default:
		w.Store(made, object, 1)
	}
}

// hasConstructor reports whether a function of the program fills, or makes, structures of type t: calls begin with it,
// and what is in them is the program's.
func (p *Program) hasConstructor(t *ir.DType) bool {
	layout := places.LayoutOf(t)
	if known, ok := p.constructed[layout]; ok {
		return known
	}
	c, hd := &cone{p: p}, &shared{t: t}
	out := slices.ContainsFunc(p.m.Funcs, func(g *ir.Func) bool {
		return !g.IsDecl() && !g.Made && !g.Driven() && (c.fills(g, hd) || c.makes(g, hd))
	})
	p.constructed[layout] = out
	return out
}
