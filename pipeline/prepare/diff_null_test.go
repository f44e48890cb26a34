package prepare

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestMembersAskedForNull compares versions of functions that ask whether a member is null: it may be, in both versions, if
// one of them asks. A check that the new version alone has is no difference, as the old one goes through null without it.
func TestMembersAskedForNull(t *testing.T) {
	const s, moved = "struct d { int *p; int n; }; ", "struct d { int x; int *p; int n; }; "
	const asks, other, never = "int f(struct d *d) { if (d->p) return d->p[0]; return -1; }",
		"int f(struct d *d) { int *q = d->p; if (!q) return -2; return q[0]; }", "int f(struct d *d) { return d->p[0]; }"
	const copied = "int f(struct d *d) { int *q = d->p; if (q) return *q; return -1; }"
	for _, c := range []layoutCase{
		{"another answer", s + asks, s + other, verdict.Differs, ""},
		{"no longer asked", s + asks, s + never, verdict.Differs, ""},
		{"asked now", s + never, s + asks, verdict.SameBounded, "d.p may be null"},
		{"asked of a copy", s + asks, s + copied, verdict.SameBounded, "d.p may be null"},
		{"another layout, another answer", s + asks, moved + other, verdict.Differs, ""},
		{"another layout, no longer asked", s + asks, moved + never, verdict.Differs, ""},
		{"another layout, asked now", s + never, moved + asks, verdict.SameBounded, "`x` of `struct d` is new"},
		{"nobody asks", s + never, s + "int f(struct d *d) { return *d->p; }", verdict.SameBounded, ""},
	} {
		c.run(t)
	}
}
