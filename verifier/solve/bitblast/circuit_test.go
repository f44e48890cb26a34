package bitblast

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

func toBits(v bits.Vec) []bool {
	r := make([]bool, v.Width())
	for i := range r {
		r[i] = v.Bit(i)
	}
	return r
}

func fromBits(a []bool) bits.Vec {
	v := bits.New(len(a), 0)
	for i, b := range a {
		if b {
			v = bits.Or(v, bits.Shl(bits.New(len(a), 1), uint(i)))
		}
	}
	return v
}

var binaryCases = []struct {
	name    string
	circuit func(c circuit[bool], a, b []bool) []bool
	want    func(a, b bits.Vec) bits.Vec
}{
	{"add", func(c circuit[bool], a, b []bool) []bool { r, _ := c.add(a, b, false); return r }, bits.Add},
	{"sub", func(c circuit[bool], a, b []bool) []bool { return c.sub(a, b) }, bits.Sub},
	{"mul", func(c circuit[bool], a, b []bool) []bool { return c.mul(a, b) }, bits.Mul},
	{"mulConst", func(c circuit[bool], a, b []bool) []bool { v, _ := c.constant(b); return c.mulConst(a, v) },
		bits.Mul},
	{"udiv", func(c circuit[bool], a, b []bool) []bool { q, _ := c.divide(a, b); return q }, bits.Udiv},
	{"urem", func(c circuit[bool], a, b []bool) []bool { _, r := c.divide(a, b); return r }, bits.Urem},
	{"sdiv", func(c circuit[bool], a, b []bool) []bool { q, _ := c.signedDivide(a, b, c.divide); return q }, bits.Sdiv},
	{"srem", func(c circuit[bool], a, b []bool) []bool { _, r := c.signedDivide(a, b, c.divide); return r }, bits.Srem},
	{"shl", func(c circuit[bool], a, b []bool) []bool { return c.shift(a, b, true, false) }, bits.ShlVec},
	{"lshr", func(c circuit[bool], a, b []bool) []bool { return c.shift(a, b, false, false) }, bits.LshrVec},
	{"ashr", func(c circuit[bool], a, b []bool) []bool { return c.shift(a, b, false, a[len(a)-1]) }, bits.AshrVec},
	{"eq", func(c circuit[bool], a, b []bool) []bool { return []bool{c.eq(a, b)} },
		pred(func(a, b bits.Vec) bool { return a == b })},
	{"ult", func(c circuit[bool], a, b []bool) []bool { return []bool{c.ult(a, b)} }, pred(bits.Ult)},
	{"slt", func(c circuit[bool], a, b []bool) []bool { return []bool{c.slt(a, b)} }, pred(bits.Slt)},
	{"uaddo", func(c circuit[bool], a, b []bool) []bool { return []bool{c.uaddO(a, b)} }, pred(bits.UaddOverflow)},
	{"saddo", func(c circuit[bool], a, b []bool) []bool { return []bool{c.saddO(a, b)} }, pred(bits.SaddOverflow)},
	{"ssubo", func(c circuit[bool], a, b []bool) []bool { return []bool{c.ssubO(a, b)} }, pred(bits.SsubOverflow)},
	{"umulo", func(c circuit[bool], a, b []bool) []bool { return []bool{c.umulO(a, b)} }, pred(bits.UmulOverflow)},
	{"smulo", func(c circuit[bool], a, b []bool) []bool { return []bool{c.smulO(a, b)} }, pred(bits.SmulOverflow)},
}

func pred(f func(a, b bits.Vec) bool) func(a, b bits.Vec) bits.Vec {
	return func(a, b bits.Vec) bits.Vec { return bits.Bool(f(a, b)) }
}

// opaque hides that plain bools are constants, so that the general circuits run.
type opaque struct{ Bools }

func (opaque) IsConst(bool) (value, ok bool) { return false, false }

func TestBinaryExhaustive(t *testing.T) {
	for _, c := range []circuit[bool]{{Bools{}}, {opaque{}}} {
		for _, tc := range binaryCases {
			_, hidden := c.g.(opaque)
			if hidden && tc.name == "mulConst" {
				continue
			}
			for w := 1; w <= 5; w++ {
				for i := uint64(0); i < 1<<(2*w); i++ {
					a, b := bits.New(w, i>>w), bits.New(w, i)
					if got, want := fromBits(tc.circuit(c, toBits(a), toBits(b))), tc.want(a, b); got != want {
						t.Fatalf("%s(%v, %v) = %v, want %v (hidden %v)", tc.name, a, b, got, want, hidden)
					}
				}
			}
		}
		for w := 1; w <= 5; w++ {
			for i := uint64(0); i < 1<<w; i++ {
				a := bits.New(w, i)
				if got := fromBits(c.neg(toBits(a))); got != bits.Neg(a) {
					t.Fatalf("neg %v = %v", a, got)
				}
			}
		}
	}
}

// TestAIGExhaustive evaluates each kind's graph, built by the blaster over free
// inputs, on all inputs of widths 1 to 4.
func TestAIGExhaustive(t *testing.T) {
	for k := ilr.KNot; k < ilr.KSelect; k++ {
		if k == ilr.KIte || k.Arity() < 1 {
			continue
		}
		for w := 1; w <= 4; w++ {
			s := ilr.NewStore(nil)
			sort := ilr.BV(w)
			if k == ilr.KNot || k == ilr.KAnd {
				sort = ilr.Bool
			}
			x, y := s.Var("x", sort), s.Var("y", sort)
			var u ilr.Term
			switch k {
			case ilr.KExtract:
				u = s.Extract(x, w-1, w/2)
			case ilr.KZext, ilr.KSext:
				u = s.Make(k, ilr.BV(w+3), 0, []ilr.Term{x})
			default:
				u = s.Make(k, sort, 0, []ilr.Term{x, y}[:k.Arity()])
			}
			checkGraph(t, s, u, x, y, w)
		}
	}
}

func checkGraph(t *testing.T, s *ilr.Store, u, x, y ilr.Term, w int) {
	t.Helper()
	b := New(s, nil)
	out := append([]Edge(nil), b.Bits(u)...)
	for i := uint64(0); i < 1<<(2*w); i++ {
		m := ilr.Model{BV: map[ilr.Term]bits.Vec{x: bits.New(max(1, s.Width(x)), i>>w), y: bits.New(max(1, s.Width(y)),
			i)}}
		vals := b.simulate(m)
		got := make([]bool, len(out))
		for j, e := range out {
			got[j] = vals[e.node()] != e.inverted()
		}
		if want := s.Eval(u, m); fromBits(got) != want {
			t.Fatalf("%s under %v: %v, want %v", s.String(u), m.BV, fromBits(got), want)
		}
	}
}

// simulate computes all nodes of the graph from values of the inputs.
func (b *Blaster) simulate(m ilr.Model) []bool {
	vals := make([]bool, b.g.Len())
	for _, in := range b.inputs {
		for i, e := range b.known(in) {
			vals[e.node()] = m.BV[in].Bit(i)
		}
	}
	for n := range vals {
		if l, r, ok := b.g.gate(Edge(n) << 1); ok {
			vals[n] = vals[l.node()] != l.inverted() && vals[r.node()] != r.inverted()
		}
	}
	return vals
}
