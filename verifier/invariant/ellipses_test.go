package invariant

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Filters whose numbers stay in bounds; each has a twin, one token apart, whose numbers do not.
var filters = []struct {
	name, src string
	proved    bool
}{
	{"direct form", `int main(void) { float y1 = 0, y2 = 0; while (1) { float x = nondet_float(); if (!(x >= -1 && x <=
		1)) x = 0; float y = 1.5f * y1 - 0.7f * y2 + x; y2 = y1; y1 = y; CHECK(y >= -11 && y <= 11); } }`, true},
	{"direct form bad", `int main(void) { float y1 = 0, y2 = 0; while (1) { float x = nondet_float(); if (!(x >= -1 &&
		x <= 1)) x = 0; float y = 1.5f * y1 - 1.02f * y2 + x; y2 = y1; y1 = y; CHECK(y >= -11 && y <= 11); } }`, false},
	{"direct form of any input bad", `int main(void) { float y1 = 0, y2 = 0; while (1) { float x = nondet_float(); if (x <
		-1 || x > 1) x = 0; float y = 1.5f * y1 - 0.7f * y2 + x; y2 = y1; y1 = y; CHECK(y >= -11 && y <= 11); } }`, false},
	{"structure", `struct { double b0, b1, b2, a1, a2, x1, x2, y1, y2; } f = {0.2, 0.4, 0.2, -0.6, 0.4, 0, 0, 0, 0};
		int main(void) { while (1) { double x = nondet_double(); if (!(x >= -1 && x <= 1)) continue; double y = f.b0 * x +
		f.b1 * f.x1 + f.b2 * f.x2 - f.a1 * f.y1 - f.a2 * f.y2; f.x2 = f.x1; f.x1 = x; f.y2 = f.y1; f.y1 = y;
		CHECK(y > -2.5 && y < 2.5); } }`, true},
	{"structure bad", `struct { double b0, b1, b2, a1, a2, x1, x2, y1, y2; } f = {0.2, 0.4, 0.2, -0.6, 0.4, 0, 0, 0, 0};
		int main(void) { while (1) { double x = nondet_double(); if (!(x >= -1 && x <= 1)) continue; double y = f.b0 * x +
		f.b1 * f.x1 + f.b2 * f.x2 - f.a1 * f.y1 - f.a2 * f.y2; f.x2 = f.x1; f.x1 = x; f.y2 = f.y1; f.y1 = y;
		CHECK(y > -1.0 && y < 1.0); } }`, false},
	{"transposed", `unsigned short nondet_ushort(void);
		float s1, s2; int main(void) { while (1) { float x = (float)(nondet_ushort() & 4095), y = 0.0675f * x
		+ s1; s1 = 0.1349f * x + 1.143f * y + s2; s2 = 0.0675f * x - 0.4128f * y; CHECK(y < 6000); } }`, true},
	{"transposed bad", `unsigned short nondet_ushort(void);
		float s1, s2; int main(void) { while (1) { float x = (float)(nondet_ushort() & 8191), y =
		0.0675f * x + s1; s1 = 0.1349f * x + 1.143f * y + s2; s2 = 0.0675f * x - 0.4128f * y; CHECK(y < 6000); } }`, false},
	{"reset", `int main(void) { double a = 0, b = 0; while (1) { if (nondet_int()) a = b = 0; double x =
		(short)nondet_int(), w = x + 1.2 * a - 0.5 * b; b = a; a = w; CHECK(w - b < 400000); } }`, true},
	{"reset bad", `int main(void) { double a = 0, b = 0; while (1) { if (nondet_int()) a = b = 5e5; double x =
		(short)nondet_int(), w = x + 1.2 * a - 0.5 * b; b = a; a = w; CHECK(w - b < 400000); } }`, false},
	{"third order", `double z1, z2, z3; int main(void) { while (1) { double x = nondet_double(); if (!(x > -1 && x < 1))
		continue; double y = x + 1.1 * z1 - 0.6 * z2 + 0.1 * z3; z3 = z2; z2 = z1; z1 = y; CHECK(y < 8); } }`, true},
	{"third order bad", `double z1, z2, z3; int main(void) { while (1) { double x = nondet_double(); if (!(x > -1 && x <
		1)) continue; double y = x + 1.1 * z1 - 0.6 * z2 + 0.6 * z3; z3 = z2; z2 = z1; z1 = y; CHECK(y < 8); } }`, false},
	{"drift bad", `double sum, y1, y2; int main(void) { while (1) { double x = nondet_double(); if (!(x > -1 && x < 1))
		continue; double y = x + 0.5 * y1 - 0.25 * y2; y2 = y1; y1 = y; sum += y; CHECK(sum < 1e9); } }`, false},
}

func TestFilters(t *testing.T) {
	for _, c := range filters {
		m := testprogram.Compile(t, c.src, "-O0")
		limit := time.Minute
		if !c.proved {
			limit = testprogram.Sample(2*time.Second, time.Second)
		}
		p := volatileMemory(m, verdict.Assert)
		got := inductTurns(testprogram.Within(t, limit), p, 0, false)
		if proved := got != nil && got.Holds[firstAssertion(p)]; proved != c.proved {
			t.Errorf("%s: proved is %v", c.name, proved)
		}
	}
}
