package bitblast

import (
	"fmt"
	"math"
	"math/big"
	"sync/atomic"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve/sat"
)

// Blaster turns terms of one store into bits and clauses, each once. Variables
// and selects are free inputs; the meaning of arrays is the caller's business.
type Blaster struct {
	s      *ilr.Store
	g      *AIG
	c      *CNF
	ops    circuit[Edge]
	at     []uint32 // by term: 1 + where its bits begin in pool, 0 when not blasted
	pool   []Edge
	reads  []bool // by term: depends on a select
	inputs []ilr.Term
	div    map[[2]ilr.Term][2][]Edge // quotient and remainder of two terms
	sdiv   map[[2]ilr.Term][2][]Edge
	stack  []ilr.Term
	stop   *atomic.Bool
}

// Stopped is what work panics with when the flag given to Poll is set, or when more was to be made than can be
// numbered. The Blaster stays valid: the same question can be asked again.
type Stopped struct{}

// Poll has long work end with Stopped once the flag is set; nil: never.
func (b *Blaster) Poll(stop *atomic.Bool) { b.stop = stop }

// Tick panics with Stopped if work is to end. Gates, clauses and terms call it; so does other long work.
func (b *Blaster) Tick() {
	if b.stop != nil && b.stop.Load() {
		panic(Stopped{})
	}
}

// New makes a Blaster of terms of s, with clauses for sink.
func New(s *ilr.Store, sink sat.Sink) *Blaster {
	g := NewAIG()
	b := &Blaster{s: s, g: g, c: NewCNF(g, sink), ops: circuit[Edge]{g},
		div: map[[2]ilr.Term][2][]Edge{}, sdiv: map[[2]ilr.Term][2][]Edge{}}
	g.tick, b.c.tick = b.Tick, b.Tick
	return b
}

// Gates returns the number of AIG nodes made.
func (b *Blaster) Gates() int { return b.g.Len() }

// Size returns the number of bits of all terms blasted.
func (b *Blaster) Size() int { return len(b.pool) }

// Inputs returns the variables and selects blasted so far, in the order of their blasting.
func (b *Blaster) Inputs() []ilr.Term { return b.inputs }

// Lit returns a literal that implies the Bool term t: assuming it asks for t.
func (b *Blaster) Lit(t ilr.Term) sat.Lit { return b.c.Lit(b.bit(t)) }

// Assert makes the Bool term t hold for good.
func (b *Blaster) Assert(t ilr.Term) { b.c.Assert(b.bit(t)) }

// Constant reports whether blasting alone has decided the Bool term t.
func (b *Blaster) Constant(t ilr.Term) (value, ok bool) { return b.g.IsConst(b.bit(t)) }

func (b *Blaster) bit(t ilr.Term) Edge { return b.Bits(t)[0] }

// Has reports whether t was blasted.
func (b *Blaster) Has(t ilr.Term) bool { return int(t) < len(b.at) && b.at[t] != 0 }

// InputValue reads the value of an input from a model; bits that the solver
// never saw are false.
func (b *Blaster) InputValue(t ilr.Term, val func(sat.Lit) bool) bits.Vec {
	es := b.known(t)
	if len(es) <= 64 {
		var v uint64
		for i, e := range es {
			if l, ok := b.c.Known(e); ok && val(l) {
				v |= 1 << uint(i)
			}
		}
		return bits.New(len(es), v)
	}
	v := new(big.Int)
	for i := len(es) - 1; i >= 0; i-- { // the highest first: the number is allocated once
		if l, ok := b.c.Known(es[i]); ok && val(l) {
			v.SetBit(v, i, 1)
		}
	}
	return bits.FromBig(len(es), v)
}

func (b *Blaster) width(t ilr.Term) int { return max(1, b.s.Width(t)) }

func (b *Blaster) known(t ilr.Term) []Edge {
	from := b.at[t] - 1
	to := from + uint32(b.width(t))
	return b.pool[from:to:to]
}

