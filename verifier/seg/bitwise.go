package seg

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// binaryBool executes and, or, xor of i1, whose operands are constants by now.
func (b *builder) binaryBool(s *state, in *ir.Instr, l, r value) result {
	x, ok := b.decide(s, l.cond)
	y, ok2 := b.decide(s, r.cond)
	if l.kind != boolValue || r.kind != boolValue || !ok2 || !ok {
		return b.unknown(s, in)
	}
	var h bool
	switch in.Op {
	case ir.OpAnd, ir.OpMul:
		h = x && y
	case ir.OpOr:
		h = x || y
	case ir.OpXor, ir.OpAdd, ir.OpSub:
		h = x != y
	default:
		return b.unknown(s, in)
	}
	return b.set(s, in, value{kind: boolValue, cond: truth(h)})
}

// bitwise is and, or, xor: exact for constants, masks of low bits, and the
// complement; else the bounds of BV-32 and BV-33.
func (b *builder) bitwise(s *state, in *ir.Instr, l, r value) result {
	w := in.T.Width
	x, _ := b.read(s, l, w, signed)
	y, _ := b.read(s, r, w, signed)
	if x.IsConst() {
		x, y = y, x
	}
	if y.IsConst() {
		if e, ok := b.bitwiseConst(s, in.Op, x, y.Const, w); ok {
			return b.set(s, in, number(e, signed))
		}
	}
	if x.Equal(y) {
		if in.Op == ir.OpXor {
			x = exact.Lin{}
		}
		return b.set(s, in, number(x, signed))
	}
	return b.bitwiseBounds(s, in, x, y)
}

// bitwiseConst is x op c where it is linear.
func (b *builder) bitwiseConst(s *state, op ir.Op, x exact.Lin, c exact.Int, w int) (exact.Lin, bool) {
	if x.IsConst() && !b.opts.MathInts {
		p, q := bits.FromBig(w, x.Const.Big()), bits.FromBig(w, c.Big())
		return constInt(exact.FromBig(bitOp(op, p, q).Signed())), true
	}
	ones, zero := c.Equal(exact.I(-1)), c.IsZero()
	switch {
	case op == ir.OpXor && ones:
		return x.Neg().AddInt(-1), true
	case op == ir.OpAnd && ones, op != ir.OpAnd && zero:
		return x, true
	case op == ir.OpAnd && zero:
		return exact.Lin{}, true
	case op == ir.OpOr && ones:
		return exact.C(-1), true
	}
	if op != ir.OpAnd && op != ir.OpOr {
		return exact.Lin{}, false
	}
	if k, ok := lowMask(c); ok && op == ir.OpAnd { // x & (2^k - 1) = x mod 2^k, also for negative x
		_, rem := b.floorDiv(s, x, exact.I(2).Pow(k))
		return rem, true
	}
	if k, ok := lowMask(c.Neg().Add(exact.I(-1))); ok { // c = -2^k: x & c clears, x | ^c sets the low bits
		q, _ := b.floorDiv(s, x, exact.I(2).Pow(k))
		if op == ir.OpAnd {
			return q.Scale(exact.I(2).Pow(k)), true
		}
	}
	if k, ok := lowMask(c); ok && op == ir.OpOr {
		q, _ := b.floorDiv(s, x, exact.I(2).Pow(k))
		return q.Scale(exact.I(2).Pow(k)).Add(constInt(c)), true
	}
	if k, ok := powerOf2(c); ok && k < w-1 { // one bit: x = 2^(k+1)*q + 2^k*bit + low
		high, rem := b.floorDiv(s, x, exact.I(2).Pow(k+1))
		bit, low := b.floorDiv(s, rem, exact.I(2).Pow(k))
		if op == ir.OpAnd {
			return bit.Scale(exact.I(2).Pow(k)), true
		}
		return high.Scale(exact.I(2).Pow(k + 1)).Add(low).Add(constInt(c)), true
	}
	return exact.Lin{}, false
}

func bitOp(op ir.Op, p, q bits.Vec) bits.Vec {
	switch op {
	case ir.OpAnd:
		return bits.And(p, q)
	case ir.OpOr:
		return bits.Or(p, q)
	}
	return bits.Xor(p, q)
}

// lowMask reports c = 2^k - 1 with k > 0.
func lowMask(c exact.Int) (int, bool) {
	if c.Sign() <= 0 {
		return 0, false
	}
	k := c.BitLen()
	return k, exact.I(2).Pow(k).Add(exact.I(-1)).Equal(c)
}

