package verifier

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/race"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// certify verifies a C program and writes the certificate of the answer into a folder.
func certify(t *testing.T, src string, checks ...verdict.Check) (string, *certificate.Certificate) {
	t.Helper()
	dir := t.TempDir()
	plan := testprogram.Problem(testprogram.Compile(t, src, "-O0"), "f", checks...).Plan
	plan.EndsUnasked = plan.Checks.Has(verdict.Termination) && len(checks) > 1
	part, text, err := certificate.Stored(testprogram.Compile(t, src, "-O0"), plan)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := testprogram.Limit(2 * time.Minute)
	defer cancel()
	c, err := certificate.Write(ctx, dir, verdict.Tool{}, part, text, plan, Run(ctx, part, plan))
	if err != nil {
		t.Fatal(err)
	}
	return dir, c
}

// without empties a table of engines for the rest of a test that nothing runs beside.
func without(t *testing.T, engines *[]race.Entrant) {
	all := *engines
	*engines = nil
	t.Cleanup(func() { *engines = all })
}

// change replaces text in a file of a certificate, once.
func change(t *testing.T, path, from, to string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q:\n%.3000s", path, from, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestCertificates: for each kind of evidence, the certificate of an answer holds, and one in which something was
// changed is refused with a sentence that says what.
func TestCertificates(t *testing.T) {
	for _, c := range []struct {
		name, src string
		checks    []verdict.Check
		status    verdict.Status
		kind      string
		tampers   []tamper
	}{
		{"violation", "void f(int x) { if (x > 100) CHECK(x != 1234); }", []verdict.Check{verdict.Assert},
			verdict.Violated, "violation", []tamper{
				{"certificate.json", `"value": "000004d2"`, `"value": "000004d3"`, "does not violate"},
				{"certificate.json", `"width": 32`, `"width": 16`, "ended with input-mismatch"},
				{"certificate.json", `"kind": "param"`, `"kind": "chance"`, `kind "chance"`},
			}},
		{"refutation", "void f(unsigned x) { unsigned s = 0; if (x > 6) return;" +
			" for (unsigned i = 0; i < x; i++) s += 3; CHECK(s * s == 9 * x * x); }",
			[]verdict.Check{verdict.Assert}, verdict.Proved, "refutation", []tamper{
				{"certificate.json", `"probes": "1`, `"probes": "0`, "questions about paths"},
				{"certificate.json", `"probes": "1`, `"probes": "11`, "is not the one that the proof refutes"},
				{"certificate.json", `"proof": "proof-1"`, `"proof": "proof-2"`, "no such file"},
				{"certificate.json", `"proof": "proof-1"`, `"proof": "../proof-1"`, "is not in the folder"},
				{"certificate.json", `"bytes": `, `"bytes": 9`, "the file is cut"},
				{"certificate.json", `"format": 1`, `"format": 2`, "this firmproof reads 1"},
				{"proof-1", "u -", "u  ", "does not follow by propagation"},
				{"proof-1", "u -", "i -", "is given, not derived"},
				{"certificate.json", `"status": "proved"`, `"status": "violated"`, "said to be violated"},
			}},
		{"order of products", "void f(unsigned short x, unsigned short y, unsigned short w, unsigned short h) { if (x < w && y < h)" +
			" CHECK((unsigned long)y * w + x < (unsigned long)w * h); }",
			[]verdict.Check{verdict.Assert}, verdict.Proved, "refutation", []tamper{
				{"certificate.json", `"ordered": true`, `"ordered": false`, "is not the one that the proof refutes"},
			}},
		{"graph", "struct n { struct n *next; }; void f(void) { struct n *h = 0, *t; while (nondet_int()) { t = malloc(sizeof *t);" +
			" t->next = h; h = t; } while (h) { t = h->next; free(h); h = t; } }", []verdict.Check{verdict.Leak},
			verdict.Proved, "symbolic execution graph", []tamper{
				{"certificate.json", `"leak": true`, `"free": true`, "its evidence shows"},
				{"certificate.json", `"status": "proved"`, `"status": "violated"`, "said to be violated"},
			}},
		{"invariants", "void f(unsigned n) { unsigned i = 0, s = 0; if (n > 1000000) return;" +
			" while (i < n) { i++; s += 2; } CHECK(s == 2 * n); }",
			[]verdict.Check{verdict.Assert}, verdict.Proved, "inductive invariants", []tamper{
				{"certificate.json", `"holds": "(`, `"holds": "(not (`, "makes no sense"},
				{"certificate.json", `now.0`, `entry.0`, "is not the one that the proof refutes"},
				{"certificate.json", `now.0`, `now.99`, "there is no now.99"},
				{"certificate.json", `"header": "`, `"header": "x`, "the program has no loop"},
				{"certificate.json", `:32"`, `:64"`, "has other variables"},
				{"certificate.json", `"walks": [`, `"walks": ["1",`, "questions about paths"},
			}},
		{"ranking bit by bit", "int f(unsigned n) { while (n != 0) n &= n - 1; return 0; }",
			[]verdict.Check{verdict.Termination}, verdict.Proved, "ranking of 1 loops bit by bit", []tamper{
				{"certificate.json", `"fall": [`, `"fall": ["0'h0",`, "a width is no number"},
				{"certificate.json", `"fall": [`, `"fall": ["true",`, "is of another sort"},
				{"certificate.json", `now.0`, `entry.0`, "is not the one that the proof refutes"},
				{"certificate.json", `"measures": [`, `"lemmas": [`, "unknown field"},
			}},
		{"ranking functions", "int f(int n) { while (n > 0) n -= 2; return n; }",
			[]verdict.Check{verdict.Termination}, verdict.Proved, "ranking functions", []tamper{
				{"certificate.json", `"Cuts": [`, `"Cuts": [99,`, "does not have"},
				{"certificate.json", `"1": "x1"`, `"1": "-x1"`, "certificate: step 0, edge"},
				{"certificate.json", `"1": "x1"`, `"1": "x1 + 7*x9"`, "does not have"},
				{"certificate.json", `"1": "x1"`, `"1": "x1 + y2"`, "is no term"},
				{"certificate.json", `"x0 - x1"`, `"x1 - x0 - 9"`, "certificate: invariant at"},
				{"certificate.json", `"Trans": 1`, `"Trans": 0`, "is on a cycle that no step removes"},
				{"certificate.json", `"places": [`, `"places": ["x",`, "other locations"},
			}},
		{"recurrent set", "void f(int n) { unsigned long y = 0; while (n > 5) y++; }",
			[]verdict.Check{verdict.Termination},
			verdict.Violated, "recurrent set", []tamper{
				{"certificate.json", `"x1 - 6"`, `"x1 - 5"`, "does not follow"},
				{"certificate.json", `"start": [`, `"start": ["3",`, "certificate"},
				{"certificate.json", `"cycle": [`, `"cycle": [{"Trans": 7, "Target": 0},`, "no transition"},
			}},
		{"lasso", "void f(int n) { while (n == 7) ; }", []verdict.Check{verdict.Termination}, verdict.Violated, "lasso",
			[]tamper{
				{"certificate.json", `"value": "00000007"`, `"value": "00000006"`, "does not come back to a state"},
				{"certificate.json", `"steps": `, `"steps": 1,"x": `, "unknown field"},
			}},
		{"only execution", "void f(void) { int s = 0; for (int i = 0; i < 3000; i++) s += i; CHECK(s == 4498500); }",
			[]verdict.Check{verdict.Assert}, verdict.Proved, "only execution", []tamper{
				{"certificate.json", `"status": "proved"`, `"status": "violated"`, "its evidence shows proved"},
				{"certificate.json", `"id": "assert@f#`, `"id": "assert@f#0`, "said to be proved"},
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.kind == "recurrent set" { // the engine that works bit by bit finds one, too, and has a test of its own
				without(t, &race.BitEngines)
			}
			dir, made := certify(t, c.src, c.checks...)
			if len(made.Claims) != 1 || made.Claims[0].Status != c.status || made.Claims[0].Evidence != 1 {
				text, _ := json.MarshalIndent(made, "", " ")
				t.Fatalf("%s", text)
			}
			_, out, err := certificate.Verify(context.Background(), dir)
			if err != nil || len(out.Groups) != 1 || !strings.Contains(out.Groups[0].Kind, c.kind) {
				t.Fatalf("%+v %v", out, err)
			}
			for _, x := range c.tampers {
				x.refused(t, dir)
			}
			other := certificate.ProgramFile
			text, err := os.ReadFile(filepath.Join(dir, other))
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2] ^= 1
			swapped := copied(t, dir)
			if err := os.WriteFile(filepath.Join(swapped, other), text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := certificate.Verify(context.Background(), swapped); err == nil {
				t.Error("another program passes")
			}
		})
	}
}

// TestCertifiedEnd: that every run ends because all paths were followed rests on the evidence that nothing is violated
// on them.
func TestCertifiedEnd(t *testing.T) {
	for _, c := range []struct{ name, src, kind string }{
		{"unwound", "int f(unsigned n) { int s = 0; for (unsigned i = 0; i < (n & 7); i++) s += n & 1; CHECK(s < 8); return s; }",
			"every path followed to its end"},
		{"executed", "int f(void) { int s = 0; for (int i = 0; i < 3000; i++) s += i; CHECK(s == 4498500); return s; }",
			"only execution"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, made := certify(t, c.src, verdict.Assert, verdict.Termination)
			if len(made.Claims) != 2 || made.Claims[0].Check != verdict.Termination ||
				made.Claims[0].Status != verdict.Proved || made.Claims[0].Evidence != 2 {
				t.Fatalf("%+v", made.Claims)
			}
			_, out, err := certificate.Verify(context.Background(), dir)
			if err != nil || len(out.Bare) > 0 || !strings.HasPrefix(out.Groups[len(out.Groups)-1].Kind, c.kind) {
				t.Fatalf("%+v %v", out, err)
			}
			if c.name == "executed" {
				return
			}
			tamper{"certificate.json", `"ends": true`, `"ends": false`, "the program has no such claim"}.refused(t, dir)
			tamper{"certificate.json", `"turns": 8`, `"turns": 3`, "questions about paths"}.refused(t, dir)
			made.Claims, made.Proofs = made.Claims[:1], made.Proofs[1:]
			made.Claims[0].Evidence = 1
			text, err := json.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "certificate.json"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := certificate.Verify(context.Background(), dir); err == nil ||
				!strings.Contains(err.Error(), "no evidence before proves assert@f#") {
				t.Errorf("without the other claims: %v", err)
			}
		})
	}
}

// tamper is a change of a file, and what the refusal has to say.
type tamper struct{ file, from, to, want string }

func (x tamper) refused(t *testing.T, dir string) {
	t.Helper()
	dir = copied(t, dir)
	change(t, filepath.Join(dir, x.file), x.from, x.to)
	_, _, err := certificate.Verify(context.Background(), dir)
	if err == nil || !strings.Contains(err.Error(), x.want) {
		t.Errorf("%q for %q: %v, want %q", x.to, x.from, err, x.want)
	}
}

func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
