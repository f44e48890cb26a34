package leap

import (
	"math/big"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// computed is the form of the result of in, which computes without memory; false if there is none.
func (p *pass) computed(in *ir.Instr) (form, bool) {
	if p.allSame(in) {
		return nil, p.plainly(in)
	}
	switch in.Op {
	case ir.OpSelect:
		return p.selects(in)
	case ir.OpFreeze:
		return p.formOf(in.Args[0]), true
	case ir.OpIcmp:
		return nil, p.compares(in)
	case ir.OpTrunc, ir.OpZext, ir.OpSext:
		f, ok := p.full(in.Args[0])
		if !ok || in.T.Kind != ir.KindInt || in.T.Width > 64 {
			return nil, false
		}
		return p.resized(in.Op, f, in.T.Width), true
	}
	if in.Op.Class() != ir.ClassBinary || in.T.Kind != ir.KindInt {
		return nil, false
	}
	f, okF := p.full(in.Args[0])
	g, okG := p.full(in.Args[1])
	if !okF || !okG {
		return nil, false
	}
	return p.binary(in, f, g)
}

// plainly reports whether in gives the same result for the same operands, and looks at no address.
func (p *pass) plainly(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpPtrToInt, ir.OpIntToPtr:
		return false
	case ir.OpIcmp:
		if !in.Args[0].Type().IsPtr() {
			return true
		}
		a, okA := p.known(in.Args[0])
		b, okB := p.known(in.Args[1])
		return okA && okB && (a.Object == b.Object && a.Object != nil || a.Object == nil && a.Bits.IsZero() ||
			b.Object == nil && b.Bits.IsZero()) && (in.Pred == ir.EQ || in.Pred == ir.NE)
	case ir.OpFcmp, ir.OpSelect, ir.OpFreeze:
		return true
	}
	switch in.Op.Class() {
	case ir.ClassBinary, ir.ClassFloat, ir.ClassConversion:
		return in.T.Kind == ir.KindInt || in.T.Kind == ir.KindFloat || in.T.IsPtr()
	}
	return false
}

func (p *pass) selects(in *ir.Instr) (form, bool) {
	c, ok := p.known(in.Args[0])
	if !ok || p.formOf(in.Args[0]) != nil || c.Elems != nil || !c.Defined() {
		return nil, false
	}
	if c.Bits.IsOne() {
		return p.formOf(in.Args[1]), true
	}
	return p.formOf(in.Args[2]), true
}

// integer is f over the integers, for the turns in which that is the value of the word.
func (p *pass) integer(f form, signed bool) wholes {
	w := f.whole(signed)
	low, high := limits(f[0].Width(), signed)
	p.within(w, low, high)
	return w
}

// limits are the least and the greatest number of w bits.
func limits(w int, signed bool) (low, high *big.Int) {
	if signed {
		return bits.MinSigned(w).Signed(), bits.MaxSigned(w).Signed()
	}
	return new(big.Int), bits.Ones(w).Unsigned()
}

// resized is f in w bits.
func (p *pass) resized(op ir.Op, f form, w int) form {
	if op == ir.OpTrunc {
		return f.each(func(c bits.Vec) bits.Vec { return bits.Trunc(c, w) }).trim()
	}
	return p.integer(f, op == ir.OpSext).word(w).trim()
}

// compares reports whether the comparison in gives in the next turns what it gives in turn 0.
func (p *pass) compares(in *ir.Instr) bool {
	f, okF := p.full(in.Args[0])
	g, okG := p.full(in.Args[1])
	if !okF || !okG {
		return false
	}
	signed := false
	switch in.Pred {
	case ir.EQ, ir.NE:
		return p.differ(f, g)
	case ir.SLT, ir.SLE, ir.SGT, ir.SGE:
		signed = true
	}
	d := p.integer(f, signed).minus(p.integer(g, signed))
	switch d[0].Sign() { // below, equal and above are kept each: more than is needed
	case -1:
		return p.within(d, nil, big.NewInt(-1))
	case 1:
		return p.within(d, big.NewInt(1), nil)
	}
	return p.within(d, new(big.Int), new(big.Int))
}

// differ reports whether f and g differ in the next turns as in turn 0, or are the same word in all of them.
func (p *pass) differ(f, g form) bool {
	d := f.plus(g.negated()).trim()
	if d == nil {
		return true
	}
	_, high := limits(d[0].Width(), false)
	return p.within(d.whole(false), big.NewInt(1), high)
}

