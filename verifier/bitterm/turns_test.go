package bitterm

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
)

// Loops over words, and how many turns they take at most; -1: nothing is said. Each has a wrong twin.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name, src string
		most      int64
	}{
		{"bits that are set", `unsigned n = nondet_uint(); while (n) n &= n - 1; return 0;`, 32},
		{"bits that stay", `unsigned n = nondet_uint(); while (n) n &= n - 2; return 0;`, -1},
		{"lowest bit subtracted", `unsigned n = nondet_uint(); while (n) n -= n & -n; return 0;`, 32},
		{"lowest bit added", `unsigned n = nondet_uint(); while (n) n += n & -n; return 0;`, 32},
		{"another bit subtracted", `unsigned n = nondet_uint(); while (n) n -= n & 1; return 0;`, -1},
		{"doubled, up to a limit",
			`unsigned n = nondet_uint(); for (unsigned i = 1; i && i < n; i *= 2) ; return 0;`, 32},
		{"doubled, to 0 as well", `unsigned n = nondet_uint(); for (unsigned i = 1; i < n; i *= 2) ; return 0;`, -1},
		{"doubled, limit below the half",
			`unsigned n = nondet_uint() >> 1; for (unsigned i = 1; i < n; i *= 2) ; return 0;`, 32},
		{"shifted left", `unsigned long long n = nondet_uint(); while (n) n <<= 1; return 0;`, 64},
		{"turned left", `unsigned n = nondet_uint(); while (n) n = n << 1 | n >> 31; return 0;`, -1},
		{"divided", `unsigned n = nondet_uint(); while (n) n /= 3; return 0;`, 32},
		{"divided, less a turn", `unsigned n = nondet_uint(); while (n) if (nondet_uint()) n /= 3; return 0;`, -1},
		{"divided, signed", `int n = nondet_uint(); while (n) n /= 2; return 0;`, 32},
		{"shifted right, signed", `int n = nondet_uint(); while (n) n >>= 1; return 0;`, -1},
		{"filled", `unsigned n = nondet_uint(); while (~n) n |= n + 1; return 0;`, 32},
		{"filled but for one bit", `unsigned n = nondet_uint(); while (~n) n |= n + 2; return 0;`, -1},
		{"around a ring",
			`unsigned i = nondet_uint() & 15, e = nondet_uint() & 15; while (i != e) i = (i + 1) & 15; return 0;`, 15},
		{"around a ring, past it",
			`unsigned i = nondet_uint() & 15, e = nondet_uint() & 31; while (i != e) i = (i + 1) & 15; return 0;`, -1},
		{"a short word", `unsigned char n = nondet_uint(); while (n != 0) n += 3; return 0;`, 255},
		{"a long one", `unsigned n = nondet_uint(); while (n != 0) n += 3; return 0;`, -1},
		{"in two places", `unsigned n = nondet_uint(); f(n, 1); f(n, 2); return 0;`, 32},
		{"in two places, one of them for ever", `unsigned n = nondet_uint(); f(n, 1); f(n, 0); return 0;`, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := termination(t, `static void f(unsigned n, unsigned by) { while (n) n >>= by; }
				int main(void) { `+c.src+` }`)
			got := Turns(testprogram.Within(t, 5*time.Minute), p)
			if c.most < 0 && len(got) > 0 || c.most >= 0 && len(got) != 1 {
				t.Fatalf("%v, want %d", got, c.most)
			}
			for _, n := range got {
				if n != c.most {
					t.Errorf("%d turns, want %d", n, c.most)
				}
			}
		})
	}
}

// TestTurnsOfNestedLoops: the bound of the inner loop is for each time that it is entered.
func TestTurnsOfNestedLoops(t *testing.T) {
	p := termination(t, `int main(void) { for (unsigned n = nondet_uint(); n; n >>= 1)
		for (unsigned char m = n; m; m &= m - 1) ; return 0; }`)
	got := map[int64]bool{}
	for _, n := range Turns(testprogram.Within(t, 5*time.Minute), p) {
		got[n] = true
	}
	if len(got) != 2 || !got[8] || !got[32] {
		t.Errorf("%v", got)
	}
}

// TestRandomTurns: no loop over a byte takes more turns than is said, from any byte and beside any other one.
func TestRandomTurns(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	bounded := 0
	for n := 0; n < 60; n++ {
		x := randomWord(rng, 2)
		got := Turns(testprogram.Within(t, time.Minute), termination(t, fmt.Sprintf(
			`int main(void) { unsigned char x = nondet_uint(), y = nondet_uint(); while (x) x = %s; return 0; }`, x.text)))
		for _, most := range got {
			bounded++
			for start := 0; start < 1<<16; start++ {
				v, y := uint8(start), uint8(start>>8)
				for turns := int64(0); v != 0; turns++ {
					if turns > most {
						t.Fatalf("x = %s: more than %d turns from %d with y = %d", x.text, most, uint8(start), y)
					}
					v = x.eval(v, y)
				}
			}
		}
	}
	if bounded < 8 {
		t.Errorf("%d loops bounded", bounded)
	}
}

// word is an expression over bytes x and y.
type word struct {
	text string
	eval func(x, y uint8) uint8
}

// randomWord is an expression of the given depth, whose value is a byte.
func randomWord(rng *rand.Rand, depth int) word {
	if depth == 0 || rng.Intn(6) == 0 {
		k := uint8(rng.Intn(4))
		return []word{
			{"x", func(x, _ uint8) uint8 { return x }},
			{"x", func(x, _ uint8) uint8 { return x }},
			{"y", func(_, y uint8) uint8 { return y }},
			{fmt.Sprint(k), func(uint8, uint8) uint8 { return k }},
		}[rng.Intn(4)]
	}
	a, b, k := randomWord(rng, depth-1), randomWord(rng, depth-1), uint8(rng.Intn(3))
	two := func(op string, f func(p, q uint8) uint8) word {
		return word{fmt.Sprintf("(unsigned char)(%s %s %s)", a.text, op, b.text),
			func(x, y uint8) uint8 { return f(a.eval(x, y), b.eval(x, y)) }}
	}
	one := func(op string, f func(p uint8) uint8) word {
		return word{fmt.Sprintf("(unsigned char)(%s %s %d)", a.text, op, k),
			func(x, y uint8) uint8 { return f(a.eval(x, y)) }}
	}
	return []word{
		two("&", func(p, q uint8) uint8 { return p & q }),
		two("&", func(p, q uint8) uint8 { return p & q }),
		two("|", func(p, q uint8) uint8 { return p | q }),
		two("^", func(p, q uint8) uint8 { return p ^ q }),
		two("-", func(p, q uint8) uint8 { return p - q }),
		two("+", func(p, q uint8) uint8 { return p + q }),
		one("-", func(p uint8) uint8 { return p - k }),
		one("<<", func(p uint8) uint8 { return p << k }),
		one(">>", func(p uint8) uint8 { return p >> k }),
	}[rng.Intn(9)]
}
