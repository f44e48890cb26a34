package seg

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/seg/certify"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// A graph with an edge that is not certified, and cut points that were expanded often enough, proves nothing; before,
// they are expanded again.
func TestUncertifiedEdgeMakesGraphIncomplete(t *testing.T) {
	for _, src := range certified {
		g := graphOf(t, src)
		if again := g.b.certify(); again != nil || len(g.b.gaveAt) > 0 {
			t.Fatal("the graph is not certified as it is")
		}
		for _, c := range g.cuts {
			c.repairs = 0
		}
		e := edges(g)[0]
		e.proved = nil
		e.to.st.know.rows = append(e.to.st.know.rows, linear.Row{Lin: exact.C(-1)}) // no run fulfils it
		var from *cutPoint
		for _, c := range g.cuts {
			for _, x := range c.edges {
				if x == e {
					from = c
				}
			}
		}
		for range policy.CutRepairs {
			if again := g.b.certify(); len(again) == 0 || again[0] != from && len(g.b.gaveAt) > 0 {
				t.Fatal("the cut point is not expanded again")
			}
		}
		g.b.certify()
		if len(g.b.gaveAt) == 0 || !strings.Contains(g.b.gaveAt[0], "not certified") {
			t.Error("an edge without a certificate, and the graph is believed")
		}
	}
}

// Objects have numbers of their own, and none is that of no object.
func TestObjectsHaveNumbers(t *testing.T) {
	g := graphOf(t, certified["lists"])
	seen := map[int]string{}
	for key, id := range g.b.objIDs {
		if other, taken := seen[id]; taken || id <= 0 {
			t.Errorf("object %s has number %d, as %q", key, id, other)
		}
		seen[id] = key
	}
	if len(seen) < 2 {
		t.Error("no objects")
	}
}

// A condition that is known is stated as it is, at its boundary, too.
func TestKnownConditions(t *testing.T) {
	for k, want := range map[int64]bool{-1: false, 0: true, 1: true} {
		v := plainValue(value{kind: boolValue, cond: cond{rel: relGE, lin: exact.C(k)}})
		if v.Kind != certify.Truth || v.True != want {
			t.Errorf("%d >= 0 is %v", k, v)
		}
	}
}

// Members of a copied part of a global are those within it.
func TestScalarsOfCopy(t *testing.T) {
	g := graphOf(t, `struct { char c; int v; } s[2] = {{1, 2}, {3, 4}}; int main(void) { return s[nondet_int() & 1].v; }`)
	ty := g.b.m.Globals[0].T
	for _, c := range []struct {
		from, n int64
		want    []int64
	}{{0, 16, []int64{0, 4, 8, 12}}, {4, 8, []int64{4, 8}}, {5, 8, []int64{8}}, {16, 4, nil}} {
		var got []int64
		for _, l := range g.b.scalars(ty, exact.C(c.from), exact.C(c.n)) {
			off, _ := l.off.Const.Int64()
			got = append(got, off)
		}
		if len(got) != len(c.want) {
			t.Errorf("%d bytes from %d: %v, want %v", c.n, c.from, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%d bytes from %d: %v, want %v", c.n, c.from, got, c.want)
			}
		}
	}
}
