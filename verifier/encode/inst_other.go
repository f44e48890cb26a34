package encode

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// instr evaluates one instruction that is neither phi nor terminator.
func (e *encoder) instr(fr *frame, st *memory.State, in *ir.Instr) {
	var v memory.Val
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
	if st.PC != nil && in.T != nil && !in.T.IsVoid() {
		fr.set(st, in, v)
	}
}

// other evaluates LangRef's Other Operations, and traps.
func (e *encoder) other(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
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
		v.Undef = 0
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
	return memory.Val{}
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
func (e *encoder) trap(fr *frame, st *memory.State, in *ir.Instr) {
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
		n := e.Num(e.value(fr, st, in, index))
		cases = append(cases, failure{when: e.s.Slt(n, e.s.Int(e.s.Width(n), 0)), before: true})
	}
	e.claimNot(fr, st, in, in.Check, e.s.True(), true, msg, cases...)
}

func (e *encoder) icmp(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	a, b := e.arg(fr, st, in, 0), e.arg(fr, st, in, 1)
	if in.T.Kind == ir.KindVector {
		out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
		for i := range a.Elems {
			out.Elems[i] = e.icmpOne(st, in, a.Elems[i], b.Elems[i])
		}
		return out
	}
	if in.Args[0].Type().IsPtr() {
		e.checkPointerCompare(fr, st, in, in.Pred, a.Ptr, b.Ptr)
		if st.PC == nil {
			return memory.Val{}
		}
	}
	return e.icmpOne(st, in, a, b)
}

func (e *encoder) icmpOne(st *memory.State, in *ir.Instr, a, b memory.Val) memory.Val {
	out := memory.Val{}
	switch {
	case a.Ptr != nil && b.Ptr != nil:
		out.Term = e.ComparePtr(st, in.Pred, a.Ptr, b.Ptr)
	case a.Ptr != nil && (in.Pred == ir.EQ || in.Pred == ir.NE):
		out.Term = e.ComparePtr(st, in.Pred, a.Ptr, e.AsPtr(b))
	case b.Ptr != nil && (in.Pred == ir.EQ || in.Pred == ir.NE):
		out.Term = e.ComparePtr(st, in.Pred, e.AsPtr(a), b.Ptr)
	default:
		out.Term = e.Compare(in.Pred, e.Num(a), e.Num(b))
	}
	if a.Undef != 0 || b.Undef != 0 {
		out.Undef = e.compareShadow(in.Pred, a, b)
	}
	return out
}

func (e *encoder) selectValue(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	c, a, b := e.arg(fr, st, in, 0), e.arg(fr, st, in, 1), e.arg(fr, st, in, 2)
	if c.Elems != nil {
		out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
		for i := range a.Elems {
			out.Elems[i] = e.Pick(e.Cond(c.Elems[i]), a.Elems[i], b.Elems[i])
			if u := e.Tidy(c.Elems[i].Undef); u != 0 {
				out.Elems[i] = e.taint(out.Elems[i], in.T.Elem, u)
			}
		}
		return out
	}
	v := e.Pick(e.Cond(c), a, b)
	if u := e.Tidy(c.Undef); u != 0 {
		v = e.taint(v, in.T, u)
	}
	return v
}

// taint makes v indeterminate where u has a bit.
func (e *encoder) taint(v memory.Val, t *ir.Type, u ilr.Term) memory.Val {
	if v.Elems != nil {
		out := memory.Val{Elems: make([]memory.Val, len(v.Elems))}
		for i := range v.Elems {
			out.Elems[i] = e.taint(v.Elems[i], t.ElemAt(i), u)
		}
		return out
	}
	v.Undef = e.spreadOver(e.BitsOf(t), v.Undef, u)
	return v
}