// binary is the form of an integer operation.
func (p *pass) binary(in *ir.Instr, f, g form) (form, bool) {
	w := in.T.Width
	switch in.Op {
	case ir.OpAdd:
		return f.plus(g).trim(), p.fits(in, f, g, wholes.plus)
	case ir.OpSub:
		return f.plus(g.negated()).trim(), p.fits(in, f, g, wholes.minus)
	case ir.OpMul:
		if len(f)+len(g)-2 > policy.LeapDegree {
			return nil, false
		}
		return f.whole(false).times(g.whole(false)).word(w).trim(), p.fits(in, f, g, wholes.times)
	}
	if len(g.trim()) > 0 {
		return nil, false
	}
	c := g[0].Unsigned()
	switch in.Op {
	case ir.OpShl:
		if c.Cmp(big.NewInt(int64(w))) >= 0 {
			return nil, false
		}
		by := form{bits.Shl(bits.New(w, 1), uint(c.Int64()))}
		ok := !in.Flags.Has(ir.NSW) || by[0] != bits.MinSigned(w)
		return f.whole(false).times(by.whole(false)).word(w).trim(), ok && p.fits(in, f, by, wholes.times)
	case ir.OpXor:
		if !g[0].IsOnes() {
			return nil, false
		}
		return f.negated().plus(g).trim(), true
	case ir.OpAnd:
		return p.masked(f, g[0])
	}
	if in.Flags.Has(ir.Exact) {
		return nil, false
	}
	return p.divides(in, f, c)
}

// fits reports whether op, over the integers, stays in the ranges that the flags of in ask for.
func (p *pass) fits(in *ir.Instr, f, g form, op func(a, b wholes) wholes) bool {
	for _, signed := range []bool{true, false} {
		if signed && !in.Flags.Has(ir.NSW) || !signed && !in.Flags.Has(ir.NUW) {
			continue
		}
		low, high := limits(f[0].Width(), signed)
		if !p.within(op(p.integer(f, signed), p.integer(g, signed)), low, high) {
			return false
		}
	}
	return true
}

// masked is f and a constant.
func (p *pass) masked(f form, mask bits.Vec) (form, bool) {
	w := f[0].Width()
	n := w - mask.LeadingZeros()
	if n == 0 {
		return nil, true
	}
	low := p.resized(ir.OpTrunc, f, n)
	if low == nil {
		return nil, true
	}
	if mask.OnesCount() != n {
		return nil, false
	}
	return p.resized(ir.OpZext, low, w), true
}

// divides is the quotient or the rest of f by a constant; shifts to the right are such.
func (p *pass) divides(in *ir.Instr, f form, by *big.Int) (form, bool) {
	w := f[0].Width()
	signed := in.Op == ir.OpSdiv || in.Op == ir.OpSrem || in.Op == ir.OpAshr
	switch in.Op {
	case ir.OpLshr, ir.OpAshr:
		if by.Cmp(big.NewInt(int64(w))) >= 0 {
			return nil, false
		}
		by = new(big.Int).Lsh(big.NewInt(1), uint(by.Int64()))
	case ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem:
	default:
		return nil, false
	}
	_, high := limits(w, signed)
	if by.Sign() == 0 || in.Op != ir.OpLshr && in.Op != ir.OpAshr && by.Cmp(high) > 0 {
		return nil, false
	}
	a := p.integer(f, signed)
	if (in.Op == ir.OpSdiv || in.Op == ir.OpSrem) && !p.within(a, new(big.Int), nil) {
		return nil, false // negative numbers are rounded to zero
	}
	q, whole := a.quotient(by)
	if !whole { // while the quotient stays the same
		q = q[:1]
		low := new(big.Int).Mul(q[0], by)
		if !p.within(a, low, new(big.Int).Add(low, new(big.Int).Sub(by, big.NewInt(1)))) {
			return nil, false
		}
	}
	if in.Op == ir.OpUrem || in.Op == ir.OpSrem {
		return a.minus(q.times(wholes{by})).word(w).trim(), true
	}
	return q.word(w).trim(), true
}

// quotient divides by a positive number, rounding down; whole says that all coefficients but the first are divided
// without rest, so that the quotient of each value is that of the forms.
func (w wholes) quotient(by *big.Int) (q wholes, whole bool) {
	whole = true
	for i, c := range w {
		n, rest := new(big.Int).DivMod(c, by, new(big.Int))
		q, whole = append(q, n), whole && (i == 0 || rest.Sign() == 0)
	}
	return q, whole
}
