package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Contracts on f(a, b) with a global g, all of few values: whether a body keeps its contract, what a caller may conclude
// from one, and whether the invariant of a loop is one, is found by trying all values natively.

// clause is a condition as it stands in a contract, and in C.
type clause struct{ contract, c string }

// with joins two clauses.
func (x clause) with(op string, y clause) clause {
	switch op {
	case "==>":
		return clause{x.contract + " ==> " + y.contract, "(!(" + x.c + ") || (" + y.c + "))"}
	case "!":
		return clause{"!(" + x.contract + ")", "!(" + x.c + ")"}
	}
	return clause{"(" + x.contract + " " + op + " " + y.contract + ")", "(" + x.c + " " + op + " " + y.c + ")"}
}

// contractValue is a value in an ensures clause.
func (g *cGenerator) contractValue(vars string) clause {
	v := g.pick(strings.Fields(vars)...)
	switch v {
	case "old":
		return clause{"__CPROVER_old(g)", "g0"}
	case "r":
		return clause{"__CPROVER_return_value", "r"}
	}
	return clause{v, v}
}

// clause is a condition on variables: simple comparisons, joined, implied and quantified.
func (g *cGenerator) clause(vars string, depth int) clause {
	x, y := g.contractValue(vars), g.contractValue(vars)
	k := g.pick("0", "1", "3", "7", "8", "12", "15")
	op := g.pick("<", "<=", ">=", "!=", "==", ">")
	switch n := g.r.Intn(9); {
	case depth > 0 && n < 2:
		return g.clause(vars, depth-1).with("&&", g.clause(vars, depth-1))
	case depth > 0 && n < 4:
		return g.clause(vars, depth-1).with("||", g.clause(vars, depth-1))
	case depth > 0 && n < 5:
		a := g.clause(vars, 0).with("&&", g.clause(vars, 0)).with("==>", g.clause(vars, 0))
		return clause{"(" + a.contract + ")", a.c}
	case depth > 0 && n < 6:
		q := g.pick("forall", "exists")
		high := 1 + g.r.Intn(5)
		body := clause{"i + " + x.contract + " " + op + " " + k, "i + " + x.c + " " + op + " " + k}
		if q == "forall" {
			return clause{fmt.Sprintf("__CPROVER_forall { int i; (0 <= i && i < %d) ==> %s }", high, body.contract),
				fmt.Sprintf("({ int ok = 1; for (int i = 0; i < %d; i++) ok &= %s; ok; })", high, body.c)}
		}
		return clause{fmt.Sprintf("__CPROVER_exists { int i; (0 <= i && i < %d) && %s }", high, body.contract),
			fmt.Sprintf("({ int ok = 0; for (int i = 0; i < %d; i++) ok |= %s; ok; })", high, body.c)}
	case n < 7:
		return clause{x.contract + " " + op + " " + k, x.c + " " + op + " " + k}
	}
	return clause{x.contract + " " + op + " " + y.contract, x.c + " " + op + " " + y.c}
}

// contractAsked is a proof, and C that tries all values: ok is 0 where it does not hold.
type contractAsked struct{ makefile, harness, source, try string }

const (
	smallInputs = "a < 16 && b < 16 && g < 4"
	allInputs   = "for (unsigned a = 0; a < 16; a++) for (unsigned b = 0; b < 16; b++) for (unsigned g0 = 0; g0 < 4; g0++) "
)

// body is a function that may write g.
func (g *cGenerator) contractBody() string {
	value := func() string {
		return g.pick("a", "b", "(a + b) & 15", "a > b ? a : b", "a & b", "g", "(a + 1) & 15", "7", "a ^ b")
	}
	when := func() string { return g.pick("a > 9", "b == 3", "a < b", "g == 2", "a + b > 20", "b > 15") }
	body := " unsigned char r = " + value() + ";\n"
	if !g.one(3) {
		body += fmt.Sprintf(" if (%s) g = %s;\n", when(), value())
	}
	return body + fmt.Sprintf(" if (%s) r = %s;\n return r;\n", when(), value())
}

