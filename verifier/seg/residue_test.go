package seg

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Steps of more than one meet their end exactly, or miss it. The twin misses it.
func TestSteps(t *testing.T) {
	for _, c := range []struct{ name, src, good, bad string }{
		{"an array is walked by bytes",
			`int main(void) { unsigned n = nondet_int(); if (n > 1000) return 0; char *p = malloc(n * 4), *q = p; while (q != p + n * 4) { *q = q[3] = 1; q += @; } free(p); return 0; }`,
			"4", "3"},
		{"words are aligned",
			`int main(void) { unsigned n = nondet_int(); if (n > 1000) return 0; char *p = malloc(n * 4), *q = p; while (q < p + n * 4) { *(int *)@ = 1; q += 4; } free(p); return 0; }`,
			"q", "(q + 2 * (q != p))"},
		{"three elements a turn",
			`int main(void) { unsigned n = nondet_int(); if (n > 1000) return 0; int *a = malloc(n * 12); for (unsigned i = @; i != 3 * n; i += 3) a[i] = a[i + 1] = a[i + 2] = 0; free(a); return 0; }`,
			"0", "1"},
		{"down to null", `int main(void) { unsigned x = nondet_int(), s = x; char a[9]; if (x > 9 || x % 3 @) return 0; while (x != 0) { x -= 3; a[x] = 1; } return 0; }`,
			"", "== 0"},
		{"two steps", `int main(void) { int a[13]; unsigned i = 0; while (i != 12) { a[i] = 0; if (nondet_int()) i += 6; else i += @; if (i == 18) i = 0; } return 0; }`,
			"12", "4"},
	} {
		for _, safe := range []bool{false, true} {
			name, hole := c.name+", not so", c.bad
			if safe {
				name, hole = c.name, c.good
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				g, err := Build(context.Background(), compile(t, strings.ReplaceAll(c.src, "@", hole)),
					Options{Semantics: ir.Semantics{MallocNeverFails: true}})
				if err != nil {
					t.Fatal(err)
				}
				if g.Defined() != safe {
					t.Errorf("safe: %t, want %t: %v", g.Defined(), safe, g.Faults)
				}
			})
		}
	}
}

// The residue of an expression is right for all values of its variables that the knowledge allows.
func TestResidue(t *testing.T) {
	for a := int64(-4); a <= 4; a++ {
		for b := int64(-4); b <= 4; b++ {
			k := newKnow()
			x, y, z := exact.Var(0), exact.Var(1), exact.Var(2)
			k.residues[x] = residue{exact.I(6), exact.I(4)}
			k.eq(exact.V(y).Sub(exact.V(z).Scale(exact.I(10))).AddInt(-3)) // y = 10z + 3
			e := exact.V(x).Scale(exact.I(a)).AddScaled(exact.I(b), exact.V(y)).AddInt(5)
			r := k.residue(e)
			up, _ := k.rounded(e)
			for v := int64(-26); v <= 28; v += 6 {
				for w := int64(-2); w <= 2; w++ {
					val := func(n exact.Var) exact.Int {
						return map[exact.Var]exact.Int{x: exact.I(v), y: exact.I(10*w + 3), z: exact.I(w)}[n]
					}
					n := e.Eval(val)
					if d := n.Sub(r.rest); r.mod.IsZero() && !d.IsZero() || !r.mod.IsZero() &&
						!d.FloorDiv(r.mod).Mul(r.mod).Equal(d) {
						t.Fatalf("%dx + %dy + 5 = %s is not %s mod %s", a, b, n, r.rest, r.mod)
					}
					if (n.Sign() >= 0) != (up.Eval(val).Sign() >= 0) {
						t.Fatalf("%dx + %dy + 5 = %s has another sign than %s", a, b, n, up.Eval(val))
					}
				}
			}
		}
	}
}
