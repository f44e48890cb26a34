package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkPointerOverflow claims that an inbounds getelementptr stays in its object
// or one past its end, and with nuw does not go back (LangRef: getelementptr, inbounds and nuw).
func (e *encoder) checkPointerOverflow(fr *frame, st *memory.State, in *ir.Instr, from, to *memory.Ptr, d ilr.Term) {
	if !in.Flags.Has(ir.InBounds) || !e.opts.Checks.Has(verdict.PointerOverflow) {
		return
	}
	bad := e.s.False()
	var cases []failure
	moves := e.s.Not(e.Eq(d, e.s.Int(e.w, 0)))
	for i, a := range to.Alts {
		if a.Object == nil {
			x := from.Alts[i].Off
			back := e.s.Slt(d, e.s.Int(e.w, 0))
			wraps := e.s.And(a.Guard, e.s.Ite(back, e.s.Ult(x, e.s.Neg(d)), e.s.UaddO(x, d)))
			bad = e.s.Or(bad, wraps)
			cases = append(cases, failure{when: wraps, text: "address arithmetic wraps around"})
			if e.opts.NearNull() { // an access could not tell
				null := e.s.And(a.Guard, moves, e.Eq(x, e.s.Int(e.w, 0)))
				bad = e.s.Or(bad, null)
				cases = append(cases, failure{when: null, text: "arithmetic on a null pointer"})
			}
			continue
		}
		out := e.s.And(a.Guard, moves, e.s.Not(e.s.Ule(a.Off, a.Object.Size)))
		bad = e.s.Or(bad, out)
		cases = append(cases, failure{when: out, text: fmt.Sprintf("pointer leaves object %s: offset %%d",
			a.Object.What()), value: a.Off})
	}
	if in.Flags.Has(ir.NUW) { // with inbounds, the distance does not wrap as a signed number; as an unsigned one it does
		back := e.s.Slt(d, e.s.Int(e.w, 0))
		bad = e.s.Or(bad, back)
		cases = append(cases, failure{when: back, text: "an unsigned index wraps around"})
	}
	e.claimNot(fr, st, in, verdict.PointerOverflow, bad, false, "pointer arithmetic leaves its object", cases...)
}

// checkPointerCompare claims that ordered pointers point into one object (C17
// 6.5.8; MISRA 18.3). Equality is allowed of any pointers.
func (e *encoder) checkPointerCompare(fr *frame, st *memory.State, in *ir.Instr, pred ir.Pred, p, q *memory.Ptr) {
	if pred != ir.EQ && pred != ir.NE {
		e.checkSameObject(fr, st, in, in.OrderCheck(), p, q, "ordered")
	}
}

// checkSameObject claims that two pointers point into one object; of a
// subtraction only when both point to objects.
func (e *encoder) checkSameObject(fr *frame, st *memory.State, in *ir.Instr, check verdict.Check, p, q *memory.Ptr,
	what string) {
	if !e.opts.Checks.Has(check) || st.PC == nil {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, a := range p.Alts {
		for _, b := range q.Alts {
			g := e.s.And(a.Guard, b.Guard)
			if a.Object == b.Object || e.s.IsFalse(g) || !a.ToObject() && !b.ToObject() ||
				in.Op == ir.OpSub && !(a.ToObject() && b.ToObject()) ||
				linked(a.Object) && linked(b.Object) {
				continue
			}
			g = e.s.And(g, e.s.Not(e.s.Or(e.lies(st, a, b), e.lies(st, b, a))))
			bad = e.s.Or(bad, g)
			cases = append(cases, failure{when: g, text: fmt.Sprintf("pointers into %s and %s are %s", targetName(a),
				targetName(b), what)})
		}
	}
	e.claimNot(fr, st, in, check, bad, false, "pointers into different objects are "+what, cases...)
}

// lies is the condition that a, an address made from a number, is in the object of b or just behind it: such a pointer
// is compared as one of that object.
func (e *encoder) lies(st *memory.State, a, b memory.Alt) ilr.Term {
	if a.Object != nil || !b.ToObject() || b.Object.Kind == memory.ObjFunc || b.Object.Kind == memory.ObjLabel {
		return e.s.False()
	}
	if c, ok := e.ConstOf(a.Off); ok && c == 0 && !e.opts.AddressZero {
		return e.s.False()
	}
	live := e.s.True()
	if !b.Object.Static() {
		if live = e.s.False(); st.Get(b.Object) != nil {
			live = st.Get(b.Object).Live
		}
	}
	return e.s.And(live, e.s.Ule(e.s.Sub(a.Off, e.Base(b.Object)), b.Object.Size))
}

func targetName(a memory.Alt) string {
	if a.Object == nil {
		return "no object"
	}
	return a.Object.What()
}

// linked reports an object that the program declares and the linker provides: two such
// symbols may be the ends of one object.
func linked(o *memory.Object) bool { return o != nil && o.Global != nil && o.Global.Extern }
