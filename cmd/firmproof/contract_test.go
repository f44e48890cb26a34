package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// contractCase is a proof with contracts: what differs from the common tree, and what
// comes of it. text is a part of the violated claim's message or of the reason.
type contractCase struct {
	name, makefile, contracts, source string
	want                              verdict.Status
	text                              string
}

const sumContract = "int sum(const int *a, int n)\n__CPROVER_requires(0 <= n && n <= 1000 && __CPROVER_is_fresh(a, n * sizeof(int)))\n" +
	"__CPROVER_ensures(__CPROVER_return_value >= 0 && __CPROVER_return_value <= 10 * n)\n;\nvoid harness(void) { const int *a; int n; sum(a, n); }\n"

// sumSource adds up digits, with clauses for its loop.
func sumSource(clauses string) string {
	return "int sum(const int *a, int n) {\n int s = 0, i;\n for (i = 0; i < n; i++)\n" + clauses +
		"\n { if (a[i] >= 0 && a[i] < 10) s += a[i]; }\n return s;\n}\n"
}

const sumLoop = " __CPROVER_assigns(i, s)\n __CPROVER_loop_invariant(0 <= i && i <= n && 0 <= s && s <= 10 * i)\n __CPROVER_decreases(n - i)"

const setContract = "struct pair { int x, y; };\nvoid set(struct pair *p, int v)\n__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p))\n__CPROVER_assigns(p->x)\n" +
	"__CPROVER_ensures(p->x == v && p->y == __CPROVER_old(p->y))\n;\n"

const seekContract = "_Bool seek(const char *a, int n, int *at)\n__CPROVER_requires(0 <= n && n <= 1000 && __CPROVER_is_fresh(a, n) && __CPROVER_is_fresh(at, 4))\n__CPROVER_assigns(*at)\n" +
	"__CPROVER_ensures(1)\n;\nvoid harness(void) { const char *a; int n, *at; seek(a, n, at); }\n"

func seekSource(body string) string {
	return "_Bool seek(const char *a, int n, int *at) {\n int i = 0; _Bool found = 0;\n while (i < n)\n __CPROVER_assigns(i) __CPROVER_loop_invariant(0 <= i && i <= n) __CPROVER_decreases(n - i)\n {\n " + body + "\n }\n return found;\n}\n"
}

