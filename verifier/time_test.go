package verifier

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/claims"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// wide returns a program that divides or multiplies two unknown integers of so many bits.
func wide(t *testing.T, op string, bits int) *ir.Module {
	text := strings.NewReplacer("OP", op, "iN", fmt.Sprintf("i%d", bits), "BYTES", fmt.Sprint(bits/8)).Replace(`
declare void @__assert_fail(i8*, i8*, i32, i8*)
declare void @__CPROVER_havoc_object(i8*)
define i32 @main() {
  %a = alloca iN
  %b = alloca iN
  %p = bitcast iN* %a to i8*
  %q = bitcast iN* %b to i8*
  call void @__CPROVER_havoc_object(i8* %p)
  call void @__CPROVER_havoc_object(i8* %q)
  %x = load iN, iN* %a
  %y = load iN, iN* %b
  %z = icmp ne iN %y, 0
  br i1 %z, label %go, label %out
go:
  %r = OP iN %x, %y
  %s = mul iN %r, %y
  %c = icmp ugt iN %s, %x
  br i1 %c, label %bad, label %out
bad:
  call void @__assert_fail(i8* null, i8* null, i32 1, i8* null)
  unreachable
out:
  ret i32 0
}`)
	m, err := frontend.Parse("wide.ll", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// nasty are programs whose single steps took minutes that no limit of time ended.
func nasty(t *testing.T) map[string]*ir.Module {
	out := map[string]*ir.Module{"division of 4,096 bits": wide(t, "udiv", 4096),
		"remainder of 65,536 bits": wide(t, "srem", 65536), "product of 1,048,576 bits": wide(t, "mul", 1<<20)}
	for name, src := range map[string]string{
		"any bytes": `void *malloc(unsigned long); void __CPROVER_havoc_object(void *);
unsigned long nondet_ulong(void);
int main(void) { char *p = malloc(nondet_ulong()); __CPROVER_havoc_object(p); CHECK(p[1] == 0); }`,
		"copies": `void *malloc(unsigned long); void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
int main(void) { unsigned long n = 1ul << 60; char *a = malloc(n), *b = malloc(n); memset(b, 3, n); memcpy(a, b, n); CHECK(a[n - 1] == 3); }`,
		"copies without end": `void *memset(void *, int, unsigned long); static char a[1 << 20];
int main(void) { for (int i = 0;; i++) memset(a, i, sizeof a); }`,
		"remainders of doubles": `double fmod(double, double); double nondet_double(void);
int main(void) { double s = 1; for (int i = 0; i < 40; i++) s = fmod(s * nondet_double(), nondet_double()); CHECK(s == s); }`,
	} {
		out[name] = testprogram.Compile(t, src, "-O0")
	}
	return out
}

// TestTimeHolds: whatever the program, its verification ends when its time is over, and when it is cancelled. The
// bound is a generous one: without the checks inside of long steps these took minutes.
func TestTimeHolds(t *testing.T) {
	const limit, slack = 2 * time.Second, time.Minute
	checks := verdict.DefaultChecks()
	checks[verdict.Termination] = true
	for name, m := range nasty(t) {
		t.Run(name, func(t *testing.T) {
			for _, cancelled := range []bool{false, true} {
				ctx, cancel := context.WithTimeout(context.Background(), limit)
				if cancelled {
					ctx, cancel = context.WithCancel(context.Background())
					time.AfterFunc(limit/4, cancel)
				}
				began := time.Now()
				res := Run(ctx, m, Plan{Entry: "main", Checks: checks, Memory: 2 << 30})
				cancel()
				if took := time.Since(began); took > limit+slack {
					t.Errorf("cancelled %v: %s, %s", cancelled, res.Status, took)
				}
				if res.Status == verdict.Proved {
					t.Errorf("cancelled %v: %s", cancelled, res.Status)
				}
			}
		})
	}
}

// TestStuckEngine: an engine that does not end with its context holds nobody up; where it had the question, the
// answer is unknown.
func TestStuckEngine(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) { CHECK(nondet_int()); }`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stuck := race.Entrant{Name: "stuck", Engine: engineFunc(func(context.Context, *problem.Answers) error {
		cancel()
		select {}
	})}
	a, res := problem.NewAnswers(), &verdict.Result{}
	race.Run(ctx, p, a, []race.Entrant{stuck})
	claims.ReportPaths(p, a, res)
	if res.Reason == nil || res.Reason.Kind != verdict.Cancelled {
		t.Errorf("reason %+v", res.Reason)
	}
	settles := race.Entrant{Name: "settles", Engine: engineFunc(func(context.Context, *problem.Answers) error {
		return nil
	})}
	b := problem.NewAnswers()
	if race.Run(context.Background(), p, b, []race.Entrant{stuck, settles}); b.Reason() != nil {
		t.Errorf("a settled question has the reason %+v", b.Reason())
	}
}

// Where the time is over before any engine begins, as a slow build leaves it, nothing is known: whatever is asked.
func TestTimeIsOver(t *testing.T) {
	m := testprogram.Hosted(t, `int main(void) { CHECK(nondet_int()); for (;;) ; }`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, checks := range [][]verdict.Check{{verdict.Assert}, {verdict.Memory, verdict.Leak}, {verdict.Termination},
		{verdict.ComplexityBound}, {verdict.Termination, verdict.SignedOverflow}} {
		res := Run(ctx, m, testprogram.Problem(m, "main", checks...).Plan)
		if res.Status != verdict.Unknown {
			t.Errorf("%v: %s, %+v", checks, res.Status, res.Claims)
		}
	}
}
