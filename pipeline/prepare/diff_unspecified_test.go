package prepare

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestUnspecifiedBytes compares versions that hand over what C leaves unspecified: the bytes of a union behind the member that
// is initialised. That both choose them for themselves is no difference.
func TestUnspecifiedBytes(t *testing.T) {
	const u, left = "union u { unsigned short h; unsigned w; }; ", "bytes that C leaves unspecified"
	const result = "union u f(unsigned x) { union u r = {1}; r.h = x * 2; return r; }"
	const stored = "void f(union u *p, unsigned x) { union u r = {1}; r.h = x * 2; *p = r; }"
	for _, c := range []layoutCase{
		{"the result", u + result, u + "union u f(unsigned x) { union u r = {1}; r.h = x << 1; return r; }", verdict.SameBounded, left},
		{"another result", u + result, u + "union u f(unsigned x) { union u r = {1}; r.h = x * 3; return r; }", verdict.Differs, ""},
		{"memory", u + stored, u + "void f(union u *p, unsigned x) { union u r = {1}; r.h = x << 1; *p = r; }", verdict.SameBounded, left},
		{"other memory", u + stored, u + "void f(union u *p, unsigned x) { union u r = {1}; r.h = x | 2; *p = r; }", verdict.Differs, ""},
		{"written whole", u + result, u + "union u f(unsigned x) { union u r; r.w = (x * 2) & 0xffff; return r; }", verdict.SameBounded, left},
	} {
		c.run(t)
	}
}