// checked asks whether a body keeps its contract.
func (g *cGenerator) checkedContract() contractAsked {
	requires, ensures := g.clause("a b g", 1), g.clause("r a b g old", 2)
	if g.one(2) { // more of them hold
		ensures = ensures.with("||", g.clause("r a b g old", 1))
	}
	assigns, may := g.pick("__CPROVER_assigns(g)", "__CPROVER_assigns()", "__CPROVER_assigns(a < b: g)"), "0"
	switch {
	case strings.Contains(assigns, "<"):
		may = "a < b"
	case strings.Contains(assigns, "g)"):
		may = "1"
	}
	body := g.contractBody()
	declared := fmt.Sprintf(
		"unsigned char g;\nunsigned char f(unsigned char a, unsigned char b)\n__CPROVER_requires(%s && (%s))\n%s\n__CPROVER_ensures(%s)",
		smallInputs, requires.contract, assigns, ensures.contract)
	return contractAsked{"CHECK_FUNCTION_CONTRACTS = f\n",
		"extern " + declared + ";\nvoid harness(void) { unsigned char a, b, g0; g = g0; f(a, b); }\n",
		"unsigned char g;\nunsigned char f(unsigned char a, unsigned char b) {\n" + body + "}\n",
		fmt.Sprintf("%s{ g = g0; if (!(%s)) continue; wrote = 0; unsigned char r = ({ %s }); if (!(%s) || wrote && !(%s)) ok = 0; }",
			allInputs, requires.c, strings.NewReplacer("return r;", "r;", " g = ", " wrote = 1, g = ").Replace(body),
			ensures.c, may)}
}

// used asks what a caller may conclude, and whether it may call.
func (g *cGenerator) usedContract() contractAsked {
	requires, ensures := g.clause("a b g", 0), g.clause("r a b g old", 1)
	assume, conclude := g.clause("a b g", 0), g.clause("r a b g old", 1)
	if g.one(2) {
		assume = assume.with("&&", requires)
	}
	if !g.one(3) {
		conclude = conclude.with("||", ensures)
	}
	writes := g.one(2)
	assigns, values := "__CPROVER_assigns()", "g = g0"
	if writes {
		assigns, values = "__CPROVER_assigns(g)", "g = v"
	}
	return contractAsked{"USE_FUNCTION_CONTRACTS = f\n",
		fmt.Sprintf("extern unsigned char g;\nunsigned char f(unsigned char a, unsigned char b)\n__CPROVER_requires(%s)\n%s\n__CPROVER_ensures(__CPROVER_return_value < 16 && g < 16 && (%s));\n",
			requires.contract, assigns, ensures.contract) +
			fmt.Sprintf("void harness(void) { unsigned char a, b, g0; g = g0; __CPROVER_assume(%s && (%s)); unsigned char r = f(a, b); __CPROVER_assert(%s, \"concluded\"); }\n",
				smallInputs, assume.c, conclude.c),
		"unsigned char g;\nunsigned char f(unsigned char a, unsigned char b) { return 0; }\n",
		fmt.Sprintf("%s{ g = g0; if (!(%s)) continue; if (!(%s)) ok = 0; for (unsigned r = 0; r < 16; r++) for (unsigned v = 0; v < 16; v++) { %s; if ((%s) && !(%s)) ok = 0; } }",
			allInputs, assume.c, requires.c, values, ensures.c, conclude.c)}
}

