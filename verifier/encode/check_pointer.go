package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// checkPointerOverflow claims that an inbounds getelementptr stays in its object
// or one past its end, and with nuw does not go back (LangRef: getelementptr, inbounds and nuw).
func (e *encoder) checkPointerOverflow(fr *frame, st *state, in *ir.Instr, from, to *ptr, d ilr.Term) {
	if !in.Flags.Has(ir.InBounds) || !e.opts.Checks.Has(verdict.PointerOverflow) {
		return
	}
	bad := e.s.False()
	var cases []failure
	moves := e.s.Not(e.eq(d, e.s.Int(e.w, 0)))
	for i, a := range to.alts {
		if a.obj == nil {
			x := from.alts[i].off
			back := e.s.Slt(d, e.s.Int(e.w, 0))
			wraps := e.s.And(a.g, e.s.Ite(back, e.s.Ult(x, e.s.Neg(d)), e.s.UaddO(x, d)))
			bad = e.s.Or(bad, wraps)
			cases = append(cases, failure{when: wraps, text: "address arithmetic wraps around"})
			if e.opts.NearNull() { // an access could not tell
				null := e.s.And(a.g, moves, e.eq(x, e.s.Int(e.w, 0)))
				bad = e.s.Or(bad, null)
				cases = append(cases, failure{when: null, text: "arithmetic on a null pointer"})
			}
			continue
		}
		out := e.s.And(a.g, moves, e.s.Not(e.s.Ule(a.off, a.obj.size)))
		bad = e.s.Or(bad, out)
		cases = append(cases, failure{when: out, text: fmt.Sprintf("pointer leaves object %s: offset %%d",
			a.obj.what()), value: a.off})
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
func (e *encoder) checkPointerCompare(fr *frame, st *state, in *ir.Instr, pred ir.Pred, p, q *ptr) {
	if pred != ir.EQ && pred != ir.NE {
		e.checkSameObject(fr, st, in, in.OrderCheck(), p, q, "ordered")
	}
}

// checkSameObject claims that two pointers point into one object; of a
// subtraction only when both point to objects.
func (e *encoder) checkSameObject(fr *frame, st *state, in *ir.Instr, check verdict.Check, p, q *ptr, what string) {
	if !e.opts.Checks.Has(check) || st.pc == nil {
		return
	}
	bad := e.s.False()
	var cases []failure
	for _, a := range p.alts {
		for _, b := range q.alts {
			g := e.s.And(a.g, b.g)
			if a.obj == b.obj || e.s.IsFalse(g) || !a.toObject() && !b.toObject() ||
				in.Op == ir.OpSub && !(a.toObject() && b.toObject()) ||
				linked(a.obj) && linked(b.obj) {
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
func (e *encoder) lies(st *state, a, b alt) ilr.Term {
	if a.obj != nil || !b.toObject() || b.obj.kind == objFunc || b.obj.kind == objLabel {
		return e.s.False()
	}
	if c, ok := e.constOf(a.off); ok && c == 0 && !e.opts.AddressZero {
		return e.s.False()
	}
	live := e.s.True()
	if !b.obj.static() {
		if live = e.s.False(); st.get(b.obj) != nil {
			live = st.get(b.obj).live
		}
	}
	return e.s.And(live, e.s.Ule(e.s.Sub(a.off, e.base(b.obj)), b.obj.size))
}

func targetName(a alt) string {
	if a.obj == nil {
		return "no object"
	}
	return a.obj.what()
}

// linked reports an object that the program declares and the linker provides: two such
// symbols may be the ends of one object.
func linked(o *object) bool { return o != nil && o.glob != nil && o.glob.Extern }