var contractCases = []contractCase{
	{"loop", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract, sumSource(sumLoop),
		verdict.Proved, ""},
	{"invariant_too_strong", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract,
		sumSource(strings.Replace(sumLoop, "10 * i", "9 * i - 1", 1)), verdict.Violated, "loop invariant at the begin"},
	{"invariant_not_kept", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract,
		sumSource(strings.Replace(sumLoop, "10 * i", "8 * i", 1)), verdict.Violated, "loop invariant after a turn"},
	{"invariant_too_weak", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract,
		sumSource(strings.Replace(sumLoop, "s <= 10 * i", "s <= 10001", 1)), verdict.Violated, ""},
	{"measure_stays", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract,
		sumSource(strings.Replace(sumLoop, "n - i)", "n)", 1)), verdict.Violated, "decreases clause"},
	{"loop_writes_more", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract,
		sumSource(strings.Replace(sumLoop, "(i, s)", "(i)", 1)), verdict.Violated,
		"the assigns clause allows this write"},
	{"loop_without_assigns", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", sumContract,
		sumSource(strings.Replace(sumLoop, "__CPROVER_assigns(i, s)", "", 1)), verdict.Proved, ""},
	{"ensures_wrong", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", strings.Replace(sumContract,
		"<= 10 * n", "<= 8 * n", 1), sumSource(sumLoop), verdict.Violated, "ensures clause of sum"},
	{"too_short", "CHECK_FUNCTION_CONTRACTS = sum\nAPPLY_LOOP_CONTRACTS = 1\n", strings.Replace(sumContract,
		"n * sizeof(int)", "n", 1), sumSource(sumLoop), verdict.Violated, "read of 4 bytes"},
	{"set", "CHECK_FUNCTION_CONTRACTS = set\n",
		setContract + "void harness(void) { struct pair *p; int v; set(p, v); }\n",
		"struct pair { int x, y; };\nvoid set(struct pair *p, int v) { int t = v; p->x = t; }\n", verdict.Proved, ""},
	{"set_writes_more", "CHECK_FUNCTION_CONTRACTS = set\n",
		setContract + "void harness(void) { struct pair *p; int v; set(p, v); }\n",
		"struct pair { int x, y; };\nvoid set(struct pair *p, int v) { p->x = v; p->y = p->y; }\n", verdict.Violated,
		"the assigns clause allows this write"},
	{"set_writes_global", "CHECK_FUNCTION_CONTRACTS = set\n",
		setContract + "void harness(void) { struct pair *p; int v; set(p, v); }\n",
		"struct pair { int x, y; };\nint calls;\nvoid set(struct pair *p, int v) { p->x = v; calls++; }\n",
		verdict.Violated, "the assigns clause allows this write"},
	{"use", "USE_FUNCTION_CONTRACTS = set\n",
		setContract + "void harness(void) { struct pair a = {1, 2}; set(&a, 7); __CPROVER_assert(a.x == 7 && a.y == 2, \"set\"); }\n",
		"struct pair { int x, y; };\nvoid set(struct pair *p, int v) { p->x = 8; }\n", verdict.Proved, ""},
	{"use_says_no_more", "USE_FUNCTION_CONTRACTS = set\n", strings.Replace(setContract, "p->x == v &&", "", 1) +
		"void harness(void) { struct pair a = {1, 2}; set(&a, 7); __CPROVER_assert(a.x == 7, \"set\"); }\n",
		"struct pair { int x, y; };\nvoid set(struct pair *p, int v) { p->x = v; }\n", verdict.Violated, "set"},
	{"use_requires", "USE_FUNCTION_CONTRACTS = set\n", setContract + "void harness(void) { set(0, 7); }\n",
		"struct pair { int x, y; };\nvoid set(struct pair *p, int v) { }\n", verdict.Violated,
		"requires clause of set"},
	{"use_in_frame", "CHECK_FUNCTION_CONTRACTS = twice\nUSE_FUNCTION_CONTRACTS = set\n",
		setContract + "void twice(struct pair *p) __CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p)) __CPROVER_assigns(p->y) ;\nvoid harness(void) { struct pair *p; twice(p); }\n",
		"struct pair { int x, y; };\nvoid set(struct pair *p, int v);\nvoid twice(struct pair *p) { set(p, 1); }\n",
		verdict.Violated, "is allowed by the one around it"},
	{"recursion", "CHECK_FUNCTION_CONTRACTS_REC = down\n",
		"int down(int n) __CPROVER_requires(n >= 0) __CPROVER_ensures(__CPROVER_return_value == 0) ;\nvoid harness(void) { int n; down(n); }\n",
		"int down(int n) { return n ? down(n - 1) : 0; }\n", verdict.Proved, ""},
	{"recursion_not_said", "CHECK_FUNCTION_CONTRACTS = down\n",
		"int down(int n) __CPROVER_requires(n >= 0) __CPROVER_ensures(__CPROVER_return_value == 0) ;\nvoid harness(void) { int n; down(n); }\n",
		"int down(int n) { return n ? down(n - 1) : 0; }\n", verdict.Violated, "down calls itself"},
	{"frees", "CHECK_FUNCTION_CONTRACTS = drop\n",
		"#include <stdlib.h>\nvoid drop(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_frees(p) ;\nvoid harness(void) { int *p; drop(p); }\n",
		"#include <stdlib.h>\nvoid drop(int *p) { free(p); }\n", verdict.Proved, ""},
	{"frees_nothing", "CHECK_FUNCTION_CONTRACTS = drop\n",
		"#include <stdlib.h>\nvoid drop(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) ;\nvoid harness(void) { int *p; drop(p); }\n",
		"#include <stdlib.h>\nvoid drop(int *p) { free(p); }\n", verdict.Violated, "the frees clause allows this"},
	{"fresh_ones_are_apart", "CHECK_FUNCTION_CONTRACTS = both\n",
		"int both(int *p, int *q) __CPROVER_requires(__CPROVER_is_fresh(p, 4) && (q == 0 || __CPROVER_is_fresh(q, 4))) __CPROVER_assigns(*p; q != 0: *q) __CPROVER_ensures(q == 0 ==> __CPROVER_return_value == 1) ;\nvoid harness(void) { int *p, *q; both(p, q); }\n",
		"int both(int *p, int *q) { *p = 1; if (q) *q = 2; return *p; }\n", verdict.Proved, ""},
	{"slices_of_one_object", "USE_FUNCTION_CONTRACTS = both\n", bothContract +
		"void harness(void) { int t[4] = {3, 3, 3, 3}; __CPROVER_assert(both(t, t + 3) == 1 && t[1] == 3, \"both\"); }\n",
		"int both(int *p, int *q) { *p = 1; *q = 2; return *p; }\n", verdict.Proved, ""},
	{"slices_that_meet", "USE_FUNCTION_CONTRACTS = both\n", bothContract +
		"void harness(void) { int t[4]; both(t, (int *)((char *)t + 3)); }\n",
		"int both(int *p, int *q) { *p = 1; *q = 2; return *p; }\n", verdict.Violated, "requires clause of both"},
	{"forall", "CHECK_FUNCTION_CONTRACTS = zero\nAPPLY_LOOP_CONTRACTS = 1\n",
		"void zero(char *a) __CPROVER_requires(__CPROVER_is_fresh(a, 4)) __CPROVER_assigns(__CPROVER_object_whole(a)) __CPROVER_ensures(__CPROVER_forall { int i; (0 <= i && i < 4) ==> a[i] == 0 }) ;\nvoid harness(void) { char *a; zero(a); }\n",
		"void zero(char *a) { int k; for (k = 0; k < 4; k++) __CPROVER_assigns(k, __CPROVER_object_whole(a)) __CPROVER_loop_invariant(0 <= k && k <= 4 && __CPROVER_forall { int i; (0 <= i && i < 4) ==> (i < k ==> a[i] == 0) }) __CPROVER_decreases(4 - k) { a[k] = 0; } }\n", verdict.Proved, ""},
	{"forall_but_one", "CHECK_FUNCTION_CONTRACTS = zero\n",
		"void zero(char *a) __CPROVER_requires(__CPROVER_is_fresh(a, 4)) __CPROVER_assigns(__CPROVER_object_whole(a)) __CPROVER_ensures(__CPROVER_forall { int i; (0 <= i && i < 4) ==> a[i] == 0 }) ;\nvoid harness(void) { char *a; zero(a); }\n",
		"void zero(char *a) { a[0] = 0; a[1] = 0; a[3] = 0; }\n", verdict.Violated, "ensures clause of zero"},
	{"objects_compared", "", objectsHarness("object(t) == object(&t[1]) && object(&x) != object(t)"), "",
		verdict.Proved, ""},
	{"objects_of_two_compared", "", objectsHarness("object(t) != object(x ? &t[1] : &x)"), "", verdict.Violated,
		"objects"},
	{"nested_in_place", gridMakefile, gridContracts("4"), gridSource, verdict.Proved, ""},
	{"nested_in_place_says_less", gridMakefile, gridContracts("5"), gridSource, verdict.Violated,
		"ensures clause of twice"},
	{"fact", tableMakefile, tableContracts("n", "17"), tableSource, verdict.Proved, ""},
	{"fact_of_one_less", tableMakefile, tableContracts("n - 1", "17"), tableSource, verdict.Violated,
		"ensures clause of sum"},
	{"fact_says_less", tableMakefile, tableContracts("n", "16"), tableSource, verdict.Violated,
		"ensures clause of sum"},
	{"fact_comes_later", "",
		"int t[99];\nvoid harness(void) { int i; t[5] = i; __CPROVER_assert(t[5] == 0, \"before\");\n" +
			"__CPROVER_assume(__CPROVER_forall { int k; (0 <= k && k < 99) ==> t[k] == 0 }); __CPROVER_assert(t[5] == 0, \"behind\"); }\n",
		"\n", verdict.Violated, "before"},
	{"each_its_own", "", "int t[3];\nvoid harness(void) { int a, b, c; t[0] = a; t[1] = b; t[2] = c;\n" +
		"__CPROVER_assume(__CPROVER_forall { int k; (0 <= k && k < 3) ==> __CPROVER_exists { int v; 0 <= v && v < 3 && t[k] == v } });\n" +
		"__CPROVER_assert(0 <= t[2] && t[2] < 3, \"all\"); __CPROVER_assert(t[0] == t[1], \"one for all\"); }\n",
		"\n", verdict.Violated, "one for all"},
	{"written_on_the_way_out", "CHECK_FUNCTION_CONTRACTS = seek\nAPPLY_LOOP_CONTRACTS = 1\n", seekContract,
		seekSource("if (a[i] == 7) { *at = i; found = 1; break; } i++; "), verdict.Proved, ""},
	{"written_in_the_turns", "CHECK_FUNCTION_CONTRACTS = seek\nAPPLY_LOOP_CONTRACTS = 1\n", seekContract,
		seekSource("if (a[i] == 7) { *at = i; found = 1; } i++;"), verdict.Violated,
		"the assigns clause allows this write"},
	{"do_loop", doMakefile, countContract, doLoop("0 <= k && k < n", "k++; if (k == 3) continue;"), verdict.Proved, ""},
	{"do_loop_says_less", doMakefile, countContract, doLoop("0 <= k && k <= n", "k++;"), verdict.Violated,
		"ensures clause of count"},
	{"do_loop_not_at_first", doMakefile, countContract, doLoop("1 <= k && k < n", "k++;"), verdict.Violated,
		"loop invariant at the begin of the loop"},
	{"do_loop_not_kept", doMakefile, countContract, doLoop("k == 0", "k++;"), verdict.Violated,
		"loop invariant after a turn of the loop"},
	{"do_loop_stands_still", doMakefile, countContract, doLoop("0 <= k && k < n", "if (k != 5) k++;"), verdict.Violated,
		"decreases clause of the loop"},
	{"do_loop_writes_more", doMakefile, countContract, doLoop("0 <= k && k < n", "k++; n = n;"), verdict.Violated,
		"the assigns clause allows this write"},
	{"loop_writes", loopMakefile, fillContract, fillSource("a[k] = v;"), verdict.Proved, ""},
	{"loop_writes_by_call", loopMakefile, fillContract, "static void set(char *p, char v) { *p = v; }\n" +
		fillSource("set(a + k, v);"), verdict.Violated, "the assigns clause allows this write"},
	{"loop_writes_less", loopMakefile, fillContract, fillSource("if (k != 2) a[k] = v;"), verdict.Violated,
		"loop invariant after a turn of the loop"},
	{"local_of_the_loop", "CHECK_FUNCTION_CONTRACTS = seek\nAPPLY_LOOP_CONTRACTS = 1\n", seekContract,
		seekSource("{ int t = 0, *q = &t; *q = a[i]; if (t == 7) { found = 1; break; } } i++;"), verdict.Proved, ""},
	{"no_contract", "CHECK_FUNCTION_CONTRACTS = none\n", "void none(void);\nvoid harness(void) { none(); }\n",
		"void none(void) { }\n", verdict.Unknown, "no source has a contract of none"},
}

