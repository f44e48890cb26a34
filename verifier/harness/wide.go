package harness

import (
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// widePrefix starts the names of the functions that Wide makes.
const widePrefix = "firmproof.wide."

// Wide adds a harness of f in which strings are longer, pointers lead to more elements, and members that code compares
// with null may be null: for executions. nil where that would be none other than Harness makes.
func (p *Program) Wide(f *ir.Func) *Harnessed {
	var made *harness
	h, err := p.callOf(f, widePrefix, func(h *harness) { made, h.variant, h.wide = h, "wide.", true })
	if err != nil || !made.widened {
		return nil
	}
	return h
}

// room returns the one of two limits that holds.
func (h *harness) room(most, wide int64) int64 {
	if !h.wide {
		return most
	}
	h.widened = h.widened || wide > most
	return max(most, wide)
}

// wideElements returns how many of elem a pointer of unknown extent leads to in a wide harness: of structures as many as
// have values of their kind, or as take no more room than numbers do.
func wideElements(elem *ir.DType) int64 {
	switch {
	case !ir.IsStruct(elem):
		return policy.WideCount
	case needsFill(elem, 0):
		return policy.HarnessFilled
	}
	return max(policy.WideCount/max(ir.SizeInC(elem), 1), policy.HarnessFilled)
}

// memberOfOrNull is memberOrNull of field i of a t, and notes who compares it with null.
func (h *harness) memberOfOrNull(name string, t *ir.DType, i int, v ir.Value) ir.Value {
	known := h.p.places.At[places.Place{Of: places.LayoutOf(t), Off: t.Fields[i].BitOff / 8}]
	if known == nil {
		known = &places.Held{}
	}
	h.noteTests(name, known)
	return h.memberOrNull(name, known, "", v)
}

// memberOrNull returns v, a member that is a pointer, or null too: where somebody says so, and in harnesses that are wide
// or of two versions (MembersMayBeNull), where the function comes to code that compares it with null. linked: what leads to a structure of its own kind.
func (h *harness) memberOrNull(name string, known *places.Held, linked string, v ir.Value) ir.Value {
	null := h.given(name).Null
	switch {
	case null != nil && *null:
		return h.orNull(name, v)
	case null == nil && (h.wide || h.p.asksNull) && (h.reaches(known.Null) || h.reaches(known.Copied)):
		h.widened = true
		return h.orNull(name, v)
	case null == nil && !h.filling:
		v = h.notNull(name, verdict.Chosen, name+" is not null", v)
		h.noted(v.(*ir.Instr).Assumes[0]).Other = linked
	}
	return v
}

// notNull returns v, which is not null: a guess where the program asks whether it is (flow/null.go).
func (h *harness) notNull(name string, origin verdict.Origin, text string, v ir.Value) ir.Value {
	id := h.note(name, verdict.Nullness, origin, "%s", text)
	h.noted(id).Line = verdict.MayBeNull
	return h.made(id, v)
}
