package prepare

import (
	"strings"
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

// TestPaddingOfResults compares versions that give structures which the ABI makes an integer of: padding in that is not
// compared, where it lies.
func TestPaddingOfResults(t *testing.T) {
	const padded = "struct p { char a; short b; }; struct p f(unsigned x) { struct p r; r.a = x; r.b = x * 2; return r; }"
	const three = "struct q { char a[3]; }; struct q f(unsigned x) { struct q r; r.a[0] = x; r.a[1] = x * 2; r.a[2] = 0; return r; }"
	for _, c := range []layoutCase{
		{"padding", padded, strings.Replace(padded, "x * 2", "x << 1", 1), verdict.Same, ""},
		{"a member", padded, strings.Replace(padded, "x * 2", "x * 3", 1), verdict.Differs, ""},
		{"the first member", padded, strings.Replace(padded, "r.a = x", "r.a = x + 256 + (x == 7)", 1), verdict.Differs, ""},
		{"three bytes", three, strings.Replace(three, "x * 2", "x << 1", 1), verdict.Same, ""},
		{"the last of three bytes", three, strings.Replace(three, "= 0", "= x > 255", 1), verdict.Differs, ""},
	} {
		c.run(t)
	}
}