const (
	doMakefile    = "CHECK_FUNCTION_CONTRACTS = count\nAPPLY_LOOP_CONTRACTS = 1\n"
	countContract = "int count(int n) __CPROVER_requires(1 <= n) __CPROVER_ensures(__CPROVER_return_value == n) ;\nvoid harness(void) { int n; count(n); }\n"
)

const (
	loopMakefile = "CHECK_FUNCTION_CONTRACTS = fill\nAPPLY_LOOP_CONTRACTS = 1\n"
	fillContract = "void fill(char *a, char v) __CPROVER_requires(__CPROVER_is_fresh(a, 4)) __CPROVER_assigns(__CPROVER_object_whole(a)) __CPROVER_ensures(__CPROVER_forall { int i; (0 <= i && i < 4) ==> a[i] == v }) ;\nvoid harness(void) { char *a, v; fill(a, v); }\n"
)

const bothContract = "int both(int *p, int *q) __CPROVER_requires(__CPROVER_is_fresh(p, 4) && __CPROVER_is_fresh(q, 4)) __CPROVER_assigns(*p, *q) __CPROVER_ensures(__CPROVER_return_value == 1) ;\n"

const (
	gridMakefile = "CHECK_FUNCTION_CONTRACTS = twice\nUSE_FUNCTION_CONTRACTS = clear\n"
	gridSource   = "typedef struct { char c[2][3]; } grid;\nvoid clear(grid *g);\nvoid twice(grid *g) { clear(g); clear(g); }\n"
)

