package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// other executes what has no class of its own.
func (b *builder) other(s *state, in *ir.Instr) result {
	switch in.Op {
	case ir.OpCall:
		return b.call(s, in)
	case ir.OpTrap:
		b.note(Fault{In: in, Check: in.Check, What: "the trap is not reached", Wraps: overflowTrap(in.Block)})
		if overflowTrap(in.Block) {
			b.over = append(b.over, s.clone())
		}
		return stop("violation of " + string(in.Check))
	case ir.OpSelect:
		c := b.value(s, in.Args[0])
		if h, known := b.decide(s, c.cond); c.kind == boolValue && known {
			if h {
				return b.set(s, in, b.value(s, in.Args[1]))
			}
			return b.set(s, in, b.value(s, in.Args[2]))
		}
		return b.unknown(s, in)
	case ir.OpFreeze:
		return b.set(s, in, b.value(s, in.Args[0]))
	case ir.OpFcmp:
		s.inexact("comparison of floating-point numbers")
		return b.set(s, in, value{kind: boolValue, cond: cond{rel: relAny}})
	}
	name := in.Op.String()
	if in.What != "" && in.Op != ir.OpAsm {
		name = in.What
	}
	return giveUp(verdict.Unsupported, name)
}

func (b *builder) aggregate(s *state, in *ir.Instr) result {
	if in.Op == ir.OpExtractValue {
		v := b.value(s, in.Args[0])
		for _, i := range in.Indices {
			if v.kind != aggValue || i >= len(v.agg) {
				return b.unknown(s, in)
			}
			v = v.agg[i]
		}
		return b.set(s, in, v)
	}
	return b.unknown(s, in)
}

