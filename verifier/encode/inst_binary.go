package encode

import (
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// binaryOp is the meaning of an integer operation (LangRef: Binary Operations, Bitwise Binary Operations).
type binaryOp struct {
	word   string // for people
	kind   ilr.Kind
	bit    func(s *ilr.Store, x, y ilr.Term) ilr.Term // the result on single bits, which are Bools
	claims []binaryClaim                              // in the order in which they are asked
}

// binaryClaim is a way in which an operation has no result, or poison.
type binaryClaim struct {
	check verdict.Check
	flag  ir.Flags // of the instruction; 0: any has it
	fails func(e *encoder, x, y ilr.Term) ilr.Term
	text  string // with %s for the operation and %d for the width
	off   unasked
}

// unasked says what an operation that fails gives where nobody asks.
type unasked uint8

const (
	machineResult unasked = iota // what the machine computes
	anyResult                    // any value (LangRef: poison)
	noResult                     // the path ends
)

// binaryOps has a row for each operation, in LangRef's order.
var binaryOps = map[ir.Op]binaryOp{
	ir.OpAdd: {"addition", ilr.KAdd, (*ilr.Store).Xor, []binaryClaim{
		{verdict.SignedOverflow, ir.NSW, storeOp((*ilr.Store).SaddO), signedText, machineResult},
		{verdict.UnsignedOverflow, ir.NUW, storeOp((*ilr.Store).UaddO), unsignedText, machineResult}}},
	ir.OpSub: {"subtraction", ilr.KInvalid, (*ilr.Store).Xor, []binaryClaim{ // x + -y
		{verdict.SignedOverflow, ir.NSW, storeOp((*ilr.Store).SsubO), signedText, machineResult},
		{verdict.UnsignedOverflow, ir.NUW, storeOp((*ilr.Store).UsubO), unsignedText, machineResult}}},
	ir.OpMul: {"multiplication", ilr.KMul, andBits, []binaryClaim{
		{verdict.SignedOverflow, ir.NSW, storeOp((*ilr.Store).SmulO), signedText, machineResult},
		{verdict.UnsignedOverflow, ir.NUW, storeOp((*ilr.Store).UmulO), unsignedText, machineResult}}},

	ir.OpUdiv: {"division", ilr.KUdiv, firstBit, []binaryClaim{zeroDivisor, inexact(ilr.KUdiv)}},
	ir.OpSdiv: {"division", ilr.KSdiv, firstBit, []binaryClaim{zeroDivisor, smallestByMinus1, inexact(ilr.KSdiv)}},
	ir.OpUrem: {"remainder", ilr.KUrem, zeroBit, []binaryClaim{zeroDivisor, inexact(ilr.KUrem)}},
	ir.OpSrem: {"remainder", ilr.KSrem, zeroBit, []binaryClaim{zeroDivisor, smallestByMinus1, inexact(ilr.KSrem)}},

	ir.OpShl: {"left shift", ilr.KShl, firstBit, []binaryClaim{tooFar,
		{verdict.SignedOverflow, ir.NSW, losesSigned, "%s loses bits of a signed value", machineResult},
		{verdict.UnsignedOverflow, ir.NUW, losesUnsigned, "%s loses bits of an unsigned value", anyResult},
		inexact(ilr.KShl)}},
	ir.OpLshr: {"right shift", ilr.KLshr, firstBit, []binaryClaim{tooFar, inexact(ilr.KLshr)}},
	ir.OpAshr: {"right shift", ilr.KAshr, firstBit, []binaryClaim{tooFar, inexact(ilr.KAshr)}},

	ir.OpAnd: {"and", ilr.KBvAnd, andBits, nil},
	ir.OpOr:  {"or", ilr.KBvOr, orBits, nil},
	ir.OpXor: {"exclusive or", ilr.KBvXor, (*ilr.Store).Xor, nil},
}

const (
	signedText   = "signed %s of %d bits overflows"
	unsignedText = "unsigned %s of %d bits wraps around"
)

// The claims that several operations have.
var (
	zeroDivisor = binaryClaim{verdict.DivByZero, 0, func(e *encoder, _, y ilr.Term) ilr.Term {
		return e.Eq(y, e.s.Int(e.s.Width(y), 0))
	}, "%s by zero", noResult}
	smallestByMinus1 = binaryClaim{verdict.SignedOverflow, 0, func(e *encoder, x, y ilr.Term) ilr.Term {
		w := e.s.Width(x)
		return e.s.And(e.Eq(x, e.s.Const(bits.MinSigned(w))), e.Eq(y, e.s.Int(w, -1)))
	}, "signed %s of the smallest value by -1 overflows", machineResult}
	tooFar = binaryClaim{verdict.Shift, 0, func(e *encoder, x, y ilr.Term) ilr.Term {
		w := e.s.Width(x)
		if w == 1 {
			return e.Bit(y)
		}
		return e.s.Not(e.s.Ult(y, e.s.Const(bits.New(w, uint64(w)))))
	}, "%s amount is not below the width of %d bits", anyResult}
)

// inexact is the claim that an exact division or shift loses nothing (LL-100, LL-103): clang marks the distance of
// two pointers so.
func inexact(k ilr.Kind) binaryClaim {
	fails := func(e *encoder, x, y ilr.Term) ilr.Term {
		r := e.s.Make(k, e.s.Sort(x), 0, []ilr.Term{x, y})
		switch k {
		case ilr.KShl, ilr.KLshr, ilr.KAshr:
			return e.s.Not(e.Eq(e.s.Shl(r, y), x))
		}
		if c, ok := e.ConstOf(y); ok && c == 1 {
			return e.s.False()
		} else if ok && c&(c-1) == 0 && c > 0 {
			return e.s.Not(e.Eq(e.Low(x, memory.Log2(int64(c))), e.s.Int(memory.Log2(int64(c)), 0)))
		}
		return e.s.Not(e.Eq(e.s.Mul(r, y), x))
	}
	return binaryClaim{verdict.PointerCompare, ir.Exact, fails,
		"distance of two pointers is no multiple of the element size", anyResult}
}

func storeOp(f func(*ilr.Store, ilr.Term, ilr.Term) ilr.Term) func(*encoder, ilr.Term, ilr.Term) ilr.Term {
	return func(e *encoder, x, y ilr.Term) ilr.Term { return f(e.s, x, y) }
}

func andBits(s *ilr.Store, x, y ilr.Term) ilr.Term  { return s.And(x, y) }
func orBits(s *ilr.Store, x, y ilr.Term) ilr.Term   { return s.Or(x, y) }
func firstBit(_ *ilr.Store, x, _ ilr.Term) ilr.Term { return x } // divided by 1, shifted by 0
func zeroBit(s *ilr.Store, _, _ ilr.Term) ilr.Term  { return s.False() }

// losesSigned returns the condition that x << y drops bits other than copies of the sign.
func losesSigned(e *encoder, x, y ilr.Term) ilr.Term {
	return e.s.Not(e.s.Eq(e.s.Ashr(e.s.Shl(x, y), y), x))
}

// losesUnsigned returns the condition that x << y drops bits that are not 0.
func losesUnsigned(e *encoder, x, y ilr.Term) ilr.Term {
	return e.s.Not(e.s.Eq(e.s.Lshr(e.s.Shl(x, y), y), x))
}

// binaryTerm is the result of op on bit-vectors.
func (e *encoder) binaryTerm(op ir.Op, x, y ilr.Term) ilr.Term {
	if op == ir.OpSub {
		return e.s.Sub(x, y)
	}
	return e.s.Make(binaryOps[op].kind, e.s.Sort(x), 0, []ilr.Term{x, y})
}

// binary evaluates integer arithmetic, lane by lane for vectors, with the claims of its flags and operands first.
func (e *encoder) binary(fr *frame, st *memory.State, in *ir.Instr) memory.Val {
	a, b := e.arg(fr, st, in, 0), e.arg(fr, st, in, 1)
	if in.T.Kind != ir.KindVector {
		switch in.Op {
		case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl:
			a.Term, b.Term = e.narrow(st.PC, a.Term), e.narrow(st.PC, b.Term)
		}
		if e.binaryClaims(fr, st, in, []memory.Val{a}, []memory.Val{b}); st.PC == nil {
			return memory.Val{}
		}
		return e.binaryOne(st, in, a, b, in.T)
	}
	if e.binaryClaims(fr, st, in, a.Elems, b.Elems); st.PC == nil {
		return memory.Val{}
	}
	out := memory.Val{Elems: make([]memory.Val, len(a.Elems))}
	for i := range a.Elems {
		out.Elems[i] = e.binaryOne(st, in, a.Elems[i], b.Elems[i], in.T.Elem)
	}
	return out
}

// binaryClaims claims what the row of in says, and of a distance of pointers that they point into one object.
func (e *encoder) binaryClaims(fr *frame, st *memory.State, in *ir.Instr, a, b []memory.Val) {
	op := binaryOps[in.Op]
	switch in.Op {
	case ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem:
		for _, y := range b {
			e.checkDefined(fr, st, in, y, "divisor")
		}
	}
	w := e.s.Width(e.Num(a[0]))
	for _, c := range op.claims {
		if c.flag != 0 && (!in.Flags.Has(c.flag) || !e.opts.Checks.Has(c.check) || c.flag == ir.Exact && w == 1) {
			continue
		}
		if c.flag == ir.NSW && in.Op != ir.OpShl && e.opts.MathInts {
			continue
		}
		bad := e.any(a, b, func(x, y ilr.Term) ilr.Term { return c.fails(e, x, y) })
		text := strings.NewReplacer("%s", op.word, "%d", strconv.Itoa(w)).Replace(c.text)
		e.claimNot(fr, st, in, c.check, bad, c.off == noResult, text)
	}
	if in.Flags.Has(ir.PtrDiff) && a[0].Ptr != nil && b[0].Ptr != nil {
		e.checkSameObject(fr, st, in, verdict.PointerCompare, a[0].Ptr, b[0].Ptr, "subtracted")
	}
}

// any is the disjunction of f over lanes.
func (e *encoder) any(a, b []memory.Val, f func(x, y ilr.Term) ilr.Term) ilr.Term {
	r := e.s.False()
	for i := range a {
		r = e.s.Or(r, f(e.Num(a[i]), e.Num(b[i])))
	}
	return r
}

// binaryOne is the result for one lane of type t, and any value where that is poison and nobody asks.
func (e *encoder) binaryOne(st *memory.State, in *ir.Instr, a, b memory.Val, t *ir.Type) memory.Val {
	v := e.binaryResult(in.Op, a, b, t)
	if t.Width == 1 {
		return v
	}
	for _, c := range binaryOps[in.Op].claims {
		name, kind := "shift", input.Unspecified
		switch {
		case c.flag != 0 && !in.Flags.Has(c.flag):
			continue
		case c.off == anyResult && c.flag == 0 && !e.asks(in, c.check):
		case c.off == anyResult && c.flag != 0 && !e.opts.Checks.Has(c.check):
			name, kind = "poison", input.Undef
		case c.flag == ir.NSW && in.Flags.Has(ir.NSW) && e.opts.AnyOverflow && in.T.Kind != ir.KindVector &&
			!e.opts.Checks.Has(c.check):
			name, kind = "overflow", input.Undef
		default:
			continue
		}
		bad := c.fails(e, e.Num(a), e.Num(b))
		if other := e.fork(st, bad); other != nil {
			v = e.Pick(e.s.Not(bad), v, e.Fresh(other, kind, in, t, name))
		}
	}
	return v
}

// binaryResult returns what op gives on values of type t, with its indeterminate bits.
func (e *encoder) binaryResult(op ir.Op, a, b memory.Val, t *ir.Type) memory.Val {
	v := e.binaryValue(op, a, b, t)
	if a.Undef != 0 || b.Undef != 0 {
		v.Undef = e.Tidy(e.binaryShadow(op, a, b, t.Width))
	}
	return v
}

func (e *encoder) binaryValue(op ir.Op, a, b memory.Val, t *ir.Type) memory.Val {
	if t.Width == 1 {
		return memory.Val{Term: binaryOps[op].bit(e.s, e.Cond(a), e.Cond(b))}
	}
	if v, ok := e.pointerInt(op, a, b); ok {
		return v
	}
	return memory.Val{Term: e.binaryTerm(op, e.Num(a), e.Num(b))}
}