const tableMakefile = "CHECK_FUNCTION_CONTRACTS = sum\n"

// tableContracts assume digits in the first count elements of a table.
func tableContracts(count, limit string) string {
	return "int sum(const int *t, int n, int i)\n__CPROVER_requires(1 <= n && n <= 1000 && 0 <= i && i < n && __CPROVER_is_fresh(t, n * sizeof(int)))\n" +
		"__CPROVER_requires(__CPROVER_forall { int k; (0 <= k && k < " + count + ") ==> 0 <= t[k] && t[k] < 9 })\n" +
		"__CPROVER_ensures(__CPROVER_return_value < " + limit +
		")\n;\nvoid harness(void) { const int *t; int n, i; sum(t, n, i); }\n"
}

const tableSource = "int sum(const int *t, int n, int i) { return t[i] + t[n - 1]; }\n"

// gridContracts are those of two functions that leave all elements of a matrix below a number, the first one below limit.
func gridContracts(limit string) string {
	bound := func(limit string) string {
		return "__CPROVER_requires(__CPROVER_is_fresh(g, sizeof *g)) __CPROVER_assigns(__CPROVER_object_upto(g, sizeof *g))\n" +
			"__CPROVER_ensures(__CPROVER_forall { unsigned x; (0 <= x && x < 2) ==> __CPROVER_forall { unsigned y; (0 <= y && y < 3) ==> 0 <= g->c[x][y] && g->c[x][y] < " +
			limit + " } })"
	}
	return "typedef struct { char c[2][3]; } grid;\nvoid clear(grid *g) " + bound(limit) + ";\nvoid twice(grid *g) " +
		bound("4") + ";\nvoid harness(void) { grid *g; twice(g); }\n"
}

