package encode

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// instr evaluates one instruction that is neither phi nor terminator.
func (e *encoder) instr(fr *frame, st *state, in *ir.Instr) {
	var v val
	if e.cutter != nil {
		e.lostPointers(fr, st, in)
	}
	switch in.Op.Class() {
	case ir.ClassBinary:
		v = e.binary(fr, st, in)
	case ir.ClassFloat:
		v = e.float(fr, st, in)
	case ir.ClassAggregate:
		v = e.aggregate(fr, st, in)
	case ir.ClassMemory:
		v = e.memory(fr, st, in)
	case ir.ClassConversion:
		v = e.conversion(fr, st, in)
	default:
		v = e.other(fr, st, in)
	}
	if st.pc != nil && in.T != nil && !in.T.IsVoid() {
		fr.set(st, in, v)
	}
}

// other evaluates LangRef's Other Operations, and traps.
func (e *encoder) other(fr *frame, st *state, in *ir.Instr) val {
	switch in.Op {
	case ir.OpTrap:
		e.trap(fr, st, in)
	case ir.OpIcmp:
		return e.icmp(fr, st, in)
	case ir.OpFcmp:
		return e.fcmp(fr, st, in)
	case ir.OpSelect:
		return e.selectValue(fr, st, in)
	case ir.OpFreeze:
		v := e.arg(fr, st, in, 0)
		v.u = 0
		return v
	case ir.OpCall:
		return e.call(fr, st, in)
	case ir.OpVaArg:
		return e.vaArg(fr, st, in)
	case ir.OpAsm:
		return e.asm(st, in)
	default:
		what := in.What
		if what == "" {
			what = in.Op.String()
		}
		e.gap(st, in, verdict.Unsupported, "%s", what)
		e.askedBy(fr, in, &e.f.Gaps[len(e.f.Gaps)-1].Reason)
	}
	return val{}
}

// askedBy moves a reason that stands in the C library to the call of the program that it is reached by.
func (e *encoder) askedBy(fr *frame, in *ir.Instr, why *verdict.Reason) {
	for in.Pos != nil && strings.HasPrefix(in.Pos.File, "firmproof-libc/") && fr.up != nil && fr.call != nil {
		fr, in = fr.up, fr.call
		why.Pos = in.Pos
		why.Remedy = fmt.Sprintf("a stub takes the place of the function that calls the library here: --stub %s=havoc, or "+
			"`stubs: {%s: havoc}` in the manifest", in.Block.Func.CName, in.Block.Func.CName)
	}
}

// trap is a failed check that the compiler inserted: reaching it is the violation.
func (e *encoder) trap(fr *frame, st *state, in *ir.Instr) {
	msg := in.What
	if msg == "" {
		msg = string(in.Check) + " check of the compiler fails"
	}
	if !e.asks(in, in.Check) { // with a way beside it the branch went there
		e.gap(st, in, verdict.Unsupported, "%s, and the check %s is off", msg, in.Check)
		return
	}
	var cases []failure
	if in.Check == verdict.Memory && ir.MayBeBefore(in) {
		index := in.Block.Preds[0].Term().Args[0].(*ir.Instr).Args[0]
		n := e.num(e.value(fr, st, in, index))
		cases = append(cases, failure{when: e.s.Slt(n, e.s.Int(e.s.Width(n), 0)), before: true})
	}
	e.claimNot(fr, st, in, in.Check, e.s.True(), true, msg, cases...)
}

func (e *encoder) icmp(fr *frame, st *state, in *ir.Instr) val {
	a, b := e.arg(fr, st, in, 0), e.arg(fr, st, in, 1)
	if in.T.Kind == ir.KindVector {
		out := val{el: make([]val, len(a.el))}
		for i := range a.el {
			out.el[i] = e.icmpOne(st, in, a.el[i], b.el[i])
		}
		return out
	}
	if in.Args[0].Type().IsPtr() {
		e.checkPointerCompare(fr, st, in, in.Pred, a.p, b.p)
		if st.pc == nil {
			return val{}
		}
	}
	return e.icmpOne(st, in, a, b)
}

func (e *encoder) icmpOne(st *state, in *ir.Instr, a, b val) val {
	out := val{}
	switch {
	case a.p != nil && b.p != nil:
		out.t = e.comparePtr(st, in.Pred, a.p, b.p)
	case a.p != nil && (in.Pred == ir.EQ || in.Pred == ir.NE):
		out.t = e.comparePtr(st, in.Pred, a.p, e.asPtr(b))
	case b.p != nil && (in.Pred == ir.EQ || in.Pred == ir.NE):
		out.t = e.comparePtr(st, in.Pred, e.asPtr(a), b.p)
	default:
		out.t = e.compare(in.Pred, e.num(a), e.num(b))
	}
	if a.u != 0 || b.u != 0 {
		out.u = e.compareShadow(in.Pred, a, b)
	}
	return out
}

// compare is LangRef's icmp on bit-vectors.
func (e *encoder) compare(pred ir.Pred, a, b ilr.Term) ilr.Term {
	switch pred {
	case ir.EQ:
		return e.eq(a, b)
	case ir.NE:
		return e.s.Not(e.eq(a, b))
	case ir.UGT:
		return e.s.Ult(b, a)
	case ir.UGE:
		return e.s.Ule(b, a)
	case ir.ULT:
		return e.s.Ult(a, b)
	case ir.ULE:
		return e.s.Ule(a, b)
	case ir.SGT:
		return e.s.Slt(b, a)
	case ir.SGE:
		return e.s.Sle(b, a)
	case ir.SLT:
		return e.s.Slt(a, b)
	}
	return e.s.Sle(a, b)
}

func (e *encoder) selectValue(fr *frame, st *state, in *ir.Instr) val {
	c, a, b := e.arg(fr, st, in, 0), e.arg(fr, st, in, 1), e.arg(fr, st, in, 2)
	if c.el != nil {
		out := val{el: make([]val, len(a.el))}
		for i := range a.el {
			out.el[i] = e.pick(e.cond(c.el[i]), a.el[i], b.el[i])
			if u := e.tidy(c.el[i].u); u != 0 {
				out.el[i] = e.taint(out.el[i], in.T.Elem, u)
			}
		}
		return out
	}
	v := e.pick(e.cond(c), a, b)
	if u := e.tidy(c.u); u != 0 {
		v = e.taint(v, in.T, u)
	}
	return v
}

// taint makes v indeterminate where u has a bit.
func (e *encoder) taint(v val, t *ir.Type, u ilr.Term) val {
	if v.el != nil {
		out := val{el: make([]val, len(v.el))}
		for i := range v.el {
			out.el[i] = e.taint(v.el[i], t.ElemAt(i), u)
		}
		return out
	}
	v.u = e.spreadOver(e.bitsOf(t), v.u, u)
	return v
}
