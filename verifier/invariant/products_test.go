package invariant

import (
	"math/rand"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Programs whose assertion is about products, and the same with a mistake.
var productPrograms = []struct{ name, right, wrong string }{
	{"sum of steps",
		`int main(void) { unsigned char n = nondet_uchar(), k = nondet_uchar(); unsigned s = 0, i = 0; while (i <
		n) { s += k; i++; } CHECK(s == (unsigned)n * k); }`,
		`int main(void) { unsigned char n = nondet_uchar(), k = nondet_uchar(); unsigned s = 0, i = 0; while (i
		<= n) { s += k; i++; } CHECK(s == (unsigned)n * k); }`},
	{"back and forth",
		`int main(void) { unsigned k = nondet_uint(), p = 0, t = 0; while (nondet_int()) { if (nondet_int()) { p
		+= k; t++; } else if (t > 0) { p -= k; t--; } CHECK(p == t * k); } }`,
		`int main(void) { unsigned k = nondet_uint(), p = 0, t = 0; while (nondet_int()) { if (nondet_int()) { p
		+= k; t++; } else { p -= k; if (t > 0) t--; } CHECK(p == t * k); } }`},
	{"Bezout",
		`int main(void) { int a = nondet_uchar() + 1, b = nondet_uchar() + 1, x = a, y = b, p = 1, q = 0, r = 0,
		s = 1; while (x != y) { if (x > y) { x -= y; p -= q; r -= s; } else { y -= x; q -= p; s -= r; } }
		CHECK(x == p * a + r * b); }`,
		`int main(void) { int a = nondet_uchar() + 1, b = nondet_uchar() + 1, x = a, y = b, p = 1, q = 0, r = 0,
		s = 1; while (x != y) { if (x > y) { x -= y; p -= q; r -= s; } else { y -= x; q -= p; s -= r - (x ==
		200); } } CHECK(x == p * a + r * b); }`},
	{"squares that wrap around",
		`int main(void) { unsigned n = nondet_uint(), i = 0, s = 0; while (i < n) { s += 2 * i + 1; i++; }
		CHECK(s == n * n); }`,
		`int main(void) { unsigned n = nondet_uint(), i = 0, s = 0; while (i < n) { s += 2 * i + 1 + (i == 300);
		i++; } CHECK(s == n * n); }`},
	{"rows and columns",
		`int main(void) { unsigned char w = nondet_uchar(), h = nondet_uchar(); unsigned n = 0; for (unsigned r =
		0; r < h; r++) for (unsigned c = 0; c < w; c++) n++; CHECK(n == w * h); }`,
		`int main(void) { unsigned char w = nondet_uchar(), h = nondet_uchar(); unsigned n = 0; for (unsigned r =
		0; r < h; r++) for (unsigned c = 0; c < w; c++) n += 1 + (r == 100 && c == 90); CHECK(n == w * h); }`},
	{"division by subtraction",
		`int main(void) { unsigned a = nondet_uint(), d = nondet_uchar(), q = 0, r = a; if (d == 0) return 0;
		while (r >= d) { r -= d; q++; } CHECK(q * d + r == a); }`,
		`int main(void) { unsigned a = nondet_uint(), d = nondet_uchar(), q = 0, r = a; if (d == 0) return 0;
		while (r >= d) { r -= d; q += q != 500; } CHECK(q * d + r == a); }`},
	{"a narrow sum", // 255 * 255 does not fit
		`int main(void) { unsigned char n = nondet_uchar(), k = nondet_uchar(), s = 0, i = 0; while (i < n) { s
		+= k; i++; } CHECK(s == (unsigned char)(n * k)); }`,
		`int main(void) { unsigned char n = nondet_uchar(), k = nondet_uchar(), s = 0, i = 0; while (i < n) { s
		+= k; i++; } CHECK(s == n * k); }`},
	{"repeated addition",
		`int f(int n, int m) { return m == 0 ? 0 : n + f(n, m - 1); } int main(void) { int n = nondet_int(), m =
		nondet_int(); CHECK(m < 0 || f(n, m) == n * m); }`,
		`int f(int n, int m) { return m == 0 ? 0 : n + f(n, m - 1) + (m == 300); } int main(void) { int n =
		nondet_int(), m = nondet_int(); CHECK(m < 0 || f(n, m) == n * m); }`},
	{"of sizes alone",
		`int f(int n, int m) { return m < 0 ? f(n, -m) : m == 0 ? 0 : n + f(n, m - 1); } int main(void) { int n =
		nondet_uchar(), m = nondet_uchar(); CHECK(f(n, m) == f(m, n)); }`,
		`int f(int n, int m) { return m < 0 ? f(n, -m) : m == 0 ? 0 : n + f(n, m - 1); } int main(void) { int n =
		nondet_uchar(), m = nondet_uchar(); CHECK(f(n, m) == f(m, n) && f(n, -m) == -n * m); }`},
	{"sum of numbers",
		`unsigned f(unsigned n) { return n == 0 ? 0 : n + f(n - 1); } int main(void) { unsigned n = nondet_uint();
		CHECK(2 * f(n) == n * (n + 1)); }`,
		`unsigned f(unsigned n) { return n == 0 ? 0 : n + f(n - 1); } int main(void) { unsigned n = nondet_uint();
		CHECK(f(n) == n * (n + 1) / 2); }`},
	{"a factor that changes late",
		`int main(void) { unsigned k = nondet_uint(), s = 0, i = 0; while (nondet_int()) { s += k; i++; CHECK(s
		== i * k); } }`,
		`int main(void) { unsigned k = nondet_uint(), s = 0, i = 0; while (nondet_int()) { s += k; i++; CHECK(s
		== i * k); if (i == 100000) k++; } }`},
}

func TestProducts(t *testing.T) {
	proved, missed := 0, ""
	proof := func(src string, limit time.Duration) *problem.Proofs {
		m := testprogram.Compile(t, src, "-O0")
		p := induct(testprogram.Within(t, limit), testprogram.Problem(m, "main", verdict.Assert), false)
		if p == nil || len(p.Holds) == 0 {
			return nil
		}
		return p
	}
	tried := 0
	for i, c := range productPrograms {
		if !testprogram.Every(i, 1) {
			continue
		}
		tried++
		if proof(c.right, 20*time.Second) != nil {
			proved++
		} else {
			missed += c.name + ", "
		}
		if p := proof(c.wrong, testprogram.Sample(2*time.Second, time.Second)); p != nil {
			t.Errorf("%s: what is wrong is proved: %v", c.name, p.Certificate.Detail)
		}
	}
	if t.Logf("missed: %s", missed); proved < tried-2 {
		t.Errorf("only %d proved; missed: %s", proved, missed)
	}
}

// Every vector of a kernel is orthogonal to every row; those of random rows, and their sums.
func TestFieldKernel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	found := 0
	for range 300 {
		n := 2 + r.Intn(6)
		plain := make([][]int64, n+2)
		rows := make([][]uint64, n+2)
		for i := range rows {
			sum := int64(0)
			for range n - 1 {
				x := int64(r.Intn(9) - 4)
				plain[i] = append(plain[i], x)
				sum += x
			}
			plain[i] = append(plain[i], sum)
			for _, x := range plain[i] {
				rows[i] = append(rows[i], residue(x))
			}
		}
		for _, c := range fieldKernel(rows, n) {
			found++
			for _, row := range plain {
				sum := int64(0)
				for j := range c {
					sum += c[j] * row[j]
				}
				if sum != 0 {
					t.Errorf("%v: %v is not orthogonal", plain, c)
				}
			}
		}
	}
	if found < 300 {
		t.Errorf("%d vectors", found)
	}
}