// fillSource fills four bytes in a loop that does not say what it writes.
func fillSource(body string) string {
	return "void fill(char *a, char v) { int k; for (k = 0; k < 4; k++) __CPROVER_loop_invariant(0 <= k && k <= 4 && __CPROVER_forall { int i; (0 <= i && i < 4) ==> (i < k ==> a[i] == v) }) __CPROVER_decreases(4 - k) { char w = v; w++; " +
		body + " } }\n"
}

// objectsHarness asserts what cond says of the objects of an array and a variable.
func objectsHarness(cond string) string {
	return "#define object __CPROVER_POINTER_OBJECT\nvoid harness(void) { int t[2], x; __CPROVER_assert(" + cond +
		", \"objects\"); }\n"
}

// doLoop counts to n in a do loop with an invariant.
func doLoop(invariant, body string) string {
	return "int count(int n) { int k = 0, bound = n; do { " + body +
		" } while (k < bound) __CPROVER_assigns(k) __CPROVER_loop_invariant(" + invariant +
		") __CPROVER_decreases(n - k); return k; }\n"
}

// TestContracts: each contract that holds has twins that differ in little and do not.
func TestContracts(t *testing.T) { holdContracts(t, contractCases) }

// holdContracts runs the proofs of cases, of every second one but for `make long`, and compares what comes of them with
// what they want.
func holdContracts(t *testing.T, all []contractCase) {
	t.Helper()
	var cases []contractCase
	for i := 0; i < len(all); i += testprogram.Sample(1, 2) {
		cases = append(cases, all[i])
	}
	files := map[string]string{"p/Makefile.common": ""}
	for _, c := range cases {
		dir := "p/" + c.name + "/"
		files[dir+"Makefile"] = "HARNESS_ENTRY = harness\nHARNESS_FILE = harness\n" + c.makefile +
			"PROOF_SOURCES += harness.c\nPROJECT_SOURCES += source.c\ninclude ../Makefile.common\n"
		files[dir+"harness.c"], files[dir+"source.c"] = c.contracts, c.source
	}
	_, rep, errs := checkJSON(t, "--cbmc-proof", filepath.Join(writeTree(t, files), "p"))
	got := map[string]*verdict.Result{}
	for i := range rep.Results {
		got[rep.Results[i].Entry] = &rep.Results[i]
	}
	for _, c := range cases {
		r := got[c.name+"/harness"]
		if r == nil {
			t.Fatalf("no result of %s\n%s", c.name, errs)
		}
		said := ""
		if r.Reason != nil {
			said = r.Reason.Detail
		}
		for _, k := range r.Claims {
			if k.Status == verdict.Violated {
				said += k.Message + "\n"
			}
		}
		if r.Status != c.want || !strings.Contains(said, c.text) {
			t.Errorf("%s: %s, %s; want %s, %s", c.name, r.Status, said, c.want, c.text)
		}
	}
}
