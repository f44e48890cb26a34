package encode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cutVar is a number that candidates speak about: something that became unknown
// at a header, or something that the loop reads and does not change.
type cutVar struct {
	name        string
	entry, head ilr.Term
	moves       bool           // unknown at the header
	mask        bool           // whether something is indeterminate: nothing that executions know
	offset      bool           // where a pointer points to
	obj         *memory.Object // the object it is the offset in
	cell        bool           // of an array, at the ghost index
	ghost       bool
	outer       bool           // of a loop around, as it is at its header
	next        int            // 1 + the place of the element that it is the one behind of
	of          *memory.Object // with cell: the array
	count       int64          // with cell: elements of the array
	from        Origin
	at          func(in edge) ilr.Term
}

// memoryVar is the number in a place of o. What races are told by is looked at in the turn that it is written in: lemmas
// say nothing of it.
func (e *encoder) memoryVar(o *memory.Object, p *place, old, now memory.Val) []*cutVar {
	if o.Global != nil && strings.HasPrefix(o.Global.Name, ir.WatchPrefix) {
		return nil
	}
	read := func(in edge) memory.Val { return e.ReadRaw(o, in.st.Get(o), p.off, p.n) }
	out := e.numbers(e.placeName(o, p), old, now, int(8*p.n), read)
	for _, v := range out {
		if !v.offset && !v.mask {
			v.from = originOf(o, p.off)
		}
	}
	return out
}

// originOf returns what executions know offset off of o by.
func originOf(o *memory.Object, off int64) Origin {
	switch {
	case o == nil:
	case o.Global != nil:
		return Origin{Global: o.Global, Off: off}
	case o.Kind == memory.ObjStack && o.Instr != nil && o.Instr.Op == ir.OpAlloca:
		return Origin{Slot: o.Instr, Off: off}
	}
	return Origin{}
}

func (e *encoder) placeName(o *memory.Object, p *place) string {
	if p.off != 0 || p.n != o.CSize {
		return arrayName(o) + e.member(o.Elem, p.off)
	}
	return o.Name
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
func (e *encoder) registerVar(r register, i int, old, now memory.Val) []*cutVar {
	if old.Elems != nil || r.t.Kind == ir.KindFloat {
		return nil
	}
	return e.numbers(r.name, old, now, e.BitsOf(r.t), func(in edge) memory.Val { return in.vals[i] })
}

// numbers lists what can be said about a value: the number, or the offset of a
// pointer in the only object that it can point to, and whether it is indeterminate.
func (e *encoder) numbers(name string, old, now memory.Val, w int, read func(edge) memory.Val) []*cutVar {
	if w > 64 {
		return nil
	}
	if now.Undef != 0 {
		mask := &cutVar{name: maskName(name), mask: true, entry: e.masked(old), head: e.masked(now), moves: true,
			at: func(in edge) ilr.Term { return e.masked(read(in)) }}
		if e.isOnes(old.Undef) { // nobody wrote it before: what it was says nothing
			return []*cutVar{mask}
		}
		old.Undef, now.Undef = 0, 0
		return append(e.numbers(name, old, now, w, read), mask)
	}
	if now.Ptr == nil {
		if old.Ptr != nil {
			return nil
		}
		return []*cutVar{{name: name, entry: e.Num(old), head: e.Num(now), moves: true,
			at: func(in edge) ilr.Term { return e.Num(read(in)) }}}
	}
	var obj *memory.Object
	for _, a := range now.Ptr.Alts {
		if a.Object != nil && obj != nil {
			return nil
		}
		if a.Object != nil {
			obj = a.Object
		}
	}
	if obj == nil {
		return nil
	}
	in := func(v memory.Val) ilr.Term { return e.offsetIn(obj, v) }
	return []*cutVar{{name: "offset of " + name, entry: in(old), head: in(now), moves: true, offset: true, obj: obj,
		at: func(ed edge) ilr.Term { return in(read(ed)) }}}
}

// offsetIn is where in obj the pointer v points to, 0 if it does not.
func (e *encoder) offsetIn(obj *memory.Object, v memory.Val) ilr.Term {
	return e.Choose(e.AsPtr(v), func(a memory.Alt) ilr.Term {
		if a.Object == obj {
			return a.Off
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
