package seg

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// kind says what a value is.
type kind uint8

const (
	invalidKind kind = iota
	intValue         // an integer or an address without known object: lin
	ptrValue         // an address: object obj, lin bytes from its start
	boolValue        // an i1 that is a condition
	funcValue        // the address of a function
	opaqueValue      // not followed: floats, vectors, ...
	aggValue         // members
)

// rep says which reading of the bits lin is.
type rep uint8

const (
	anyRep rep = iota // lin is in the range that both readings share
	signed
	unsigned
)

// value is the result of an instruction, or the content of a cell.
type value struct {
	kind kind
	lin  exact.Lin
	rep  rep
	obj  int
	last bool // of a pointer to a list: it is one to the last block
	cond cond
	fn   *ir.Func
	agg  []value
}

// rel is how a condition compares its expression with 0.
type rel uint8

const (
	relGE  rel = iota + 1 // lin >= 0
	relEQ                 // lin = 0
	relNE                 // lin != 0
	relAny                // nothing is known: either outcome may happen
)

// cond is a condition on a state's variables.
type cond struct {
	rel rel
	lin exact.Lin
}

func (c cond) not() cond {
	switch c.rel {
	case relGE:
		return cond{relGE, c.lin.Neg().AddInt(-1)}
	case relEQ:
		return cond{relNE, c.lin}
	case relNE:
		return cond{relEQ, c.lin}
	}
	return c
}

func truth(b bool) cond {
	if b {
		return cond{relGE, exact.Lin{}}
	}
	return cond{relGE, exact.C(-1)}
}

func number(e exact.Lin, r rep) value { return value{kind: intValue, lin: e, rep: r} }

func opaque() value { return value{kind: opaqueValue} }

// Limits of the readings of w bits.
func umax(w int) exact.Int { return exact.I(2).Pow(w).Add(exact.I(-1)) }
func smin(w int) exact.Int { return exact.I(2).Pow(w - 1).Neg() }
func smax(w int) exact.Int { return exact.I(2).Pow(w - 1).Add(exact.I(-1)) }

func limits(w int, r rep) (lo, hi exact.Int) {
	if r == unsigned {
		return exact.Int{}, umax(w)
	}
	return smin(w), smax(w)
}

func constInt(c exact.Int) exact.Lin { return exact.Lin{Const: c} }

// literal reads constant bits; numbers that both readings share are anyRep.
func literal(v bits.Vec) value {
	s := exact.FromBig(v.Signed())
	if s.Sign() >= 0 {
		return number(constInt(s), anyRep)
	}
	return number(constInt(s), signed)
}

// fit makes e, which is right modulo 2^w, the reading r of w bits: as it is if
// it is in range, else less a multiple of 2^w, which is a new variable if the
// knowledge does not tell it (BV-12; splitting on it is left to the system).
func (b *builder) fit(s *state, e exact.Lin, w int, r rep) exact.Lin {
	if b.opts.MathInts {
		return e
	}
	lo, hi := limits(w, r)
	i := s.know.interval(e)
	if i.hasLo && i.hasHi && i.lo.Cmp(lo) >= 0 && i.hi.Cmp(hi) <= 0 {
		return e
	}
	below := exact.Lin{Terms: e.Terms, Const: e.Const.Sub(lo)}       // e - lo
	above := exact.Lin{Terms: e.Neg().Terms, Const: hi.Sub(e.Const)} // hi - e
	lowOK, highOK := b.ask.proves(s.know, below), b.ask.proves(s.know, above)
	if lowOK && highOK {
		return e
	}
	size := exact.I(2).Pow(w)
	var from, to exact.Int
	open := !i.hasLo || !i.hasHi
	if !open {
		from, to = i.lo.Sub(lo).FloorDiv(size), i.hi.Sub(lo).FloorDiv(size)
		if lowOK && from.Sign() < 0 {
			from = exact.Int{}
		}
		if highOK && to.Sign() > 0 {
			to = exact.Int{}
		}
		from, to = b.squeeze(s, below, size, from, to)
		if from.Equal(to) {
			return exact.Lin{Terms: e.Terms, Const: e.Const.Sub(from.Mul(size))}
		}
	}
	k := b.newVar("wrap")
	b.fits[k] = true
	if !open {
		s.know.lower(k, from)
		s.know.upper(k, to)
	}
	v := e.AddScaled(size.Neg(), exact.V(k))
	s.know.ge(exact.Lin{Terms: v.Terms, Const: v.Const.Sub(lo)})
	s.know.ge(exact.Lin{Terms: v.Neg().Terms, Const: hi.Sub(v.Const)})
	if !open && to.Sub(from).Cmp(exact.I(3)) <= 0 {
		b.wraps[k] = true
	}
	return v
}

