package graphterm

import (
	"context"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// dice gives any inputs.
type dice struct{ *rand.Rand }

// Next implements input.Source.
func (d dice) Next(_ input.Kind, _ *ir.Instr, width int) (bits.Vec, bool) {
	switch d.Intn(12) {
	case 0, 1, 2, 3:
		return bits.New(width, 0), true
	case 4:
		return bits.New(width, 1<<(width-1)-1), true // of signed numbers the largest one
	}
	return bits.New(width, uint64(d.Intn(9))), true
}

// Havoc implements input.Source.
func (d dice) Havoc(*ir.Instr, int64) (func(int64) byte, bool) {
	return func(i int64) byte { return byte(i) }, true
}

// ObjectBytes implements input.Source.
func (d dice) ObjectBytes(int, *ir.Instr) func(int64) byte {
	return func(i int64) byte { return byte(7 * i) }
}

// Base implements input.Source.
func (d dice) Base(int) (bits.Vec, bool) { return bits.Vec{}, false }

// provedSafe returns the claims that a graph of main proves; nil, if none.
func provedSafe(ctx context.Context, t *testing.T, m *ir.Module, set ...verdict.Check) (*problem.Problem,
	*problem.Proofs) {
	t.Helper()
	p := testprogram.Problem(m, "main", set...)
	a := problem.NewAnswers()
	_ = Safety{}.Run(ctx, p, a)
	return p, a.Proofs()
}

// broken returns the claim that a run of p violates although proofs cover it; empty, if there is none.
func broken(ctx context.Context, t *testing.T, p *problem.Problem, proofs *problem.Proofs, seed int64) (
	claim string, violation bool) {
	t.Helper()
	out, err := interp.Run(ctx, p.Module, p.Execution(20_000), dice{rand.New(rand.NewSource(seed))})
	if err != nil {
		t.Fatal(err)
	}
	if out.Kind != interp.Violation {
		return "", false
	}
	for _, c := range claimsOf(p) {
		if c.Instr == out.Instr && c.Check == out.Check && proofs.Covers(c.ID) {
			return c.ID + ": " + out.String(), true
		}
	}
	return "", true
}

func claimsOf(p *problem.Problem) []encode.Claim {
	return encode.ListClaims(p.Module, p.Checks, p.Leaks, func(*ir.Block) bool { return true })
}

var pathChecks = []verdict.Check{verdict.Memory, verdict.Free, verdict.Leak, verdict.Assert, verdict.Uninitialised,
	verdict.PointerOverflow, verdict.SignedOverflow, verdict.Unreachable}

// records builds a list of elements that own a block each, and dropRecords frees it.
const (
	records = `struct o *o = 0; while (nondet_int()) { struct o *t = malloc(sizeof *t); t->k = nondet_int() & 7;
		t->name = malloc(4); *t->name = 0; t->next = o; o = t; } `
	dropRecords = `while (o) { struct o *t = o->next; free(o->name); free(o); o = t; }`
)

// Each program has a twin with a defect. Of the good one every claim is proved; of the other one, none that a run violates.
func TestSafetyOnTheGraph(t *testing.T) {
	const walk, freeAll = `for (struct n *p = h; p; p = p->next) `,
		`while (h) { struct n *t = h->next; free(h); h = t; } `
	for _, c := range []struct {
		name, body string
		good, bad  string // what stands for @
		check      verdict.Check
	}{
		{"freed once", `struct n *h = build(nondet_int()); while (h) { struct n *t = h->next; free(h); h = t; @ }`, ``,
			`if (!h) free(t = malloc(4)), free(t);`, verdict.Free},
		{"freed before its successor is read", `struct n *h = build(nondet_int()); while (h) { struct n *t = h@ }`,
			`->next; free(h); h = t;`, `; free(h); h = t->next;`, verdict.Memory},
		{"leaked", `struct n *h = build(nondet_int()); @`, freeAll, `h = 0;`, verdict.Leak},
		{"last one leaked", `struct n *h = build(nondet_int()); while (@) { struct n *t = h->next; free(h); h = t; }`,
			`h`,
			`h && h->next`, verdict.Leak},
		{"walked past the end", `struct n *h = build(nondet_int()); struct n *p = h; while (@) p = p->next; ` + freeAll,
			`p && p->v`, `p->v`, verdict.Memory},
		{"a field without a value", `struct n *h = 0; int s = 0; while (nondet_int()) { struct n *x = malloc(sizeof *x); @
			x->next = h; h = x; } ` + walk + `if (p->v) s++; ` + freeAll, `x->v = 1;`, `if (nondet_int()) x->v = 1;`,
			verdict.Uninitialised},
		{"a function without effect", `struct n *h = build(nondet_int()); @ ` + freeAll,
			`void srand(unsigned); srand(1);`,
			`int __CPROVER_input(int); if (__CPROVER_input(1)) h->v = 0;`, verdict.Uninitialised},
		{"a local of a scope that is over",
			`int z = 0, *r = &z, k = nondet_int(); while (k > 0) { @ { int y = k; r = &y; *r = 1; } k--; }`,
			``, `*r = 2;`, verdict.Memory},
		{"a local of an earlier turn", `int *r = 0, k = nondet_int(); while (k > 0) { int y = k; @ k--; }`,
			`r = &y; *r = 1; r = 0;`, `if (r) *r = 1; r = &y;`, verdict.Memory},
		{"an array of any length",
			`unsigned n = nondet_uchar(); char *a = malloc(n + 1); for (unsigned i = 0; i @ n; i++) a[i] = 1; free(a);`,
			`<=`, `<= 1 +`, verdict.Memory},
		{"an assertion in a loop", `struct n *h = build(nondet_int()); int k = 0; ` + walk +
			`{ k = @; } CHECK(k < 2); ` + freeAll,
			`1`, `2`, verdict.Assert},
		{"abort keeps what exit has to free", `struct n *h = build(nondet_int()); if (h) @; ` + freeAll, `abort()`,
			`exit(0)`,
			verdict.Leak},
		{"a queue with two ends", `struct n *h = 0, *e = 0; while (nondet_int()) { if (nondet_int()) { struct n *x = malloc(sizeof *x);
			x->v = 1; x->next = 0; if (e) e->next = x; else h = x; e = x; } else if (h) { struct n *x = h; h = x->next;
			@ free(x); } } ` + freeAll, `if (!h) e = 0;`, ``, verdict.Memory},
		{"a link to the tail", `struct n *h = 0, **q = &h; while (nondet_int()) { *q = push(0); @ } ` + freeAll,
			`q = &(*q)->next;`, `if (nondet_int()) q = &(*q)->next;`, verdict.Leak},
		{"cut behind a link", `struct n *h = build(nondet_int()), **q = &h; while (*q && (*q)->v) q = &(*q)->next;
			struct n *r = *q; *q = 0; ` + freeAll + ` h = @; ` + freeAll, `r`, `0`, verdict.Leak},
		{"taken out behind a link", `struct n *h = build(nondet_int()), **q = &h; while (*q) { struct n *x = *q;
			if (x->v) { @ free(x); } else q = &x->next; } ` + freeAll, `*q = x->next;`, `q = &x->next;`, verdict.Free},
		{"a link of a freed block", `struct n *h = build(nondet_int()), **q = &h; while (*q) q = &(*q)->next; ` +
			freeAll + `@`, ``, `if (q != &h) *q = 0;`, verdict.Memory},
		{"recursion beside a local", `struct n *h = build(nondet_int()), **q = &h; if (*q) (*q)->v = 1; drop(h); @`, ``,
			`if (h) (*q)->v = 1;`, verdict.Memory},
		{"recursion that is led to a local", `int x = 0, *r = &x, *z = 0; dig(@, nondet_int()); if (x) *z = 1;`, `&y`, `r`,
			verdict.Memory},
		{"a list that an unknown write forgets", `int x, z, *r = &x;
			for (int i = 0; i < 9; i++) r = nondet_int() ? &z : &x;
			struct n *h = build(nondet_int()); if (h) { struct n *t = h->next; free(h); h = t; } @`, freeAll,
			`*r = 1; return h == 0;`, verdict.Leak},
		{"a block of each element", records + `while (o) { struct o *t = o->next; @ free(o); o = t; }`,
			`free(o->name);`, ``, verdict.Leak},
		{"blocks of two elements", records + `if (o && o->next) @; ` + dropRecords, `o->name[1] = 1`,
			`o->name = o->next->name`, verdict.Free},
		{"blocks of two elements exchanged", records +
			`if (o && o->next) { char *t = o->name; o->name = o->next->name; @ } ` + dropRecords,
			`o->next->name = t;`, `free(t);`, verdict.Free},
		{"a block of an element that a variable leads to", records + `for (struct o *p = o; p; p = p->next) {
			char *x = p->name; @ } ` + dropRecords, `*x = 1;`, `if (p->k) free(x);`, verdict.Free},
		{"an index in each element", records +
			`int a[8]; for (struct o *p = o; p; p = p->next) a[p->k @] = 0; ` + dropRecords, ``, `+ 1`, verdict.Memory},
		{"an index that one element changes", records + `if (o && o->next) o->next->k = @; int a[8];
			for (struct o *p = o; p; p = p->next) a[p->k] = 0; ` + dropRecords, `2`, `8`, verdict.Memory},
		{"a length that is counted", `struct n *h = 0; int c = 0; while (nondet_int() && c < 1000000) { h = push(h); c++; }
			struct n *p = h; for (int i = 0; i @ c; i++) p = p->next; ` + freeAll, `<`, `<=`, verdict.Memory},
		{"two lengths that are counted", `struct n *h = 0, *l = 0; int c = 0; while (nondet_int() && c < 1000000) {
			if (nondet_int()) h = push(h); else l = push(l); c++; } ` + walk + `c--; ` + freeAll +
			` for (; c > @; c--) { struct n *t = l->next; free(l); l = t; }`, `0`, `-1`, verdict.Memory},
		{"a counter beside a list", `struct n *h = 0; int c = 0; while (nondet_int() @) { h = push(h); c++; } ` + freeAll,
			`&& c < 1000000`, ``, verdict.SignedOverflow},
		{"what a list holds, added up", `struct n *h = build(nondet_int()); int s = 0; ` + walk + `s @ p->v; ` + freeAll, `^=`,
			`+=`, verdict.SignedOverflow},
		{"recursion that frees", `struct n *h = build(nondet_int()); drop(h); @`, ``, `if (h) h->v = 1;`,
			verdict.Memory},
	} {
		for _, good := range []bool{true, false} {
			name, hole := c.name, c.good
			if !good {
				name, hole = name+", bad", c.bad
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				ctx := testprogram.Within(t, time.Minute)
				src := testprogram.Lists + `void abort(void); void exit(int); static void drop(struct n *h) { if (h) { h->v = 0; drop(h->next); free(h); } }
					static int y; static void dig(int *p, int n) { if (n > 0) dig(p, n - 1); else *p = 1; }
					struct o { struct o *next; char *name; int k; };
					int main(void) { free(malloc(1)); ` + strings.ReplaceAll(c.body, "@", hole) + ` return 0; }`
				p, proofs := provedSafe(ctx, t, testprogram.Hosted(t, src), pathChecks...)
				open := 0
				for _, x := range claimsOf(p) {
					if x.Check == c.check && !proofs.Covers(x.ID) {
						open++
					}
				}
				if good != (open == 0) {
					t.Errorf("%d claims of %s are open", open, c.check)
				}
				for seed := int64(1); seed < 60; seed++ {
					if id, _ := broken(ctx, t, p, proofs, seed); id != "" {
						t.Fatalf("proved, and violated with seed %d: %s\n%s", seed, id, src)
					}
				}
			})
		}
	}
}