// looped asks whether a loop has its invariant, and whether that is enough.
func (g *cGenerator) loopedContract() contractAsked {
	step := g.pick("s + 1", "s + i", "s + 2", "i", "s ^ 1", "s < 9 ? s + 1 : s")
	inv, ensures := g.clause("i s n", 1), g.clause("r n", 1)
	if !g.one(3) {
		inv = clause{"i <= n", "i <= n"}.with("&&", clause{g.pick("s <= 2 * i", "s >= i", "s <= 9", "s == i"), ""})
		inv.c = inv.contract
		ensures = clause{"__CPROVER_return_value " + g.pick("<= 2 * n", ">= n", "<= 9", "== n", "< 15"), ""}
		ensures.c = strings.ReplaceAll(ensures.contract, "__CPROVER_return_value", "r")
	}
	return contractAsked{"CHECK_FUNCTION_CONTRACTS = f\nAPPLY_LOOP_CONTRACTS = 1\n",
		fmt.Sprintf("unsigned char f(unsigned char n)\n__CPROVER_requires(n < 8)\n__CPROVER_assigns()\n__CPROVER_ensures(%s);\nvoid harness(void) { unsigned char n; f(n); }\n", ensures.contract),
		fmt.Sprintf("unsigned char f(unsigned char n) {\n unsigned char i, s = 0;\n for (i = 0; i < n; i++)\n __CPROVER_assigns(i, s) __CPROVER_loop_invariant(%s) __CPROVER_decreases(n - i)\n { s = %s; }\n return s;\n}\n", inv.contract, step),
		fmt.Sprintf("for (unsigned n = 0; n < 8; n++) { { unsigned char i = 0, s = 0; if (!(%s)) ok = 0; } for (unsigned x = 0; x < 256; x++) for (unsigned y = 0; y < 256; y++) { unsigned char i = x, s = y; if (!(%s)) continue; if (i < n) { s = %s; i++; if (!(%s)) ok = 0; } else { unsigned char r = s; if (!(%s)) ok = 0; } } }",
			inv.c, inv.c, step, inv.c, ensures.c)}
}

// contracts asks ten proofs at once.
func (a *attributes) contracts(t *testing.T, seed int64) {
	t.Helper()
	g := newCGenerator(seed)
	files := map[string]string{"p/Makefile.common": ""}
	native := "int printf(const char *, ...);\nstatic unsigned char g; static int wrote;\nint main(void) {\n"
	var list []contractAsked
	for i := range 10 {
		c := []func() contractAsked{g.checkedContract, g.usedContract, g.loopedContract}[i%3]()
		list = append(list, c)
		dir := fmt.Sprintf("p/c%d/", i)
		files[dir+"Makefile"] = "HARNESS_ENTRY = harness\nHARNESS_FILE = harness\n" + c.makefile +
			"PROOF_SOURCES += harness.c\nPROJECT_SOURCES += source.c\ninclude ../Makefile.common\n"
		files[dir+"harness.c"], files[dir+"source.c"] = c.harness, c.source
		native += " { int ok = 1; " + c.try + " printf(\"%d\\n\", ok); }\n"
	}
	dir := writeTree(t, files)
	file, bin := filepath.Join(dir, "try.c"), filepath.Join(dir, "try")
	if err := os.WriteFile(file, []byte(native+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-w", "-o", bin, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rep, errs := checkJSON(t, "--cbmc-proof", filepath.Join(dir, "p"))
	got := map[string]verdict.Status{}
	why := map[string]string{}
	for i := range rep.Results {
		r := &rep.Results[i]
		got[r.Entry], why[r.Entry] = r.Status, fmt.Sprint(r.Reason)
		for _, c := range r.Claims {
			if c.Status == verdict.Violated {
				why[r.Entry] += "\n" + c.Pos.String() + " " + c.Message
			}
		}
	}
	for i, ok := range strings.Fields(string(out)) {
		want, name := map[string]verdict.Status{"0": verdict.Violated, "1": verdict.Proved}[ok],
			fmt.Sprintf("c%d/harness", i)
		a.answer(t, fmt.Sprintf("contracts seed %d %s\n%s%s%s\n%s%s", seed, name, list[i].makefile, list[i].harness,
			list[i].source, why[name], errs), want, got[name])
	}
}
