package encode

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
)

// TestNarrow: under every decision, or pair of them, about a number, the narrow term
// has its value wherever the decisions hold, and is narrow where they bound it.
func TestNarrow(t *testing.T) {
	const w = 16
	s := ilr.NewStore(nil)
	e := &encoder{Space: memory.NewSpace(t.Context(), &ir.Layout{PtrBits: 32}, s, memory.Setting{}), s: s}
	x, flag := s.Var("x", ilr.BV(w)), s.Var("flag", ilr.Bool)
	var lits []ilr.Term
	for _, c := range []int64{0, 1, 5, 6, 127, 128, 32767, 32768, 65535} {
		k := s.Int(w, c)
		for _, a := range []ilr.Term{s.Ult(x, k), s.Ult(k, x), s.Slt(x, k), s.Slt(k, x), s.Eq(x, k)} {
			lits = append(lits, a, s.Not(a), s.And(a, flag), s.Not(s.And(a, flag)))
		}
	}
	values := []int64{0, 1, 4, 5, 6, 7, 8, 126, 127, 128, 129, 255, 256, 32766, 32767, 32768, 32769, 65534, 65535}
	narrowed := 0
	for i, a := range lits {
		for _, b := range append([]ilr.Term{s.True()}, lits[:i]...) {
			p := e.And(e.And(e.Root(), a), b)
			n := e.narrow(p, x)
			if n == x {
				continue
			}
			narrowed++
			for _, v := range values {
				for f := range int64(2) {
					m := ilr.Model{BV: map[ilr.Term]bits.Vec{x: bits.NewInt(w, v), flag: bits.NewInt(1, f)}}
					if s.Eval(p.All, m).IsOne() && s.Eval(n, m) != bits.NewInt(w, v) {
						t.Fatalf("under %s: %s is not %d", s.String(p.All), s.String(n), v)
					}
				}
			}
		}
	}
	if narrowed < 100 {
		t.Errorf("only %d of the paths narrow", narrowed)
	}
	cut := e.Passed(e.Root(), s.Not(s.Ult(x, s.Int(w, 6))))
	if e.narrow(cut, x) != x {
		t.Error("the cut of a claim narrows: what comes behind a failed claim is not seen then")
	}
	if got, want := e.narrow(e.And(e.Root(), s.Ult(x, s.Int(w, 6))), x), s.Zext(s.Extract(x, 2, 0), w); got != want {
		t.Errorf("x < 6: %s", s.String(got))
	}
}
