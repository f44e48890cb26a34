package bitterm

import (
	"strings"
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
		{"bits of a number that counts down", `int a = 16, x = (int)nondet_uint(); ` +
			`while (x != 0) { a--; if (x > 0) x &= a; else x++; } return 0;`, true},
		{"nested", `for (unsigned n = nondet_uint(); n != 0; n <<= 1) for (unsigned char m = n; m != 0; m &= m - 1) ; return 0;`, true},
		{"nested, the inner one changes the outer",
			`for (unsigned n = nondet_uint(); n != 0; n <<= 1) for (unsigned char m = n; m != 0; m &= m - 1) n++; return 0;`, false},
		{"around a ring of any length", `
			unsigned n = nondet_uint(), i = nondet_uint(), e = nondet_uint(); if (i >= n || e >= n) return 0;
			while (i != e) if (++i == n) i = 0; return 0;`, true},
		{"around a ring of any length, past it", `
			unsigned n = nondet_uint(), i = nondet_uint(), e = nondet_uint(); if (i >= n || e > n) return 0;
			while (i != e) if (++i == n) i = 0; return 0;`, false},
		{"around a ring either way", `
			int n = nondet_int(), i = nondet_int(), e = nondet_int(), d = nondet_int() > 0 ? 1 : -1;
			if (i < 0 || e < 0 || i >= n || e >= n) return 0; while (i != e) { i += d; if (i == n) i = 0;
			if (i < 0) i = n - 1; } return 0;`, true},
		{"around a ring by two", `
			int n = nondet_int(), i = nondet_int(), e = nondet_int(), d = nondet_int() > 0 ? 1 : -2;
			if (i < 0 || e < 0 || i >= n || e >= n) return 0; while (i != e) { i += d; if (i == n) i = 0;
			if (i < 0) i = n - 1; } return 0;`, false},
		{"around a ring of any length, asked behind", `
			unsigned n = nondet_uint(), i = nondet_uint(), e = nondet_uint(); if (i >= n || e >= n) return 0;
			do if (++i == n) i = 0; while (i != e); return 0;`, true},
		{"around a ring, asked behind, past it", `
			unsigned n = nondet_uint(), i = nondet_uint(), e = nondet_uint(); if (i >= n || e > n) return 0;
			do if (++i == n) i = 0; while (i != e); return 0;`, false},
		{"up to a number, asked behind", `
			unsigned i = nondet_uint(), e = nondet_uint(); do i++; while (i != e); return 0;`, true},
		{"up to a number by two, asked behind", `
			unsigned i = nondet_uint(), e = nondet_uint(); do i += 2; while (i != e); return 0;`, false},
		{"around a ring in a structure", `
			struct { int length, at; } r = {nondet_int(), nondet_int()}, *p = &r; int e = nondet_int();
			if (p->at < 0 || e < 0 || p->at >= p->length || e >= p->length) return 0;
			while (p->at != e) if (++p->at == p->length) p->at = 0; return 0;`, true},
		{"around a ring in a structure that shrinks", `
			struct { int length, at; } r = {nondet_int(), nondet_int()}, *p = &r; int e = nondet_int();
			if (p->at < 0 || e < 0 || p->at >= p->length || e >= p->length) return 0; while (p->at != e) {
			if (++p->at == p->length) p->at = 0; if (p->length > 9) p->length--; } return 0;`, false},
		{"around a ring by remainders", `
			unsigned n = nondet_uint(), i = nondet_uint(), e = nondet_uint();
			if (i >= n || e >= n || n > 1000000) return 0; while (i != e) i = (i + 1) % n; return 0;`, true},
		{"around a ring by remainders, to its end", `
			unsigned n = nondet_uint(), i = nondet_uint(), e = nondet_uint();
			if (i >= n || e > n || n > 1000000) return 0; while (i != e) i = (i + 1) % n; return 0;`, false},
		{"around a ring from a remainder", `
			int n = nondet_int(), i = nondet_int(), e; if (n < 1 || i < 0) return 0; i %= n; e = i; do {
			if (++i == n) i = 0; } while (i != e); return 0;`, true},
		{"around a ring from a remainder of any number", `
			int n = nondet_int(), i = nondet_int(), e; if (n < 1) return 0; i %= n; e = i; do {
			if (++i == n) i = 0; } while (i != e); return 0;`, false},
		{"up or down", `
			int to = nondet_int(), i = nondet_int(); _Bool up = nondet_int();
			while (up ? i < to : i > to) i += up ? 1 : -1; return 0;`, true},
		{"up or down, the wrong way", `
			int to = nondet_int(), i = nondet_int(); _Bool up = nondet_int();
			while (up ? i != to : i > to) i += up ? 2 : -1; return 0;`, false},
		{"rotated to a bit that is set", `
			unsigned n = nondet_uint(); if (n == 0) return 0; while (!(n & 1)) n = n >> 1 | n << 31; return 0;`, true},
		{"rotated to a bit", `unsigned n = nondet_uint(); while (!(n & 1)) n = n >> 1 | n << 31; return 0;`, false},
		{"two words shifted right", `
			int low = nondet_int(), high = nondet_int(); if ((low | high) == 0) return 0; while (!(low & 1)) {
			low = high << 31 | low >> 1; high >>= 1; } return 0;`, true},
		{"two words, a bit lost", `
			int low = nondet_int(), high = nondet_int(); if ((low | high) == 0) return 0; while (!(low & 1)) {
			low = high << 31 | low >> 1; high >>= 2; } return 0;`, false},
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

// A branch on an element goes the way that what was stored before says. Each loop has a twin that need not end.
func TestRankingByElements(t *testing.T) {
	const fill = `int a[5000]; for (int i = 0; i < 5000; i++) { a[i] = (int)nondet_uint(); if (%s) a[i] = 0; } int j = 0; `
	const next = `unsigned char a[64]; for (int i = 0; i < 64; i++) { unsigned char x = nondet_uint(); ` +
		`a[i] = %s ? x : 64; } `
	for _, c := range []struct {
		name, src, ends, need string
	}{
		{"sign", fill + `while (0 <= j && j < 5000) if (a[j] > 0) j--; else j++; return 0;`, "a[i] > 0", "a[i] > 1"},
		{"parity", fill + `while (0 <= j && j < 5000) if (a[j] % 2 != 0) j--; else j++; return 0;`, "a[i] % 2 != 0",
			"a[i] % 4 == 1"},
		{"table of next places", next + `unsigned char at = 0; while (at < 64) at = a[at]; return 0;`, "x > i", "x >= i"},
	} {
		for cond, proved := range map[string]bool{c.ends: true, c.need: false} {
			t.Run(c.name+"/"+cond, func(t *testing.T) {
				t.Parallel()
				src := `int main(void) { ` + strings.Replace(c.src, "%s", cond, 1) + ` }`
				cert, evidence, why := rank(testprogram.Within(t, 5*time.Minute), termination(t, src))
				if (cert != nil) != proved {
					t.Fatalf("proved %v, want %v: %v %+v", cert != nil, proved, why, cert)
				}
				if proved && len(evidence.Cut.Lemmas) == 0 {
					t.Error("proved without lemmas")
				}
			})
		}
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
