package harness

import (
	"cmp"
	"fmt"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// paramRuns returns the values that parameter i has if it is of an enumeration, no call passes another constant, and
// neither the function nor another version of it asks whether it has one of these.
func (h *harness) paramRuns(i int) []ranges.Run {
	if i < 0 {
		return nil // passed in parts
	}
	v := h.vars[i]
	if v == nil {
		return nil
	}
	g := h.given(v.Name)
	if g.Low != nil {
		return nil
	}
	runs := ranges.RunsOf(v.T)
	for _, c := range h.callsWith(i) {
		if k, ok := c.Args[i].(*ir.Const); ok && k.Kind == ir.ConstInt && !ranges.IsEnumerator(k, v.T) {
			return nil
		}
	}
	switch {
	case runs == nil:
	case h.asksBeyond(i, runs):
		h.out.Doubted = append(h.out.Doubted, v.Name)
		return nil
	case g.Doubted:
		h.out.Dropped = !h.p.linked()
		return nil
	}
	return runs
}

// memberRuns returns the values that member f of a t has if it is of an enumeration: its enumerators, and what the
// program stores there.
func (p *Program) memberRuns(t *ir.DType, f *ir.DField) []ranges.Run {
	if f.IsBits {
		return nil
	}
	return p.spans.Enumerated(places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}, f.T)
}

// enumeratedNote says what a place of an enumeration, which it names, holds.
const enumeratedNote = "%s is an enumerator of %s, or what the program stores there"

// within is whether v, of type t, is in one of the runs.
func within(b *irbuild.Builder, v ir.Value, t *ir.DType, runs []ranges.Run) ir.Value {
	var in ir.Value
	for _, r := range runs {
		least, most := b.Bounds(v, r.Low, r.High, t.Signed)
		if in == nil {
			in = b.And(least, most)
		} else {
			in = b.Or(in, b.And(least, most))
		}
	}
	return in
}

// enumeratedAt assumes that member f of the structure at p+off, a t, holds what its enumeration names.
func (h *harness) enumeratedAt(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	runs, g := h.p.memberRuns(t, f), h.given(name)
	h.noteBounds(name, t, f, runs)
	if runs != nil && g.Low == nil && !g.Doubted {
		in := h.Assume(within(h.Builder, h.Load(ir.Int(f.T.Bits), h.Gep(p, off+f.BitOff/8, nil, 0)), f.T, runs))
		brings(h.note(name, verdict.Interval, verdict.Observed, enumeratedNote, name, f.T.Name), in)
	} else if f.T.Kind == ir.DEnum && g.Low == nil {
		h.hint(name, t, f, p, off)
	}
}

// kept returns the range that the program keeps a member in that holds a number.
func (p *Program) kept(t *ir.DType, f *ir.DField) (low, high int64, ok bool) {
	if f.IsBits || !ir.IsNumber(f.T) {
		return 0, 0, false
	}
	return p.spans.Kept(places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}, f.T)
}

// inRange assumes that a member of the structure at p+off is where the program keeps it.
func (h *harness) inRange(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	low, high, ok := h.p.kept(t, f)
	g := h.given(name)
	if g.Low != nil {
		return
	}
	if ok {
		h.noteBounds(name, t, f, []ranges.Run{{Low: low, High: high}})
	}
	if !ok || g.Doubted {
		h.hint(name, t, f, p, off)
		return
	}
	v := h.Load(ir.Int(f.T.Bits), h.Gep(p, off+f.BitOff/8, nil, 0))
	least, most := h.Bounds(v, low, high, f.T.Signed)
	in := []ir.Value{h.Assume(least), h.Assume(most)}
	at, note := places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}, ranges.KeptNote
	if h.p.spans.At[at].Passed {
		note = ranges.LeftNote
	}
	brings(h.note(name, verdict.Interval, verdict.Chosen, note, name, low, high), in...)
	h.hint(name, t, f, p, off) // not each number in it need be one that the program stores
}

