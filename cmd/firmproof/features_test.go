package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestEveryCheckHasAPair: each check has a case that violates it, beside a twin
// that does not. Bounds and complexity are reported, never violated.
func TestEveryCheckHasAPair(t *testing.T) {
	cases, err := filepath.Glob("testdata/check/*_bad.txtar")
	if err != nil {
		t.Fatal(err)
	}
	violated := map[string]bool{}
	for _, c := range cases {
		text, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^\S+:\d+ (\S+) violated$`).FindAllSubmatch(text, -1) {
			violated[string(m[1])] = true
		}
	}
	for _, p := range verdict.Properties() {
		if reported := p.Check == verdict.Unwinding ||
			p.Check == verdict.ComplexityBound; violated[string(p.Check)] == reported {
			t.Errorf("%s: a pair exists: %v", p.Check, violated[string(p.Check)])
		}
	}
}

// checkText checks a program and gives its report and everything printed before it.
func checkText(t *testing.T, text string, flags ...string) (*verdict.Report, string) {
	t.Helper()
	dir := t.TempDir()
	file, report := filepath.Join(dir, "p.c"), filepath.Join(dir, "r.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var out bytes.Buffer
	runWith(append(append([]string{"check", "--timeout", timeNet, "--format", "json", "-o", report}, flags...), "p.c"),
		&out, &out)
	data, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	var rep verdict.Report
	if err := json.Unmarshal(data, &rep); err != nil {
		t.Fatal(err)
	}
	return &rep, out.String()
}

// violations maps the checks that fail to their traces, a line a step.
func violations(rep *verdict.Report) map[verdict.Check]string {
	out := map[verdict.Check]string{}
	for _, c := range rep.Results[0].Claims {
		if c.Status == verdict.Violated {
			var lines []string
			for _, s := range c.Trace {
				lines = append(lines, strings.TrimSpace(string(s.Kind)+" "+s.What+" "+s.Value))
			}
			out[c.Check] += strings.Join(lines, "\n")
		}
	}
	return out
}

// TestThesisExample is the detailed example of Merz 6.3.4 (listings 6.6 and 6.9):
// n + 1 overflows in isintmax, called from allocate, for the largest n.
func TestThesisExample(t *testing.T) {
	rep, _ := checkText(t, `#include <stdlib.h>
int isintmax(int n) { return n + 1 < n; }
int *allocate(int n, int v) {
    int *p = 0;
    if (!isintmax(n)) { p = (int *)malloc(sizeof(int)); }
    *p = v;
    return p;
}
`, "--target", "i386", "--entry", "allocate", "--checks", "default,-leak")
	got := violations(rep)
	wantAll(t, got[verdict.SignedOverflow], "input n 2147483647", "call isintmax n = 2147483647")
	wantAll(t, got[verdict.Memory], "alloc 4 bytes NULL") // malloc may fail here; it cannot in the thesis
	if len(got) != 2 {
		t.Errorf("violated: %v", got)
	}
}

// TestDeterministic: the same input gives the same formula, byte for byte, and the same report but for times.
func TestDeterministic(t *testing.T) {
	const text = `#include "firmproof.h"
#include <string.h>
struct s { int a; char b[6]; } x;
static int f(int n) { return n > 3 ? x.b[n] : n; }
int main(void) {
    char c[8];
    firmproof_havoc(c, sizeof c);
    firmproof_havoc(&x, sizeof x);
    int (*g)(int) = c[0] ? f : 0;
    for (int i = 0; i < x.a && i < 9; i++)
        c[i & 7] ^= (char)g(i);
    memcpy(x.b, c, (unsigned char)c[2] & 7);
    firmproof_assert(x.b[0] != 'q', "no q");
    return x.a + 1;
}
`
	var reports, formulas []string
	for i := 0; i < 2; i++ {
		rep, _ := checkText(t, text, "--target", "x86_64", "--unwind", "10")
		for j := range rep.Results {
			r := &rep.Results[j]
			r.DurationMS, r.ProcessorMS, r.PeakRSS, r.Stages = 0, 0, 0, nil
		}
		data, err := json.Marshal(rep)
		if err != nil {
			t.Fatal(err)
		}
		_, formula := checkText(t, text, "--target", "x86_64", "--unwind", "10", "--stop-after", "encode", "--dump",
			"ir,ilr,smt2")
		reports, formulas = append(reports, string(data)), append(formulas, formula)
	}
	if reports[0] != reports[1] {
		t.Errorf("two reports:\n%s\n%s", reports[0], reports[1])
	}
	if formulas[0] != formulas[1] || !strings.Contains(formulas[0], "(declare-") {
		t.Errorf("two formulas, of %d and %d bytes", len(formulas[0]), len(formulas[1]))
	}
	if !strings.Contains(reports[0], `"violated"`) {
		t.Error("nothing is violated: there was no trace to compare")
	}
}

// TestVacuity: a claim that nothing reaches, and assumptions that exclude everything, are said.
func TestVacuity(t *testing.T) {
	rep, _ := checkText(t, `#include "firmproof.h"
int main(void) { int x = firmproof_nondet_int(); firmproof_assert(x == x, "a"); if (x > 3 && x < 2) firmproof_assert(x == 7, "b"); return 0; }
`, "--target", "x86_64", "--checks", "assert")
	for _, c := range rep.Results[0].Claims {
		if want := c.ID == "assert@main#7fdc5d"; c.Check == verdict.Assert && (c.Status != verdict.Proved ||
			c.Unreachable != want) {
			t.Errorf("%s %s: %s, unreachable %v", c.ID, c.Message, c.Status, c.Unreachable)
		}
	}
	rep, _ = checkText(t, `#include "firmproof.h"
int main(void) { int x = firmproof_nondet_int(); firmproof_assume(x > 3 && x < 2); firmproof_assert(x == 7, "b"); return 0; }
`, "--target", "x86_64", "--checks", "assert")
	if v := rep.Results[0].Vacuous; v == nil || v.Pos == nil || v.Pos.Line != 2 {
		t.Errorf("vacuous: %s", v)
	}
	for _, cond := range []string{"x != 0 || x % 3 == 1", "x != 0 && (x > 1 || x == 7)", "x > 3 || x > 1"} {
		for before, nothing := range map[string]bool{"": false, "if (x < 1) ": true} {
			rep, _ = checkText(t, `#include <assert.h>
#include "firmproof.h"
int main(void) { unsigned x = firmproof_nondet_uint(); firmproof_assume(x > 1); `+before+`assert(`+cond+`); return 0; }
`, "--target", "x86_64", "--checks", "assert")
			if r := rep.Results[0]; (r.Vacuous != nil) != nothing || r.Status != verdict.Proved {
				t.Errorf("%sassert(%s): %s, vacuous %s", before, cond, r.Status, r.Vacuous)
			}
		}
	}
}

// TestOrderIsAssumed: where C leaves the order of two calls open, or of a call and an access, and it decides something,
// the answer says whose order it rests on; else it does not.
func TestOrderIsAssumed(t *testing.T) {
	rep, _ := checkText(t, `#include "firmproof.h"
static int g;
static int bump(void) { return g = (g + 1) & 15; }
static int look(void) { return g; }
static int two(int x, int y) { return x & y; }
static int through(int *p) { return *p = *p + 1 & 15; }
int main(void) {
    int a = 1, b = 2, *p = &b, r;
    r = bump() + bump();
    r = look() + bump();
    r = g + bump();
    r = two(bump(), g);
    r = through(&a) + a;
    r = through(p) + through(p);
    r = through(&a) + through(&b);
    r = look() + look();
    r = bump() && bump();
    r = two(a, g) + look();
    g = bump();
    r = bump() + (p == &a);
    return r > 5;
}
`, "--target", "cortex-m3")
	want := []string{"p.c:9: the uses of bump() are", "p.c:10: look() and bump() are", "p.c:11: 'g' and bump() are",
		"p.c:12: bump() and 'g' are", "p.c:13: through() and 'a' are", "p.c:14: the uses of through() are"}
	got := verdict.TextsOf(rep.Results[0].Assumptions)
	if len(got) != len(want) || rep.Results[0].Status != verdict.Proved {
		t.Fatalf("%s, assumed %q", rep.Results[0].Status, got)
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) {
			t.Errorf("assumed %q, want %q", got[i], w)
		}
	}
}

// TestBytesAreAssumed: what is assumed of padding and of NaNs is said where a program looks at their bytes, and there
// alone.
func TestBytesAreAssumed(t *testing.T) {
	rep, _ := checkText(t, `#include "firmproof.h"
#include <string.h>
#include <math.h>
struct p { char c; int i; } a, b;
struct q { int c; int i; } c, d;
union f { float f; unsigned u; };
int main(void) {
    b = a;
    d = c;
    int r = memcmp(&c, &d, sizeof c);
    r += memcmp(&a, &b, sizeof a) > 0;
    char raw[sizeof a];
    memcpy(raw, &a, sizeof a);
    memcpy(raw, &c, sizeof c);
    float x = 1, y = x;
    memcpy(&y, &x, sizeof x);
    r += signbit(y) == 0;
    union f u = {.f = x};
    r += u.u == 5;
    for (int i = 0; i < 2; i++) {
        struct q *inner = &(struct q){i, i};
        r += inner->i;
    }
    return r > 8 && raw[0];
}
`, "--target", "cortex-m3")
	want := []string{"p.c:11: the bytes of struct p are compared", "p.c:13: the bytes of struct p are copied",
		"p.c:17: the bits of a floating-point", "p.c:19: the bits of a floating-point"}
	got := verdict.TextsOf(rep.Results[0].Assumptions)
	if len(got) != len(want) {
		t.Fatalf("%s, assumed %q", rep.Results[0].Status, got)
	}
	for i, w := range want {
		if !strings.HasPrefix(got[i], w) {
			t.Errorf("assumed %q, want %q", got[i], w)
		}
	}
}

// TestVacuityIsSaid: every format says that an answer is vacuous, and --fail-on and the manifest make it fail.
func TestVacuityIsSaid(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.c", `#include "firmproof.h"
int main(void) { int x = firmproof_nondet_int(); firmproof_assume(x > 5); firmproof_assume(x < 3); firmproof_assert(x == 99, "x"); return 0; }
`)
	put(t, dir, "b.c", "#include \"a.c\"\nint nothing(void) { return 0; }\n")
	put(t, dir, ".firmproof.yml", "version: 1\nbuild: {sources: [b.c]}\ntargets: [x86_64]\n"+
		"harnesses: [{entry: main}, {entry: nothing}]\nreport: {fail_on: [violation, vacuous]}\n")
	for _, format := range reports.FormatNames() {
		var out, errs bytes.Buffer
		code := runWith([]string{"check", "--format", format, dir}, &out, &errs)
		if n := strings.Count(out.String(), "no execution gets past this assumption") +
			strings.Count(out.String(), "nothing is left to check"); code != exitUnknown || n < 2 {
			t.Errorf("%s: exit %d, said %d times\n%s%s", format, code, n, out.String(), errs.String())
		}
	}
	for flag, want := range map[string]int{"vacuous": exitUnknown, "violation,vacuous": exitUnknown,
		"violation": exitOK, "unknown": exitOK, "never": exitUsage} {
		var out, errs bytes.Buffer
		if code := runWith([]string{"check", "--fail-on", flag, dir}, &out, &errs); code != want {
			t.Errorf("--fail-on %s: exit %d, want %d\n%s%s", flag, code, want, out.String(), errs.String())
		}
	}
}

// TestTraceInCTerms: enumerators, members, elements, bit-fields and the last write stand in a trace as C has them.
func TestTraceInCTerms(t *testing.T) {
	rep, _ := checkText(t, `#include "firmproof.h"
enum color { RED, GREEN = 5 };
struct dot { int x; enum color c; int a[3]; unsigned on : 1; } d;
static void set(struct dot *p, int n) { p->c = n > 3 ? GREEN : RED; p->a[1] = n; p->on = n & 1; }
int main(void) {
    struct dot *p = &d;
    set(p, firmproof_nondet_int());
    firmproof_assert(p->c != GREEN || !p->on, "not green");
    return 0;
}
`, "--target", "x86_64", "--checks", "assert")
	got := violations(rep)[verdict.Assert]
	wantAll(t, got, "input firmproof_nondet_int()", "call set p = &d, n = 5", "assign d.c GREEN", "assign d.a[1] 5",
		"assign d.on 1", "not green d.c = GREEN (written at p.c:4", "; d.on = 1 (written at p.c:4")
}

// TestRelevantTrace: with --trace relevant a trace holds what the failure was computed
// from and the branches that led there, through calls and memory, and nothing else.
func TestRelevantTrace(t *testing.T) {
	rep, _ := checkText(t, `#include "firmproof.h"
#include <stdlib.h>
static int other, table[8], config;
static int scale(int v) { int twice = v * 2; other += 1; return twice; }
static void set(int *p, int v) { *p = v; }
int main(void) {
    int noise = firmproof_nondet_int() & 7, i = firmproof_nondet_int(), guard = firmproof_nondet_int();
    firmproof_assume(i >= 0 && i < 5);
    for (int k = 0; k < 3; k++) noise += k;
    if (guard == 7) set(&config, scale(i));
    else set(&other, 3);
    other = noise;
    return table[config];
}
`, "--target", "x86_64", "--checks", "memory", "--trace", "relevant")
	got := violations(rep)[verdict.Memory]
	wantAll(t, got, "assign i 4", "assign guard 7", "call scale v = 4", "assign twice 8", "return scale",
		"call set p = &config, v = 8", "assign config 8")
	for _, no := range []string{"noise", "assign k", "assign other"} {
		if strings.Contains(got, no) {
			t.Errorf("%q is of no relevance in\n%s", no, got)
		}
	}
}

// TestLeakTrace: what matters of a leak is the allocation, what held the block, and how that was lost.
func TestLeakTrace(t *testing.T) {
	rep, _ := checkText(t, `#include "firmproof.h"
#include <stdlib.h>
struct buf { int n; };
static struct buf *last;
static int noise[4];
static struct buf *get(int n) { struct buf *b = malloc(sizeof *b); if (b) b->n = n; return b; }
int main(void) {
    struct buf *mine = get(3);
    last = get(5);
    if (firmproof_nondet_int() > 4) last = 0;
    for (int k = 0; k < 12; k++) noise[k & 3] += k;
    free(mine);
    free(last);
    return noise[2];
}
`, "--target", "x86_64", "--checks", "leak", "--trace", "relevant")
	got := violations(rep)[verdict.Leak]
	wantAll(t, got, "alloc 4 bytes (malloc at p.c:6", "assign last (malloc at p.c:6", "input firmproof_nondet_int()",
		"assign last NULL", "is never freed last = NULL (written at p.c:10")
	if strings.Contains(got, "noise") || strings.Contains(got, "assign k") {
		t.Errorf("the result of main is of no relevance in\n%s", got)
	}
}

// TestFeatureTable: docs/SEMANTICS.md names every feature of LLBMC, and what it names exists.
func TestFeatureTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/SEMANTICS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "## Where LLBMC's features are")
	if !ok {
		t.Fatal("no table")
	}
	var tests strings.Builder
	here, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Glob("../../docs/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(here, docs...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(data)
	}
	seen := map[int]bool{}
	for _, row := range strings.Split(table, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 4 || !strings.ContainsAny(cells[1], "0123456789") {
			continue
		}
		for _, m := range regexp.MustCompile(`\b(\d{2,3})(?:-(\d{2,3}))?\b`).FindAllStringSubmatch(cells[1], -1) {
			first, _ := strconv.Atoi(m[1])
			last := first
			if m[2] != "" {
				last, _ = strconv.Atoi(m[2])
			}
			for n := first; n <= last; n++ {
				seen[n] = true
			}
		}
		for _, m := range regexp.MustCompile("`([^` ]+)`").FindAllStringSubmatch(cells[2], -1) {
			switch name := m[1]; {
			case strings.HasPrefix(name, "Test"):
				if !strings.Contains(tests.String(), "func "+name+"(") {
					t.Errorf("no test %s", name)
				}
			case strings.Contains(name, "/"):
				if _, err := os.Stat("../../" + name); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for n := 1; n <= 150; n++ {
		if !seen[n] {
			t.Errorf("LL-%02d is not in the table", n)
		}
	}
}
