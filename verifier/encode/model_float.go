package encode

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// floats evaluates the mathematical functions and intrinsics.
func (c *modelCall) floats(m ir.Model) (memory.Val, bool) {
	f := c.floatLane(m)
	if f == nil {
		return memory.Val{}, false
	}
	if !plainFloat(c.in.T) {
		c.gap(c.st, c.in, verdict.Unsupported, "floating point of more than 64 bits")
		return memory.Val{}, true
	}
	return c.lanes(func(_ *modelCall, a []memory.Val, w int) ilr.Term {
		t := make([]ilr.Term, len(a))
		for i := range a {
			t[i] = a[i].Term
		}
		return f(w, t)
	}), true
}

// floatLane is model m on encodings of width w.
func (c *modelCall) floatLane(m ir.Model) func(w int, a []ilr.Term) ilr.Term {
	e := c.encoder
	round := func(rm ilr.RoundingMode) func(int, []ilr.Term) ilr.Term {
		return func(w int, a []ilr.Term) ilr.Term { return e.s.FloatOp(ilr.KFRound, ilr.BV(w), rm, a[0]) }
	}
	switch m {
	case ir.ModelFabs:
		return func(w int, a []ilr.Term) ilr.Term {
			return e.oneNaN(a[0], e.s.BvAnd(a[0], e.s.Const(bits.MaxSigned(w))))
		}
	case ir.ModelSqrt:
		return func(w int, a []ilr.Term) ilr.Term { return e.s.FloatOp(ilr.KFSqrt, ilr.BV(w), ilr.RNE, a[0]) }
	case ir.ModelFloor:
		return round(ilr.RTN)
	case ir.ModelCeil:
		return round(ilr.RTP)
	case ir.ModelTruncF:
		return round(ilr.RTZ)
	case ir.ModelRoundF:
		return round(ilr.RNA)
	case ir.ModelRint:
		return round(ilr.RNE)
	case ir.ModelFmod:
		return func(w int, a []ilr.Term) ilr.Term { return e.s.FloatOp(ilr.KFRem, ilr.BV(w), ilr.RNE, a[0], a[1]) }
	case ir.ModelFma:
		return func(w int, a []ilr.Term) ilr.Term {
			return e.s.FloatOp(ilr.KFFma, ilr.BV(w), ilr.RNE, a[0], a[1], a[2])
		}
	case ir.ModelMulAdd: // LangRef: llvm.fmuladd: fused or not, each time
		return func(w int, a []ilr.Term) ilr.Term {
			once := e.s.FloatOp(ilr.KFFma, ilr.BV(w), ilr.RNE, a[0], a[1], a[2])
			product := e.s.FloatOp(ilr.KFMul, ilr.BV(w), ilr.RNE, a[0], a[1])
			twice := e.s.FloatOp(ilr.KFAdd, ilr.BV(w), ilr.RNE, product, a[2])
			fused := e.Fresh(c.st, input.Unspecified, c.in, ir.Int(1), "rounded once")
			return e.s.Ite(e.Cond(fused), once, twice)
		}
	case ir.ModelCopysign:
		return func(w int, a []ilr.Term) ilr.Term {
			sign := e.s.Const(bits.MinSigned(w))
			r := e.s.BvOr(e.s.BvAnd(a[0], e.s.BvNot(sign)), e.s.BvAnd(a[1], sign))
			return e.oneNaN(a[0], r)
		}
	case ir.ModelMinnum:
		return func(_ int, a []ilr.Term) ilr.Term { return e.extreme(a[0], a[1], a[0], a[1]) }
	case ir.ModelMaxnum:
		return func(_ int, a []ilr.Term) ilr.Term { return e.extreme(a[0], a[1], a[1], a[0]) }
	}
	return nil
}

// oneNaN is r, or the one NaN where x is a NaN.
func (e *encoder) oneNaN(x, r ilr.Term) ilr.Term {
	return e.s.Ite(e.isNaN(x), e.s.Const(e.nan(e.s.Width(x))), r)
}

// extreme is fmin or fmax of p and q: p where lo < hi, a number wins over NaN,
// of equal ones the second.
func (e *encoder) extreme(p, q, lo, hi ilr.Term) ilr.Term {
	better := e.s.FloatOp(ilr.KFLt, ilr.Bool, ilr.RNE, lo, hi)
	r := e.s.Ite(better, p, q)
	r = e.s.Ite(e.isNaN(p), q, r)
	return e.s.Ite(e.isNaN(q), e.oneNaN(p, p), r)
}