// Bits returns the bits of a Bool or bit-vector term, least significant first; do not change them.
func (b *Blaster) Bits(t ilr.Term) []Edge {
	if grow := b.s.Len() + 1 - len(b.at); grow > 0 {
		b.at = append(b.at, make([]uint32, grow)...)
		b.reads = append(b.reads, make([]bool, grow)...)
	}
	if b.at[t] != 0 {
		return b.known(t)
	}
	stack := append(b.stack[:0], t)
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		if b.at[u] != 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		n := len(stack)
		for i := b.s.NumArgs(u) - 1; i >= 0; i-- {
			a := b.s.Arg(u, i)
			if b.at[a] == 0 && b.s.Sort(a).Kind != ilr.SortArray {
				stack = append(stack, a)
			}
		}
		if len(stack) == n {
			b.Tick()
			b.make(u)
			stack = stack[:len(stack)-1]
		}
	}
	b.stack = stack
	return b.known(t)
}

// make blasts u, whose arguments have been blasted.
func (b *Blaster) make(u ilr.Term) {
	b.reads[u] = b.s.Kind(u) == ilr.KSelect
	for i := 0; i < b.s.NumArgs(u) && !b.reads[u]; i++ {
		b.reads[u] = b.reads[b.s.Arg(u, i)]
	}
	if b.s.Kind(u) == ilr.KExtract { // shares its argument's bits
		b.at[u] = b.at[b.s.Arg(u, 0)] + uint32(b.s.Imm(u))
		return
	}
	r := b.blast(u)
	if len(r) != b.width(u) {
		panic(fmt.Sprintf("bitblast: %d bits for %s", len(r), b.s.String(u)))
	}
	if uint64(len(b.pool)+len(r)) >= math.MaxUint32 {
		panic(Stopped{})
	}
	b.at[u] = uint32(len(b.pool)) + 1
	b.pool = append(b.pool, r...)
}

func (b *Blaster) input(u ilr.Term) []Edge {
	b.inputs = append(b.inputs, u)
	r := make([]Edge, b.width(u))
	for i := range r {
		r[i] = b.g.Input()
	}
	return r
}

func (b *Blaster) blast(u ilr.Term) []Edge {
	arg := func(i int) []Edge { return b.known(b.s.Arg(u, i)) }
	one := func(e Edge) []Edge { return []Edge{e} }
	c := b.ops
	switch k := b.s.Kind(u); k {
	case ilr.KTrue:
		return one(True)
	case ilr.KFalse:
		return one(False)
	case ilr.KVar, ilr.KSelect:
		return b.input(u)
	case ilr.KConst:
		v, _ := b.s.ConstVal(u)
		return b.constant(v)
	case ilr.KNot, ilr.KBvNot:
		return c.not(arg(0))
	case ilr.KAnd, ilr.KBvAnd:
		return c.bitwise(b.g.And, arg(0), arg(1))
	case ilr.KBvOr:
		return c.bitwise(b.g.Or, arg(0), arg(1))
	case ilr.KBvXor:
		return c.bitwise(b.g.Xor, arg(0), arg(1))
	case ilr.KIte:
		return c.ite(arg(0)[0], arg(1), arg(2))
	case ilr.KConcat:
		return append(append([]Edge(nil), arg(1)...), arg(0)...)
	case ilr.KZext:
		return c.extend(arg(0), b.s.Width(u), False)
	case ilr.KSext:
		return c.extend(arg(0), b.s.Width(u), arg(0)[len(arg(0))-1])
	case ilr.KEq:
		return one(c.eq(arg(0), arg(1)))
	case ilr.KUlt, ilr.KSlt, ilr.KUaddO, ilr.KSaddO, ilr.KSsubO, ilr.KUmulO, ilr.KSmulO:
		return one(b.predicate(k, arg(0), arg(1)))
	default:
		return b.arithmetic(u, k, arg)
	}
}

func (b *Blaster) constant(v bits.Vec) []Edge {
	r := make([]Edge, v.Width())
	for i := range r {
		r[i] = b.g.Const(v.Bit(i))
	}
	return r
}

