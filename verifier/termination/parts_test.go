package termination

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// A bound that says by the values at the start what another says by the range of a machine type explains it, if it is
// not greater.
func TestExplains(t *testing.T) {
	word := exact.I(1 << 32)
	capped := cappedBound(exact.V(0), word)
	for _, c := range []struct {
		point string
		b, c  *Bound
		want  bool
	}{
		{"the same range", capped, constBound(word), true},
		{"a smaller one", cappedBound(exact.V(0), exact.I(255)), constBound(word), true},
		{"a greater one", cappedBound(exact.V(0), exact.I(1<<33)), constBound(word), false},
		{"a constant of no type", cappedBound(exact.V(0), exact.I(5)), constBound(exact.I(1000)), false},
		{"no cap", posBound(exact.V(0)), constBound(word), false},
		{"no constant", capped, posBound(exact.V(1)), false},
	} {
		if got := c.b.explains(c.c); got != c.want {
			t.Errorf("%s: %v, want %v", c.point, got, c.want)
		}
	}
}

// The order of a bound is that of its fastest part, however deep that stands.
func TestOrderOfNestedBounds(t *testing.T) {
	x := posBound(exact.V(0))
	power := powBound(exact.I(2), x)
	nested := func(b *Bound) *Bound {
		return &Bound{[]boundMono{{exact.I(1), []*atom{{kind: wholeAtom, arg: b, key: "w"}}}}}
	}
	for _, c := range []struct {
		b    *Bound
		want string
	}{{x, "O(n^1)"}, {power, "O(EXP)"}, {nested(x), "O(n^1)"}, {nested(power), "O(EXP)"},
		{nested(nested(power)), "O(EXP)"}, {nested(power).add(x), "O(EXP)"}, {x.mul(nested(x)), "O(n^2)"},
		{cappedBound(exact.V(0), exact.I(9)), "O(1)"}, {nil, "O(INF)"}, {digitsBound(x), "O(log(n))"},
		{digitsBound(power), "O(n^1)"}, {digitsBound(nested(power)).mul(x), "O(n^2)"},
		{digitsBound(x).mul(digitsBound(x)).add(digitsBound(x)), "O(log(n)^2)"},
		{x.mul(digitsBound(x)).add(x), "O(n^1*log(n))"}, {powBound(exact.I(2), digitsBound(x)), "O(n^1)"},
		{powBound(exact.I(2), digitsBound(x).mul(x)), "O(EXP)"}} {
		if got := c.b.Class(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Atoms of one term, or of none, keep their truth from the first turn of the closed forms on.
func TestStableFromTheStart(t *testing.T) {
	e := &edge{}
	one := growthTerm{coef: qpoly{p: exact.PolyOf(exact.V(0)), den: exact.I(1)}, base: exact.I(1)}
	l := &twnLoop{edges: []*edge{e}, atoms: map[*edge][][]growthTerm{e: {{}, {one}}}, from: 2}
	b := (&bounder{}).stable(l, nil)
	if n, ok := b.constant(); !ok || !n.Equal(exact.I(3)) {
		t.Errorf("stable after %v turns, want 3", n)
	}
}

// Where a step that may be taken for ever raises what other steps lower, none of them has a bound.
func TestFallsThatAnotherStepUndoes(t *testing.T) {
	s := system(t, `s(x) -> l(x)
 l(x) -> l(x-1) :|: x > 0
 l(x) -> l(x-1) :|: x > 1
 l(x) -> l(x-1) :|: x > 2
 l(x) -> l(x+1) :|: x > 0`)
	ladder := linear.NewLadder(100)
	defer ladder.Close()
	ctx := context.Background()
	b := newBounder(newProblem(ctx, s, ladder, false, nil))
	var inner []*edge
	for _, e := range b.p.edges {
		if e.from == e.to {
			inner = append(inner, e)
			continue
		}
		b.time[e] = constBound(exact.I(1))
		b.single(ctx, e)
	}
	b.sizes.locals(ctx, inner)
	b.sizes.component(inner)
	if len(inner) != 4 || b.amortised(ctx, inner, inner) {
		t.Errorf("%d steps, of which some have a bound", len(inner))
	}
}