// model executes a function that the engines know.
func (b *builder) model(s *state, in *ir.Instr, m ir.Model) result {
	arg := func(n int) value { return b.value(s, in.Args[n]) }
	switch m {
	case ir.ModelStubHavoc, ir.ModelHavocRest:
		if slices.ContainsFunc(in.Args, func(a ir.Value) bool { return a.Type().IsPtr() }) {
			return giveUp(verdict.Unsupported, "call of "+in.CalledName()+
				", whose stub may write what its arguments lead to")
		}
		return b.model(s, in, ir.ModelNondet) // is the same without pointers
	case ir.ModelNondet:
		return b.set(s, in, b.nondet(s, in))
	case ir.ModelKept:
		if b.opts.KeepsRanges {
			return b.demand(s, in, arg(0), ir.ModelAssume)
		}
		return b.set(s, in, b.fresh(s, in.T, "unspecified", anyRep))
	case ir.ModelAssume, ir.ModelAssumeI, ir.ModelAssert:
		return b.demand(s, in, arg(0), m)
	case ir.ModelExit:
		b.leaks(s, ir.EndOf(in.CalledName()))
		return stop("end of the program")
	case ir.ModelFail, ir.ModelAssertFail:
		b.fault(s, verdict.Assert, "the failure is not reached")
		b.leaks(s, ir.EndFailed)
		return stop("end of the program")
	case ir.ModelTrapI:
		b.leaks(s, ir.EndAbort)
		return stop("end of the program")
	case ir.ModelRange:
		return b.inRange(s, in)
	case ir.ModelLifetimeStart, ir.ModelLifetimeEnd:
		return b.lifetime(s, in, m)
	case ir.ModelVaEnd:
		b.reads(s, "the list of arguments is one")
		return b.set(s, in, b.fresh(s, in.T, "unspecified", anyRep))
	case ir.ModelNop, ir.ModelStackRestore:
		if !in.T.IsVoid() {
			b.fault(s, verdict.Uninitialised, "the function returns a value")
		}
		return b.set(s, in, b.fresh(s, in.T, "unspecified", anyRep))
	case ir.ModelStackSave, ir.ModelROK, ir.ModelWOK, ir.ModelRWOK, ir.ModelObjectSize, ir.ModelPtrOffset,
		ir.ModelPtrObject,
		ir.ModelSameObject, ir.ModelDynObject, ir.ModelObjSizeI, ir.ModelIsConst, ir.ModelCtpop, ir.ModelCtlz,
		ir.ModelCttz,
		ir.ModelBswap, ir.ModelBitrev, ir.ModelFshl, ir.ModelFshr, ir.ModelSaddSat, ir.ModelUaddSat, ir.ModelSsubSat,
		ir.ModelUsubSat,
		ir.ModelSshlSat, ir.ModelUshlSat, ir.ModelFabs, ir.ModelFma, ir.ModelMulAdd,
		ir.ModelSqrt,
		ir.ModelFloor, ir.ModelCeil, ir.ModelTruncF, ir.ModelRoundF, ir.ModelRint, ir.ModelCopysign, ir.ModelMinnum,
		ir.ModelMaxnum, ir.ModelCtype, ir.ModelTruth, ir.ModelAsFacts, ir.ModelIndex, ir.ModelForAll:
		return b.unknown(s, in)
	case ir.ModelMemcmp, ir.ModelStrcmp, ir.ModelStrncmp:
		b.reads(s, "the strings end inside their objects")
		return b.unknown(s, in)
	case ir.ModelPrintf:
		for _, a := range in.Args {
			if c, ok := a.(*ir.Const); a.Type().IsPtr() && !(ok && c.Global != nil && c.Global.Const) {
				b.reads(s, "a string that is printed ends inside its object")
			}
		}
		v := b.fresh(s, in.T, "printed", signed)
		s.input(NondetInput, in, in.T.Width, v)
		return b.set(s, in, v)
	case ir.ModelExpect:
		return b.set(s, in, arg(0))
	case ir.ModelAbs, ir.ModelAbsI:
		return b.abs(s, in)
	case ir.ModelSmax, ir.ModelSmin, ir.ModelUmax, ir.ModelUmin:
		return b.extremum(s, in, m)
	case ir.ModelSaddO, ir.ModelUaddO, ir.ModelSsubO, ir.ModelUsubO, ir.ModelSmulO, ir.ModelUmulO:
		return b.withOverflow(s, in, m)
	}
	return b.memoryModel(s, in, m)
}

// demand ends the run where v is false: an assumption, or an assertion, which should hold.
func (b *builder) demand(s *state, in *ir.Instr, v value, m ir.Model) result {
	fails := func() {
		switch m {
		case ir.ModelAssert:
			b.fault(s, verdict.Assert, "the assertion holds")
			b.leaks(s, ir.EndFailed)
		case ir.ModelAssumeI:
			b.fault(s, verdict.Builtin, "the assumption holds")
		}
	}
	c := cond{rel: relAny}
	switch v.kind {
	case boolValue:
		c = v.cond
	case intValue:
		c = cond{relNE, v.lin}
	case ptrValue, funcValue:
		return result{kind: advanced}
	}
	if h, known := b.decide(s, c); known {
		if !h {
			fails()
			return stop("assumption or assertion is false")
		}
		return b.set(s, in, b.fresh(s, in.T, "unspecified", anyRep))
	}
	fails()
	out := b.assume(s, c)
	for _, t := range out {
		b.set(t, in, b.fresh(t, in.T, "unspecified", anyRep))
		t.top().idx++
	}
	return fork(out)
}

func (b *builder) inRange(s *state, in *ir.Instr) result {
	w := in.T.Width
	v := b.fresh(s, in.T, "input", signed)
	s.input(NondetInput, in, w, v)
	lo, ok := b.read(s, b.value(s, in.Args[0]), w, signed)
	hi, ok2 := b.read(s, b.value(s, in.Args[1]), w, signed)
	if !ok || !ok2 || v.kind != intValue {
		return b.unknown(s, in)
	}
	s.know.ge(v.lin.Sub(lo))
	s.know.ge(hi.Sub(v.lin).AddInt(-1))
	if !b.ask.consistent(s.know) {
		return stop("empty range")
	}
	return b.set(s, in, v)
}

