package invariant

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// What a bound of a floating-point number says in words is what its term says of every number, by the machine's own
// comparison, and the bounds of both sides exclude each NaN.
func TestFloatBounds(t *testing.T) {
	s := ilr.NewStore(nil)
	h := &encode.Header{Vars: []encode.Var{{Name: "y", Width: 32, Moves: true}}}
	x := s.Var("y", ilr.BV(32))
	h.Arrivals = []encode.Arrival{{Guard: s.True(), Values: []ilr.Term{x}, Entry: []ilr.Term{x}}}
	h.Sites = []encode.Site{{Guard: s.True(), Values: []ilr.Term{x}, Entry: []ilr.Term{x}}}
	p := &proposer{f: &encode.Formula{Store: s, Headers: []encode.Header{*h}}, h: h}
	encoding := func(v float32) bits.Vec { return bits.New(32, uint64(math.Float32bits(v))) }
	p.floatBounds(0, []bits.Vec{encoding(0.3), encoding(100), encoding(math.MaxFloat32), encoding(1e-45)})
	if len(p.out) < 40 {
		t.Fatalf("%d bounds", len(p.out))
	}
	rng := rand.New(rand.NewSource(1))
	values := []float32{0, float32(math.Copysign(0, -1)), 0.3, -0.3, 100, -100, math.MaxFloat32, -math.MaxFloat32,
		1e-45, -1e-45, float32(math.Inf(1)), float32(math.Inf(-1)), math.Nextafter32(100, 101), math.Nextafter32(100, 99)}
	for range 2000 {
		values = append(values, math.Float32frombits(rng.Uint32()), float32(rng.NormFloat64()))
	}
	for _, v := range values {
		val := []ilr.Term{s.Const(encoding(v))}
		all := true
		for _, l := range p.out {
			holds := s.IsTrue(l.Term(s, val, val))
			all = all && (holds || !strings.Contains(l.Text(p.f), "Inf"))
			if v != v {
				continue
			}
			var op string
			var k float64
			if _, err := fmt.Sscanf(l.Text(p.f), "y %s %g", &op, &k); err != nil {
				t.Fatal(l.Text(p.f), err)
			}
			bound := float32(k)
			if holds != (op == "<=" && v <= bound || op == ">=" && v >= bound) {
				t.Fatalf("%s is %v of %g (%08x)", l.Text(p.f), holds, v, math.Float32bits(v))
			}
		}
		if all == (v != v) {
			t.Fatalf("the bounds by infinity take %08x for a number: %v", math.Float32bits(v), all)
		}
	}
}