func (b *Blaster) predicate(k ilr.Kind, x, y []Edge) Edge {
	switch k {
	case ilr.KUlt:
		return b.ops.ult(x, y)
	case ilr.KSlt:
		return b.ops.slt(x, y)
	case ilr.KUaddO:
		return b.ops.uaddO(x, y)
	case ilr.KSaddO:
		return b.ops.saddO(x, y)
	case ilr.KSsubO:
		return b.ops.ssubO(x, y)
	case ilr.KUmulO:
		return b.ops.umulO(x, y)
	default:
		return b.ops.smulO(x, y)
	}
}

func (b *Blaster) arithmetic(u ilr.Term, k ilr.Kind, arg func(int) []Edge) []Edge {
	c := b.ops
	switch k {
	case ilr.KNeg:
		return c.neg(arg(0))
	case ilr.KAdd:
		sum, _ := c.add(arg(0), arg(1), False)
		return sum
	case ilr.KMul:
		return c.mul(arg(0), arg(1))
	case ilr.KUdiv, ilr.KUrem:
		r := b.divided(u, b.div, c.divide)
		return r[k-ilr.KUdiv]
	case ilr.KSdiv, ilr.KSrem:
		r := b.divided(u, b.sdiv, func(x, y []Edge) (quo, rem []Edge) { return c.signedDivide(x, y, c.divide) })
		return r[k-ilr.KSdiv]
	case ilr.KShl:
		return c.shift(arg(0), arg(1), true, False)
	case ilr.KLshr:
		return c.shift(arg(0), arg(1), false, False)
	case ilr.KAshr:
		return c.shift(arg(0), arg(1), false, arg(0)[len(arg(0))-1])
	}
	return b.floating(u, k, arg)
}

func (b *Blaster) floating(u ilr.Term, k ilr.Kind, arg func(int) []Edge) []Edge {
	c, r := b.ops, bits.Rounding(b.s.Imm(u))
	if k == ilr.KUToF || k == ilr.KSToF {
		return c.itof(r, arg(0), k == ilr.KSToF, bits.FormatOf(b.s.Width(u)))
	}
	f := bits.FormatOf(len(arg(0)))
	switch k {
	case ilr.KFAdd:
		return c.fadd(f, r, arg(0), arg(1))
	case ilr.KFMul:
		return c.fmul(f, r, arg(0), arg(1))
	case ilr.KFDiv:
		return c.fdiv(f, r, arg(0), arg(1))
	case ilr.KFRem:
		return c.frem(f, arg(0), arg(1))
	case ilr.KFFma:
		return c.fma(f, r, arg(0), arg(1), arg(2))
	case ilr.KFSqrt:
		return c.fsqrt(f, r, arg(0))
	case ilr.KFRound:
		return c.fround(f, r, arg(0))
	case ilr.KFToF:
		return c.ftof(f, r, arg(0), bits.FormatOf(b.s.Width(u)))
	case ilr.KFToU, ilr.KFToS:
		return c.ftoi(f, r, arg(0), b.s.Width(u), k == ilr.KFToS)
	case ilr.KFEq, ilr.KFLt, ilr.KFLe:
		eq, lt := c.fcompare(f, arg(0), arg(1))
		return []Edge{map[ilr.Kind]Edge{ilr.KFEq: eq, ilr.KFLt: lt, ilr.KFLe: b.g.Or(eq, lt)}[k]}
	}
	panic(fmt.Sprintf("bitblast: no circuit for %s", k))
}

// divided shares one divider between quotient and remainder of the same operands.
func (b *Blaster) divided(u ilr.Term, memo map[[2]ilr.Term][2][]Edge, divide func(x, y []Edge) (quo,
	rem []Edge)) [2][]Edge {
	key := [2]ilr.Term{b.s.Arg(u, 0), b.s.Arg(u, 1)}
	r, ok := memo[key]
	if !ok {
		r[0], r[1] = divide(b.known(key[0]), b.known(key[1]))
		memo[key] = r
	}
	return r
}
