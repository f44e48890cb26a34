package verifier

import (
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestClocks: seconds come back from hours, minutes and seconds, signed, unsigned, and in bytes; those of a clock that
// leaves something out do not. No solver decides this on bits in a minute.
func TestClocks(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      verdict.Status
	}{
		{"unsigned", `unsigned t = nondet_uint(), h = t / 3600, m = t / 60 % 60, s = t % 60;
			CHECK(m < 60 && s < 60 && h * 3600 + m * 60 + s == t);`, verdict.Proved},
		{"signed", `int t = nondet_int(), h = t / 3600, m = t % 3600 / 60, s = t % 60;
			CHECK(m < 60 && m > -60 && h * 3600 + m * 60 + s == t);`, verdict.Proved},
		{"what is left", `unsigned t = nondet_uint(), h = t / 3600, r = t - h * 3600, m = r / 60, s = r - m * 60;
			CHECK(m < 60 && s < 60 && h * 3600 + m * 60 + s == t);`, verdict.Proved},
		{"in bytes", `unsigned t = nondet_uint(); if (t >= 86400) return 0;
			unsigned char h = t / 3600, m = t / 60 % 60, s = t % 60;
			CHECK(h < 24 && h * 3600u + m * 60u + s == t);`, verdict.Proved},
		{"bytes that are too small", `unsigned t = nondet_uint(); unsigned char h = t / 3600, m = t / 60 % 60, s = t % 60;
			CHECK(h * 3600u + m * 60u + s == t);`, verdict.Violated},
		{"days are left out", `unsigned t = nondet_uint(), h = t / 3600 % 24, m = t / 60 % 60, s = t % 60;
			CHECK(h * 3600 + m * 60 + s == t);`, verdict.Violated},
		{"minutes of another", `int t = nondet_int(), h = t / 3600, m = t % 3601 / 60, s = t % 60;
			CHECK(h * 3600 + m * 60 + s == t);`, verdict.Violated},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := testprogram.Limit(time.Minute)
			defer cancel()
			res := Run(ctx, testprogram.Compile(t, "int main(void) { "+c.src+" return 0; }", "-O0"), Plan{Entry: "main",
				Checks: verdict.CheckSet{verdict.Assert: true}, Semantics: ir.Semantics{VolatileMemory: true}})
			for _, cl := range res.Claims {
				if cl.Check == verdict.Assert && cl.Status != c.want {
					t.Errorf("%s, want %s", cl.Status, c.want)
				}
			}
		})
	}
}
