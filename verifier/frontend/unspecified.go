package frontend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Bytes whose values C leaves open: padding, what lies behind the initialised member of a union, the sign and the rest
// of a NaN. What an automatic object is initialised with has any value there; where the program looks at such bytes
// otherwise, the function notes what is assumed of them.

// afterCopy gives the bytes of an automatic object that its initialiser says nothing of any value: they are behind
// the member of a union, or padding (C17 6.2.6.1p6, p7). Clang copies such an object from a constant of its own.
func (x *fn) afterCopy(call *ir.Instr) {
	from, ok := call.Args[1].(*ir.Const)
	if !ok || from.Kind != ir.ConstAddr || from.Global == nil || from.Off != 0 || from.Global.Init == nil ||
		!strings.HasPrefix(from.Global.Name, "__const.") {
		return
	}
	unset := append(x.unset(from.Global.Init, 0), x.filled(from.Global.Init, call)...)
	if len(unset) > policy.UnsetRanges {
		x.assume(zeroPadding)
		return
	}
	for _, s := range unset {
		for size := int64(8); s.size > 0; {
			for size > s.size {
				size /= 2
			}
			ty := x.intType(int(8 * size))
			any := x.emit(&ir.Instr{Op: ir.OpFreeze, T: ty, Args: []ir.Value{&ir.Const{T: ty, Kind: ir.ConstUndef}}})
			at := x.emit(&ir.Instr{Op: ir.OpGep, T: x.ptr, Args: []ir.Value{call.Args[0]}, Off: s.off})
			x.emit(x.translator.store(any, at))
			s.off, s.size = s.off+size, s.size-size
		}
	}
}

// unset lists the bytes that a constant at off leaves open.
func (x *fn) unset(c *ir.Const, off int64) (out []span) {
	switch c.Kind {
	case ir.ConstUndef:
		return []span{{off, x.size(c.T)}}
	case ir.ConstAgg:
	default:
		return nil
	}
	at := off
	for i, e := range c.Elems {
		start := at
		if c.T.Kind == ir.KindStruct {
			start = off + x.offset(c.T, i)
		}
		if start > at {
			out = append(out, span{at, start - at})
		}
		out = append(out, x.unset(e, start)...)
		at = start + x.size(e.T)
	}
	if end := off + x.size(c.T); end > at {
		out = append(out, span{at, end - at})
	}
	return out
}

// assume notes what is assumed at the place of the instruction at hand.
func (x *fn) assume(what string) {
	if x.pos == nil {
		return
	}
	text := fmt.Sprintf("%s:%d: %s", x.pos.File, x.pos.Line, what)
	if !x.pos.InLibrary() && !slices.Contains(x.out.Assumed, text) {
		x.out.Assumed = append(x.out.Assumed, text)
	}
}

// choose notes what is assumed of the result of in, or of what it writes, though machines do something else.
func (x *fn) choose(in *ir.Instr, what string) {
	if x.pos == nil || x.pos.InLibrary() {
		return
	}
	chosenFor(x.out, in, fmt.Sprintf("%s:%d: %s", x.pos.File, x.pos.Line, what))
}

// chosenFor has an instruction of f bring what text assumes.
func chosenFor(f *ir.Func, in *ir.Instr, text string) {
	if !slices.Contains(f.Chosen, text) {
		f.Chosen = append(f.Chosen, text)
	}
	if id := ir.ChosenIn(f, text).ID; !slices.Contains(in.Assumes, id) {
		in.Assumes = append(in.Assumes, id)
	}
}

// looksAtBytes notes calls that look at the padding of structures, and at the bytes of floating-point numbers.
func (x *fn) looksAtBytes(call *ir.Instr) {
	switch call.Model {
	case ir.ModelMemcmp:
		for _, p := range call.Args[:2] {
			x.notePadding(p, "are compared")
			x.noteNaN(call, x.typeAt(p), nil)
		}
	case ir.ModelMemcpy, ir.ModelMemmove:
		to, from := x.typeAt(call.Args[0]), x.typeAt(call.Args[1])
		if from == nil || to == nil || from.Name == to.Name {
			return
		}
		if from.Kind == ir.DStruct && to.Kind != ir.DStruct {
			x.notePadding(call.Args[1], "are copied")
		}
		x.noteNaN(call, from, to)
	case ir.ModelCopysign:
		x.noteNaN(call, &ir.DType{Kind: ir.DFloat}, nil)
	}
}

// typeAt returns the C type of what v points to; nil if that is not known, or not the start of a variable.
func (x *fn) typeAt(v ir.Value) *ir.DType {
	t, off := x.place(v)
	if off != 0 {
		t = memberAt(t, off)
	}
	return t
}

func (x *fn) notePadding(p ir.Value, how string) {
	if t := x.typeAt(p); t != nil && t.Kind == ir.DStruct && padded(t) {
		x.assume(fmt.Sprintf("the bytes of %s %s: its padding keeps what was written to it, which C does not promise",
			t.Name, how))
	}
}

// noteNaN notes that the bytes of a floating-point number become something else, by in.
func (x *fn) noteNaN(in *ir.Instr, from, to *ir.DType) {
	if from != nil && from.Kind == ir.DFloat && (to == nil || to.Kind != ir.DFloat) {
		x.choose(in, "the bits of a floating-point number are looked at: a NaN that arithmetic gives is the positive one "+
			"without further bits")
	}
}

// noteUnion notes the read in of an integer of a union that may hold a floating-point number.
func (x *fn) noteUnion(in *ir.Instr, p ir.Value) {
	t, off := x.place(p)
	if t == nil || off != 0 || t.Kind != ir.DUnion {
		return
	}
	for _, f := range t.Fields {
		x.noteNaN(in, f.T, nil)
	}
}

// padded reports whether a structure has bytes that belong to no member.
func padded(t *ir.DType) bool {
	at := int64(0)
	for _, f := range t.Fields {
		if f.BitOff > at || f.T != nil && f.T.Kind == ir.DStruct && padded(f.T) {
			return true
		}
		at = max(at, f.BitOff+f.BitSize)
	}
	return at < int64(t.Bits)
}