// Generated programs that a graph proves to end do so in every run, whether or not it tells null pointers apart.
func TestTerminationHoldsInGeneratedRuns(t *testing.T) {
	count, seed, until := 24, int64(1), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	proved, apart, endless, programs := 0, 0, 0, 0
	for n := 0; n < count && (until.IsZero() || time.Now().Before(until)); n++ {
		programs++
		src := (&heapWriter{Rand: rand.New(rand.NewSource(seed + int64(n)))}).terminating()
		p := testprogram.Problem(testprogram.Hosted(t, src), "main", verdict.Termination)
		for _, byNull := range []bool{false, true} {
			ctx, cancel := testprogram.Limit(2 * time.Second)
			e := &engine{p: p, a: problem.NewAnswers(), byNull: byNull}
			claim, _ := e.prove(ctx, false)
			cancel()
			holds := claim.Status == verdict.Proved
			if holds {
				proved++
			}
			if byNull && holds {
				apart++
			}
			for run := int64(0); run < 40; run++ {
				out, err := interp.Run(context.Background(), p.Module, p.Strict(20_000),
					dice{rand.New(rand.NewSource(run))})
				if err != nil {
					t.Fatal(err)
				}
				if out.Kind != interp.StepLimit {
					continue
				}
				if endless++; holds {
					t.Fatalf("seed %d, null pointers told apart: %t: proved to end, and run %d does not: %s\n%s",
						seed+int64(n), byNull, run, out, src)
				}
				break
			}
		}
	}
	t.Logf("%d programs, %d proofs, %d of them by null pointers, %d times endless", programs, proved, apart, endless)
	if proved < 1 || endless < 1 {
		t.Errorf("only %d proofs and %d endless runs: the comparison shows little", proved, endless)
	}
}

