package harness

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
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
	stored, _ := c.stores(g, hd, func(off int64) bool { return c.askedForNull(hd, off) })
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