func powerOf2(c exact.Int) (int, bool) {
	if c.Sign() <= 0 {
		return 0, false
	}
	k := c.BitLen() - 1
	return k, exact.I(2).Pow(k).Equal(c)
}

func (b *builder) bitwiseBounds(s *state, in *ir.Instr, x, y exact.Lin) result {
	s.inexact(in.Op.String() + " of two variables")
	v := b.fresh(s, in.T, in.Op.String(), signed)
	xp, yp := b.ask.proves(s.know, x), b.ask.proves(s.know, y)
	xn, yn := b.ask.proves(s.know, x.Neg().AddInt(-1)), b.ask.proves(s.know, y.Neg().AddInt(-1))
	switch in.Op {
	case ir.OpAnd:
		if xp || yp {
			s.know.ge(v.lin)
		}
		if xp || xn && yn {
			s.know.ge(x.Sub(v.lin))
		}
		if yp || xn && yn {
			s.know.ge(y.Sub(v.lin))
		}
	case ir.OpOr:
		if xp && yp {
			s.know.ge(v.lin.Sub(x))
			s.know.ge(v.lin.Sub(y))
			s.know.ge(x.Add(y).Sub(v.lin))
		}
		if xn || yn {
			s.know.ge(v.lin.Neg().AddInt(-1))
		}
	case ir.OpXor:
		if xp && yp || xn && yn {
			s.know.ge(v.lin)
		}
		if xp && yp {
			s.know.ge(x.Add(y).Sub(v.lin))
		}
		if xp && yn || xn && yp {
			s.know.ge(v.lin.Neg().AddInt(-1))
		}
	}
	return b.set(s, in, v)
}

// convert executes the conversions.
func (b *builder) convert(s *state, in *ir.Instr) result {
	v := b.value(s, in.Args[0])
	from := in.Args[0].Type()
	switch in.Op {
	case ir.OpBitcast:
		if from.Kind == in.T.Kind && from.Width == in.T.Width {
			return b.set(s, in, v)
		}
	case ir.OpPtrToInt:
		if from.Width == in.T.Width && (v.kind == ptrValue || v.kind == intValue) {
			return b.set(s, in, v) // the pair is kept
		}
		if e, ok := b.read(s, v, from.Width, unsigned); ok {
			return b.set(s, in, number(b.fit(s, e, in.T.Width, unsigned), unsigned))
		}
	case ir.OpIntToPtr:
		if v.kind == ptrValue && from.Width == in.T.Width {
			return b.set(s, in, v)
		}
		if e, ok := b.read(s, v, from.Width, unsigned); ok {
			return b.set(s, in, number(b.fit(s, e, in.T.Width, unsigned), unsigned))
		}
	case ir.OpZext, ir.OpSext:
		if in.T.Kind != ir.KindInt {
			break
		}
		if v.kind == boolValue {
			h, known := b.decide(s, v.cond)
			if !known {
				break
			}
			n := int64(0)
			if h && in.Op == ir.OpZext {
				n = 1
			} else if h {
				n = -1
			}
			r := anyRep
			if n < 0 {
				r = signed
			}
			return b.set(s, in, number(exact.C(n), r))
		}
		r := unsigned
		if in.Op == ir.OpSext {
			r = signed
		}
		if e, ok := b.read(s, v, from.Width, r); ok {
			if r == unsigned {
				r = anyRep // fits both readings of the wider type
			}
			return b.set(s, in, number(e, r))
		}
	case ir.OpTrunc:
		return b.truncate(s, in, v, from.Width)
	}
	return b.unknown(s, in)
}

func (b *builder) truncate(s *state, in *ir.Instr, v value, w int) result {
	if v.kind != intValue && v.kind != ptrValue {
		return b.unknown(s, in)
	}
	e := v.lin
	if v.kind == ptrValue {
		e, _ = b.read(s, v, w, unsigned)
	}
	if in.T.Width == 1 { // the lowest bit
		_, bit := b.floorDiv(s, e, exact.I(2))
		return b.set(s, in, value{kind: boolValue, cond: cond{relNE, bit}})
	}
	r := b.class(in)
	if r == anyRep {
		r = signed
	}
	return b.set(s, in, number(b.fit(s, e, in.T.Width, r), r))
}
