package verifier

import (
	"context"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// statuses runs main of src, for so many batches of claims, and lists what became of
// the calls of reach_error.
func statuses(t *testing.T, src string, limit int) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	asked := 0
	progress := func(Progress) {
		if asked++; asked == limit {
			cancel()
		}
	}
	res := Run(ctx, testprogram.Compile(t, src, "-O0"), Plan{Entry: "main", Unwind: 64, Progress: progress,
		Checks: verdict.CheckSet{verdict.Assert: true}})
	var out []string
	for _, c := range res.Claims {
		if c.IsShadowed() {
			out = append(out, "shadowed")
		} else if c.Check == verdict.Assert {
			out = append(out, c.Status.String())
		}
	}
	return strings.Join(out, " ")
}

// TestClaimsBeforeAHardOne: what was proved before the end stays proved. The
// hard claim says that a prime of 62 bits has no factors; no machine proves it so.
func TestClaimsBeforeAHardOne(t *testing.T) {
	got := statuses(t, `int main(void) { unsigned x = nondet_uchar();
 for (int i = 0; i < 20; i++) { unsigned y = nondet_uchar(); CHECK((x ^ y) + 2 * (x & y) == x + y); }
 unsigned long a = nondet_uint() * 65536ul + nondet_uint(), b = nondet_uint() * 65536ul + nondet_uint();
 CHECK(a < 2 || b < 2 || (unsigned __int128)a * b != 4611686018427387847ul); return 0; }`, 7)
	if got != "proved unknown" {
		t.Errorf("statuses are %q", got)
	}
}

// TestBatchesFindEveryViolation: hundreds of claims, of which the first, one in the
// middle and the last are violated; the others
// hold in runs without a violation.
func TestBatchesFindEveryViolation(t *testing.T) {
	var b strings.Builder
	b.WriteString("int main(void) { unsigned char x = nondet_uchar(); unsigned s = 0;\n")
	var want []string
	for i := range 200 {
		status := "proved"
		limit := "300"
		if i == 0 || i == 90 || i == 199 {
			status, limit = "violated", "200"
		}
		want = append(want, status)
		b.WriteString(" s = nondet_uchar() ^ x; CHECK(s < " + limit + ");\n")
	}
	b.WriteString(" return 0; }")
	if got := statuses(t, b.String(), 10_000); got != strings.Join(want, " ") {
		t.Errorf("statuses are %s", got)
	}
}

// TestCutRound: claims that the inductive proof covers are proved, also where it ended
// a round that knew already that its unwinding is complete, or that came no further than a gap.
func TestCutRound(t *testing.T) {
	why := &verdict.Reason{Kind: verdict.Cancelled, Detail: "stopped"}
	claim := func(id string) problem.Unwound {
		return problem.Unwound{Claim: verdict.Claim{ID: id, Check: verdict.Assert, Status: verdict.Unknown,
			Reason: why}}
	}
	proofs := problem.NewProofs([]verdict.Claim{{ID: "a"}, {ID: "b"}}, []verdict.Claim{{ID: "c"}})
	proofs.Holds["a"], proofs.Certificate = true, &verdict.Certificate{Method: "m"}
	u := &problem.Unwinding{Complete: true, Cut: why}
	if c := claims.ClaimOf(u, claim("a"), proofs, nil); c.Status != verdict.Proved || c.Certificate == nil ||
		c.Certificate.Method != "m" {
		t.Errorf("covered: %+v", c)
	}
	if c := claims.ClaimOf(u, claim("b"), proofs, nil); c.Status != verdict.Unknown || c.Reason != why {
		t.Errorf("not covered: %+v", c)
	}
	behind := func(id string) problem.Unwound {
		c := claim(id)
		c.BehindGap, c.Reason = true, nil
		return c
	}
	u = &problem.Unwinding{Complete: true, Gap: why}
	if c := claims.ClaimOf(u, behind("a"), proofs, nil); c.Status != verdict.Proved {
		t.Errorf("covered, behind a gap: %+v", c)
	}
	if c := claims.ClaimOf(u, behind("b"), proofs, nil); c.Status != verdict.Unknown {
		t.Errorf("not covered, behind a gap: %+v", c)
	}
}

// TestCallWithoutResult: a call that takes no result may be of functions with and without one.
func TestCallWithoutResult(t *testing.T) {
	m := testprogram.Compile(t, `static int x; static int one(void *p) { x = 1; return 1; } static void two(void *p) { x = 2; }
static void *three(void *p) { x = 3; return p; }
int main(void) { void (*f)(void *) = nondet_int() ? (void (*)(void *))one : nondet_int() ? two : (void (*)(void *))three;
f(&x); CHECK(x > 0 && x < 4); CHECK(x != 3); return x; }`, "-O0")
	res := Run(context.Background(), m, Plan{Entry: "main", Checks: verdict.CheckSet{verdict.Assert: true}})
	violated, proved := 0, 0
	for _, c := range res.Claims {
		switch c.Status {
		case verdict.Violated:
			violated++
		case verdict.Proved:
			proved++
		}
	}
	if res.Reason != nil || violated != 1 || proved == 0 {
		t.Errorf("%d violated, %d proved, reason %v", violated, proved, res.Reason)
	}
}
