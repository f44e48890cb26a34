package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cutVar is a number that candidates speak about: something that became unknown
// at a header, or something that the loop reads and does not change.
type cutVar struct {
	name        string
	entry, head ilr.Term
	moves       bool    // unknown at the header
	mask        bool    // whether something is indeterminate: nothing that executions know
	offset      bool    // where a pointer points to
	obj         *object // the object it is the offset in
	cell        bool    // of an array, at the ghost index
	ghost       bool
	outer       bool    // of a loop around, as it is at its header
	next        int     // 1 + the place of the element that it is the one behind of
	of          *object // with cell: the array
	count       int64   // with cell: elements of the array
	from        Origin
	at          func(in edge) ilr.Term
}

// memoryVar is the number in a place of o.
func (e *encoder) memoryVar(o *object, p *place, old, now val) []*cutVar {
	read := func(in edge) val { return e.readRaw(o, in.st.get(o), p.off, p.n) }
	out := e.numbers(e.placeName(o, p), old, now, int(8*p.n), read)
	for _, v := range out {
		if !v.offset && !v.mask {
			v.from = o.origin(p.off)
		}
	}
	return out
}

// origin returns what executions know offset off of o by.
func (o *object) origin(off int64) Origin {
	switch {
	case o == nil:
	case o.glob != nil:
		return Origin{Global: o.glob, Off: off}
	case o.kind == objStack && o.in != nil && o.in.Op == ir.OpAlloca:
		return Origin{Slot: o.in, Off: off}
	}
	return Origin{}
}

func (e *encoder) placeName(o *object, p *place) string {
	if p.off != 0 || p.n != o.csize {
		return o.asArray() + e.member(o.elem, p.off)
	}
	return o.name
}

// member words the part of t at off: .2 is the third member, [1] an element.
func (e *encoder) member(t *ir.Type, off int64) string {
	s := ""
	for t != nil {
		switch t.Kind {
		case ir.KindArray:
			size := e.lay.SizeOf(t.Elem)
			if size == 0 {
				return s
			}
			s += fmt.Sprintf("[%d]", off/size)
			off, t = off%size, t.Elem
			continue
		case ir.KindStruct:
			next := t
			for i, f := range t.Fields {
				if fo := e.lay.FieldOffset(t, i); off >= fo && off < fo+e.lay.SizeOf(f) {
					s += fmt.Sprintf(".%d", i)
					off, next = off-fo, f
					break
				}
			}
			if next != t {
				t = next
				continue
			}
		}
		break
	}
	if off != 0 || t == nil {
		s += fmt.Sprintf("+%d", off)
	}
	return s
}

// registerVar is the number in a header's phi or a parameter.
func (e *encoder) registerVar(r register, i int, old, now val) []*cutVar {
	if old.el != nil || r.t.Kind == ir.KindFloat {
		return nil
	}
	return e.numbers(r.name, old, now, e.bitsOf(r.t), func(in edge) val { return in.vals[i] })
}

// numbers lists what can be said about a value: the number, or the offset of a
// pointer in the only object that it can point to, and whether it is indeterminate.
func (e *encoder) numbers(name string, old, now val, w int, read func(edge) val) []*cutVar {
	if w > 64 {
		return nil
	}
	if now.u != 0 {
		mask := &cutVar{name: maskName(name), mask: true, entry: e.masked(old), head: e.masked(now), moves: true,
			at: func(in edge) ilr.Term { return e.masked(read(in)) }}
		if e.isOnes(old.u) { // nobody wrote it before: what it was says nothing
			return []*cutVar{mask}
		}
		old.u, now.u = 0, 0
		return append(e.numbers(name, old, now, w, read), mask)
	}
	if now.p == nil {
		if old.p != nil {
			return nil
		}
		return []*cutVar{{name: name, entry: e.num(old), head: e.num(now), moves: true,
			at: func(in edge) ilr.Term { return e.num(read(in)) }}}
	}
	var obj *object
	for _, a := range now.p.alts {
		if a.obj != nil && obj != nil {
			return nil
		}
		if a.obj != nil {
			obj = a.obj
		}
	}
	if obj == nil {
		return nil
	}
	in := func(v val) ilr.Term { return e.offsetIn(obj, v) }
	return []*cutVar{{name: "offset of " + name, entry: in(old), head: in(now), moves: true, offset: true, obj: obj,
		at: func(ed edge) ilr.Term { return in(read(ed)) }}}
}

// offsetIn is where in obj the pointer v points to, 0 if it does not.
func (e *encoder) offsetIn(obj *object, v val) ilr.Term {
	return e.choose(e.asPtr(v), func(a alt) ilr.Term {
		if a.obj == obj {
			return a.off
		}
		return e.s.Int(e.w, 0)
	})
}

// constantsOf lists the constants of width w that fs and what they call compare
// with, store or add, with their neighbours.
func (e *encoder) constantsOf(fs []*ir.Func, w int, more ...ilr.Term) []bits.Vec {
	var out []bits.Vec
	seen := map[bits.Vec]bool{}
	put := func(v bits.Vec) {
		if !seen[v] && len(out) < policy.BoundConstants {
			seen[v] = true
			out = append(out, v)
		}
	}
	add := func(v bits.Vec) {
		switch {
		case v.Width() > w:
			if low := bits.Trunc(v, w); bits.Sext(low, v.Width()) == v || bits.Zext(low, v.Width()) == v {
				v = low
			} else {
				return
			}
		case v.Width() < w && v.Width() > 1:
			v = bits.Sext(v, w)
		case v.Width() < w:
			return
		}
		put(v)
		put(bits.Add(v, bits.New(w, 1)))
		put(bits.Sub(v, bits.New(w, 1)))
	}
	for _, t := range more {
		if v, ok := e.s.ConstVal(t); ok {
			add(v)
		}
	}
	put(bits.New(w, 0))
	put(bits.New(w, 1))
	seenFn := map[*ir.Func]bool{}
	for _, f := range fs {
		seenFn[f] = true
	}
	for work := slices.Clone(fs); len(work) > 0 && len(out) < policy.BoundConstants; work = work[1:] {
		for _, b := range work[0].Blocks {
			for _, in := range b.Instrs {
				if k, ok := in.Callee.(*ir.Const); ok && k.Func != nil && !seenFn[k.Func] {
					seenFn[k.Func] = true
					work = append(work, k.Func)
				}
				if in.Op != ir.OpIcmp && in.Op != ir.OpUrem && in.Op != ir.OpSrem && in.Op != ir.OpAnd &&
					in.Op != ir.OpStore {
					continue
				}
				for _, x := range in.Args {
					if c, ok := x.(*ir.Const); ok && c.Kind == ir.ConstInt && c.T.IsInt() {
						add(c.Bits)
					}
				}
			}
		}
	}
	return out
}
