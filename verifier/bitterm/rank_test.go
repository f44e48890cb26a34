package bitterm

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// Loops whose end only the bits tell. Each that ends has a twin one token away
// that need not, which no measure may rank.
func TestBitPreciseRanking(t *testing.T) {
	for _, c := range []struct {
		name, src string
		proved    bool
	}{
		{"down by two, even", `unsigned n = nondet_uint(); if (n & 1) return 0; while (n != 0) n -= 2; return 0;`,
			true},
		{"down by two, any", `unsigned n = nondet_uint(); if (n & 0) return 0; while (n != 0) n -= 2; return 0;`,
			false},
		{"lowest bit cleared", `unsigned n = nondet_uint(); while (n != 0) n &= n - 1; return 0;`, true},
		{"lowest bit kept", `unsigned n = nondet_uint(); while (n != 0) n &= n - 0; return 0;`, false},
		{"shifted out to the left", `unsigned n = nondet_uint(); while (n != 0) n <<= 1; return 0;`, true},
		{"not shifted", `unsigned n = nondet_uint(); while (n != 0) n <<= 0; return 0;`, false},
		{"filled from the right", `unsigned n = nondet_uint(); while (n != 0xffffffffu) n |= n << 1 | 1; return 0;`,
			true},
		{"filled but for one bit", `unsigned n = nondet_uint(); while (n != 0xffffffffu) n |= n << 1 | 2; return 0;`,
			false},
		{"around a ring", `unsigned i = nondet_uint() & 15, e = nondet_uint() & 15; while (i != e) i = (i + 1) & 15; return 0;`, true},
		{"around a ring, past it",
			`unsigned i = nondet_uint() & 15, e = nondet_uint() & 31; while (i != e) i = (i + 1) & 15; return 0;`,
			false},
		{"odd steps meet zero", `unsigned char n = nondet_uint(); while (n != 0) n += 3; return 0;`, true},
		{"even steps need not", `unsigned char n = nondet_uint(); while (n != 0) n += 6; return 0;`, false},
		{"even steps from even", `unsigned char n = nondet_uint() & 0xfe; while (n != 0) n += 6; return 0;`, true},
		{"lexicographic", `unsigned n = nondet_uint(), m = nondet_uint(); while (n != 0 || m != 0) if (m != 0) m &= m - 1; else { n &= n - 1; m = nondet_uint(); } return 0;`, true},
		{"lexicographic, reset",
			`unsigned n = nondet_uint(), m = nondet_uint(); while (n != 0 || m != 0) if (m != 0) m &= m - 1; else { n &= n - 0; m = nondet_uint(); } return 0;`, false},
		{"nested", `for (unsigned n = nondet_uint(); n != 0; n <<= 1) for (unsigned char m = n; m != 0; m &= m - 1) ; return 0;`, true},
		{"nested, the inner one changes the outer",
			`for (unsigned n = nondet_uint(); n != 0; n <<= 1) for (unsigned char m = n; m != 0; m &= m - 1) n++; return 0;`, false},
		{"no exit", `unsigned n = nondet_uint(); for (;;) n &= n - 1; return 0;`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cert, _, why := rank(testprogram.Within(t, 5*time.Minute), termination(t, `int main(void) { `+c.src+` }`))
			if (cert != nil) != c.proved {
				t.Fatalf("proved %v, want %v: %v %+v", cert != nil, c.proved, why, cert)
			}
			if cert != nil && cert.Checked == "" {
				t.Error("not checked")
			}
		})
	}
}

// What the walk does not model gives no proof, however the loops look.
func TestBitPreciseNeedsEverything(t *testing.T) {
	for name, src := range map[string]string{
		"recursion": `static unsigned f(unsigned n) { return n ? f(n & (n - 1)) : 0; } int main(void) { return f(nondet_uint()); }`,
		"no body":   `void other(void); int main(void) { unsigned n = nondet_uint(); while (n != 0) { other(); n &= n - 1; } return 0; }`,
	} {
		if cert, _, _ := rank(testprogram.Within(t, 5*time.Minute), termination(t, src)); cert != nil {
			t.Errorf("%s: proved by %+v", name, cert)
		}
	}
}

// The check of the certificate refuses measures that do not fall.
func TestRankCheckRefuses(t *testing.T) {
	ctx := testprogram.Within(t, 5*time.Minute)
	p := termination(t, `int main(void) { unsigned n = nondet_uint(); while (n != 0) n &= n - 1; return 0; }`)
	for _, wrong := range []bool{false, true} {
		r, err := newRanker(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		defer r.cut.Close()
		ranks, err := r.rankAll(ctx)
		if len(ranks) != 1 {
			t.Fatal(err)
		}
		if wrong {
			for _, m := range measures(&r.f.Headers[ranks[0].header]) {
				if m.text == "~n" {
					ranks[0].by = []measure{m}
				}
			}
		}
		if cert, _, why := r.certify(ctx, ranks); (cert != nil) == wrong {
			t.Errorf("wrong %v: %+v %v", wrong, cert, why)
		}
	}
}

func TestInverse(t *testing.T) {
	for _, w := range []int{2, 3, 8, 16, 31, 32, 64} {
		for _, d := range []uint64{1, 3, 5, 7, 9, 0x55, 0x1235, 0xffffffffffffffff} {
			v := bits.New(w, d)
			if got := bits.Mul(v, inverse(v)); !got.IsOne() {
				t.Errorf("%d bits: %x times its inverse is %s", w, d, got.Hex())
			}
		}
	}
}