// abs splits on the sign.
func (b *builder) abs(s *state, in *ir.Instr) result {
	w := in.T.Width
	x, ok := b.read(s, b.value(s, in.Args[0]), w, signed)
	if !ok {
		return b.unknown(s, in)
	}
	c := cond{relGE, x}
	h, known := b.decide(s, c)
	if !known {
		no := s.clone()
		return b.redo(s, append(b.assume(s, c), b.assume(no, c.not())...))
	}
	if h {
		return b.set(s, in, number(x, anyRep))
	}
	lo, hi := limits(w, signed)
	if !b.opts.MathInts && !b.within(s, x.Neg(), lo, hi, verdict.SignedOverflow) {
		return stop("signed overflow")
	}
	return b.set(s, in, number(x.Neg(), anyRep))
}

func (b *builder) extremum(s *state, in *ir.Instr, m ir.Model) result {
	as := signed
	if m == ir.ModelUmax || m == ir.ModelUmin {
		as = unsigned
	}
	x, ok := b.read(s, b.value(s, in.Args[0]), in.T.Width, as)
	y, ok2 := b.read(s, b.value(s, in.Args[1]), in.T.Width, as)
	if !ok || !ok2 {
		return b.unknown(s, in)
	}
	c := cond{relGE, x.Sub(y)}
	h, known := b.decide(s, c)
	if !known {
		no := s.clone()
		return b.redo(s, append(b.assume(s, c), b.assume(no, c.not())...))
	}
	if h == (m == ir.ModelSmax || m == ir.ModelUmax) {
		return b.set(s, in, number(x, as))
	}
	return b.set(s, in, number(y, as))
}

// withOverflow computes {result, overflowed}; it splits on the overflow.
func (b *builder) withOverflow(s *state, in *ir.Instr, m ir.Model) result {
	w := in.Args[0].Type().Width
	as := signed
	if m == ir.ModelUaddO || m == ir.ModelUsubO || m == ir.ModelUmulO {
		as = unsigned
	}
	x, ok := b.read(s, b.value(s, in.Args[0]), w, as)
	y, ok2 := b.read(s, b.value(s, in.Args[1]), w, as)
	if !ok || !ok2 {
		return b.unknown(s, in)
	}
	var e exact.Lin
	switch m {
	case ir.ModelSaddO, ir.ModelUaddO:
		e = x.Add(y)
	case ir.ModelSsubO, ir.ModelUsubO:
		e = x.Sub(y)
	default:
		switch {
		case x.IsConst():
			e = y.Scale(x.Const)
		case y.IsConst():
			e = x.Scale(y.Const)
		default:
			e = b.product(s, x, y)
		}
	}
	lo, hi := limits(w, as)
	below := exact.Lin{Terms: e.Terms, Const: e.Const.Sub(lo)}
	above := exact.Lin{Terms: e.Neg().Terms, Const: hi.Sub(e.Const)}
	var out []*state
	finish := func(t *state, over bool) {
		r := e
		if over {
			r = b.fit(t, e, w, as)
		}
		b.set(t, in, value{kind: aggValue, agg: []value{number(r, as), {kind: boolValue, cond: truth(over)}}})
		t.top().idx++
		out = append(out, t)
	}
	under, over := s.clone(), s.clone()
	for _, t := range b.assume(s, cond{relGE, below}) {
		for _, u := range b.assume(t, cond{relGE, above}) {
			finish(u, false)
		}
	}
	for _, t := range b.assume(under, cond{relGE, below}.not()) {
		finish(t, true)
	}
	for _, t := range b.assume(over, cond{relGE, above}.not()) {
		finish(t, true)
	}
	return fork(out)
}
