package pair

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Volatile accesses through pointers may go to memory of another layout, which stands elsewhere in both versions. Their places
// are compared by members then: as far as both have them, at the same byte of the same member.

// notePlace notes where a volatile access goes, in the old version, or marks where that is compared, in the new one.
func (w *pairing) notePlace(e *event, in *ir.Instr, side int, at ir.Value) {
	if w.log.at == nil {
		w.log.at = w.logVariable("places", policy.PairEvents, w.Ptr())
		w.places = map[*ir.Instr]*mark{}
	}
	if side == 0 {
		w.Store(e.args[0], w.logged(w.log.at, at, int64(w.Module.Layout.PtrBits/8)), 1)
		return
	}
	w.places[w.Model(ir.ModelNop, "firmproof.place", ir.Void(), e.args[0])] = &mark{name: e.name, at: at, pos: *in.Pos}
}

// comparePlaces writes the comparisons of places at the marks.
func (w *pairing) comparePlaces() {
	if len(w.places) == 0 {
		return
	}
	for i, x := range w.twins {
		var to [2]*ir.Global
		for side := range to {
			if x.global == nil {
				t := w.Ptr()
				to[side] = &ir.Global{Name: fmt.Sprint(logPrefix, "twin", i, ".", side), T: t, Align: 8, Init: &ir.Const{T: t, Kind: ir.ConstNull}}
				w.Module.Globals = append(w.Module.Globals, to[side])
			}
		}
		w.placed = append(w.placed, to)
	}
	w.inPlaceOf(w.places, func(m *mark, args []ir.Value) {
		was := w.Load(w.Ptr(), w.logged(w.log.at, m.at, int64(w.Module.Layout.PtrBits/8)))
		w.claimAt(FactEvent, m.name, w.samePlace(was, args[0]), m.pos)
	})
}

// placeTwins notes where twins are.
func (w *pairing) placeTwins() {
	for i, to := range w.placed {
		for side, g := range to {
			if g != nil {
				w.Store(w.twins[i].at[side], w.AddrOfGlobal(g), 8)
			}
		}
	}
}

// samePlace is true of equal places, and of those in twins that are the same byte of the same member.
func (w *pairing) samePlace(x, y ir.Value) ir.Value {
	out := ir.Value(w.Compare(ir.EQ, x, y))
	was := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), x)
	is := w.Model(ir.ModelPtrOffset, "firmproof.offset", w.Word(), y)
	for i, t := range w.twins {
		if t.opaque {
			continue
		}
		at := t.at
		for side, g := range w.placed[i] {
			if g != nil {
				at[side] = w.Load(w.Ptr(), w.AddrOfGlobal(g))
			}
		}
		here := w.And(w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), x, at[0]),
			w.Model(ir.ModelSameObject, "firmproof.same.object", ir.Int(1), y, at[1]))
		var k ir.Value = w.Int(w.Word(), 0)
		if t.count > 1 {
			k = w.Binary(ir.OpUdiv, is, w.Int(w.Word(), t.size[1]))
		}
		in := func(off ir.Value, side int, from int64) ir.Value { // behind where a member begins
			begin := w.Binary(ir.OpAdd, w.Binary(ir.OpMul, k, w.Int(w.Word(), t.size[side])), w.Int(w.Word(), from))
			return w.Binary(ir.OpSub, off, begin)
		}
		for _, l := range t.c.leaves([2]int64{}) {
			a, b := in(was, 0, l.off[0]), in(is, 1, l.off[1])
			same := w.And(w.Compare(ir.EQ, a, b), w.Compare(ir.ULT, a, w.Int(w.Word(), l.size)))
			out = w.Or(out, w.And(here, same))
		}
	}
	return out
}

// leaf is what both layouts have: so many bytes of the same meaning.
type leaf struct {
	off  [2]int64
	size int64
}

// leaves lists what both layouts have, from where they begin: of numbers of another width, where these begin alone.
func (c *common) leaves(from [2]int64) (out []leaf) {
	c.each(from, func(c *common, at [2]int64) {
		switch c.kind {
		case commonBytes:
			out = append(out, leaf{at, ir.SizeInC(c.t[1])})
		case commonNumber, commonPointer:
			out = append(out, leaf{at, 1})
		}
	})
	return out
}