// hint notes that a member of the structure at p+off, which the program stores numbers in, has contents that the harness
// made up: what fails because of them is no finding, unless calls bring them about. Numbers that the program only reads
// are its caller's.
func (h *harness) hint(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	if f.T.Kind == ir.DFloat || f.T.Kind == ir.DArray {
		h.hintStored(name, t, f, p, off)
		return
	}
	line, bits := "", max(8, f.T.Bits&^7)
	switch at := (places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}); {
	case f.IsBits:
		if !h.p.spans.Fields[at.Of][f.BitOff] {
			return
		}
		bits = 8
	case !ir.IsNumber(f.T) && f.T.Kind != ir.DEnum:
		return
	default:
		x := h.p.seems.At[at]
		if x == nil || !x.Some {
			return
		}
		if low, high, ok := h.p.seems.Kept(at, f.T); ok {
			line = fmt.Sprintf("%d..%d", low, high)
		} else if f.T.Kind != ir.DEnum && x.Value.Ulow == 0 && x.Value.Uhigh == 0 {
			return // zeros alone say nothing: they set up or reset what is the caller's
		}
	}
	a := h.open(name, verdict.Contents, line)
	h.shows(a.ID, h.Load(ir.Int(bits), h.Gep(p, off+f.BitOff/8, nil, 0)), f)
}

// storesNumber reports whether the program stores numbers in member f of a t, and more than zeros, which only reset what is
// the caller's.
func (p *Program) storesNumber(t *ir.DType, f *ir.DField) bool {
	x := p.seems.At[places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}]
	return x != nil && x.Some && (x.Value.Ulow != 0 || x.Value.Uhigh != 0)
}

// shows notes that v, which member f holds, is contents that an assumption of that ID is about. How it is compared with
// itself says what it is: a number with a sign, one without, or bytes with a part of them (Narrow).
func (h *harness) shows(id string, v ir.Value, f *ir.DField) {
	kind := ir.ULE
	switch {
	case f.IsBits:
		kind = ir.EQ
	case f.T.Signed:
		kind = ir.SLE
	}
	brings(id, h.Assume(h.Compare(kind, v, v)))
}

// open notes contents that the harness made up, and the line of `assume` that says what the program seems to keep to;
// empty: none is known.
func (h *harness) open(name string, relation verdict.Relation, line string) verdict.Assumption {
	a := verdict.Assume(name, relation, verdict.Chosen, fmt.Sprintf("%s.%s: %s", h.of.CName, name, cmp.Or(line, "any")))
	a.Other, a.Line = h.of.CName, line
	h.out.Open = verdict.AddAssumptions(h.out.Open, a)
	return a
}

// hintStored is hint of a number in floating point, or of the elements of an array, as far as the program stores there by
// constant indices: what it fills in a loop is data.
func (h *harness) hintStored(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	elem, count := f.T, int64(1)
	if elem.Kind == ir.DArray {
		elem, count = elem.Elem, min(elem.Count, policy.HarnessHinted)
	}
	if elem == nil || !ir.IsNumber(elem) && elem.Kind != ir.DFloat {
		return
	}
	size := ir.SizeInC(elem)
	if size < 1 || size > 8 {
		return
	}
	for i := range count {
		at, part := f.BitOff/8+i*size, name
		if !h.p.storedAt(t, at) || elem != f.T && h.p.indexed[places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}] {
			continue
		}
		if elem != f.T {
			part = fmt.Sprintf("%s[%d]", name, i)
		}
		a := h.open(part, verdict.Contents, "")
		v := h.Load(ir.Int(int(8*size)), h.Gep(p, off+at, nil, 0))
		brings(a.ID, h.Assume(h.Compare(ir.EQ, v, v)))
	}
}

// storedAt reports whether the program stores a number other than zero off bytes into a structure of type t.
func (p *Program) storedAt(t *ir.DType, off int64) bool {
	if p.stored == nil {
		p.stored, p.indexed = map[places.Place]bool{}, map[places.Place]bool{}
		for _, f := range p.m.Funcs {
			if f.Made || f.Driven() {
				continue
			}
			vars := f.VarsBySlot()
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					if in.Op != ir.OpStore || in.Args[0].Type().IsPtr() {
						continue
					}
					if c, ok := in.Args[0].(*ir.Const); ok && c.Kind == ir.ConstInt && c.Bits.IsZero() {
						continue
					}
					for _, o := range places.ObjectsAt(vars, in.Args[1]) {
						if o.T == nil || o.T.Kind != ir.DStruct || o.Cast {
							continue
						}
						at := places.Place{Of: places.LayoutOf(o.T), Off: o.Off}
						if x, ok := in.Args[1].(*ir.Instr); ok && x.Op == ir.OpGep && len(x.Args) > 1 {
							p.indexed[at] = true
						} else {
							p.stored[at] = true
						}
					}
				}
			}
		}
	}
	return p.stored[places.Place{Of: places.LayoutOf(t), Off: off}]
}