// What a graph proves of generated programs holds in every run. FIRMPROOF_SOUNDNESS is how long to go on, and
// FIRMPROOF_SEED the first seed, as in make soundness.
func TestSafetyHoldsInGeneratedRuns(t *testing.T) {
	count, seed, until := 8, int64(1), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	proved, violations, programs := 0, 0, 0
	for n := 0; n < count && (until.IsZero() || time.Now().Before(until)); n++ {
		programs++
		src := (&heapWriter{Rand: rand.New(rand.NewSource(seed + int64(n)))}).program()
		m := testprogram.Hosted(t, src)
		for _, set := range [][]verdict.Check{pathChecks, {verdict.Memory, verdict.Free, verdict.Leak}} {
			ctx, cancel := testprogram.Limit(3 * time.Second)
			p, proofs := provedSafe(ctx, t, m, set...)
			cancel()
			if proofs == nil {
				continue
			}
			proved += len(proofs.Holds)
			for run := int64(0); run < 40; run++ {
				id, violated := broken(context.Background(), t, p, proofs, run)
				if violated {
					violations++
				}
				if id != "" {
					t.Fatalf("seed %d: proved, and violated in run %d: %s\n%s", seed+int64(n), run, id, src)
				}
			}
		}
	}
	t.Logf("%d programs, %d claims proved, %d runs with other violations", programs, proved, violations)
	if proved < 100 || violations < 20 {
		t.Errorf("only %d claims proved, %d runs with violations: the comparison shows little", proved, violations)
	}
}