// squeeze drops quotients that cannot be: x is e - lo.
func (b *builder) squeeze(s *state, x exact.Lin, size, from, to exact.Int) (exact.Int, exact.Int) {
	for n := 0; n < 3 && from.Cmp(to) < 0; n++ {
		next := from.Add(exact.I(1)).Mul(size)
		if !b.ask.proves(s.know, exact.Lin{Terms: x.Terms, Const: x.Const.Sub(next)}) {
			break
		}
		from = from.Add(exact.I(1))
	}
	for n := 0; n < 3 && from.Cmp(to) < 0; n++ {
		top := to.Mul(size).Add(exact.I(-1))
		if !b.ask.proves(s.know, exact.Lin{Terms: x.Neg().Terms, Const: top.Sub(x.Const)}) {
			break
		}
		to = to.Add(exact.I(-1))
	}
	return from, to
}

// read is the number v in the reading r; false if v is not a number.
func (b *builder) read(s *state, v value, w int, r rep) (exact.Lin, bool) {
	switch v.kind {
	case intValue:
		if v.rep == r || v.rep == anyRep || b.opts.MathInts {
			return v.lin, true
		}
		return b.fit(s, v.lin, w, r), true
	case ptrValue:
		return b.fit(s, b.address(s, v), w, r), true
	}
	return exact.Lin{}, false
}

// address is a pointer's number: its object's base plus its offset.
func (b *builder) address(s *state, v value) exact.Lin {
	o := s.object(v.obj)
	if o == nil || o.list != nil {
		x := b.newVar("address")
		s.know.lower(x, exact.I(0))
		s.know.upper(x, umax(b.m.Layout.PtrBits))
		s.inexact("address of an object that is gone")
		return exact.V(x)
	}
	if o.base < 0 {
		o = s.own(v.obj)
		o.base = b.newVar("base of " + o.name)
		s.know.lower(o.base, exact.I(1))
		end := exact.V(o.base).Add(o.size) // base + size <= 2^w - 1
		s.know.ge(exact.Lin{Terms: end.Neg().Terms, Const: umax(b.m.Layout.PtrBits).Sub(end.Const)})
		s.inexact("address of " + o.name)
	}
	return exact.V(o.base).Add(v.lin)
}

// fresh is an unknown value of type t. Numbers of width 1 are conditions.
func (b *builder) fresh(s *state, t *ir.Type, name string, r rep) value {
	switch t.Kind {
	case ir.KindInt:
		v := b.newVar(name)
		if r == anyRep {
			r = signed
		}
		if t.Width == 1 {
			s.know.lower(v, exact.I(0))
			s.know.upper(v, exact.I(1))
			return value{kind: boolValue, cond: cond{relGE, exact.V(v).AddInt(-1)}}
		}
		if !b.opts.MathInts {
			lo, hi := limits(t.Width, r)
			s.know.lower(v, lo)
			s.know.upper(v, hi)
		}
		return number(exact.V(v), r)
	case ir.KindPtr:
		v := b.newVar(name)
		s.know.lower(v, exact.I(0))
		s.know.upper(v, umax(t.Width))
		return number(exact.V(v), unsigned)
	case ir.KindStruct, ir.KindArray:
		if t.NumElems() <= 8 {
			v := value{kind: aggValue}
			for i := 0; i < t.NumElems(); i++ {
				v.agg = append(v.agg, b.fresh(s, t.ElemAt(i), name, anyRep))
			}
			return v
		}
	}
	return opaque()
}
