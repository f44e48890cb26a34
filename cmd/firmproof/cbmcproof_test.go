package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// largeHarness holds for objects of 2^55 bytes and fewer: those of CBMC's pointers with eight bits for the object.
const largeHarness = `void *malloc(unsigned long);
void harness() { unsigned long n; char *p = malloc(n); if (p) __CPROVER_assert(n <= 1ul << 55, "size"); }
`

// TestCBMCProofs: a proof that holds is proved; its twin with one bound less in the
// assumption is violated; one that checks a contract which no source has
// is unknown by that name, and one that does not build says so without taking the others down.
func TestCBMCProofs(t *testing.T) {
	makefile := func(name string) string {
		return "HARNESS_ENTRY = harness\nHARNESS_FILE = " + name +
			"\nREMOVE_FUNCTION_BODY += hw\nUNWINDSET += __CPROVER_file_local_src_c_count.0:6\n" +
			"PROOF_SOURCES += $(HARNESS_FILE).c\nPROJECT_SOURCES += ../src.c\ninclude ../Makefile.common\n"
	}
	harness := func(limit string) string {
		return "int __CPROVER_file_local_src_c_count(unsigned);\nint use(int *);\n" +
			"void harness() { unsigned n; int x = 5; __CPROVER_assume(n < " + limit + ");\n" +
			"__CPROVER_assert(__CPROVER_file_local_src_c_count(n) < 5, \"count\"); use(&x); __CPROVER_assert(x == 5, \"untouched\"); }\n"
	}
	static := func(result string) string { // declared without static, called, and then defined with it
		return "int f(int);\nint g(void) { return f(1); }\nstatic int f(int x) { return x + 1; }\n" +
			"void harness() { __CPROVER_assert(g() == " + result + " && f(2) == 3, \"results\"); }\n"
	}
	compared := func(steps string) string { // structures, behind steps
		return "#define CHECK(e) ((e) ? (void)0 : __CPROVER_assert(e, #e))\n" +
			"typedef struct { char c; int n; short last[3]; } pair;\npair copy(pair p) { return p; }\n" +
			"void harness() { pair a, b = a; " + steps + " CHECK(a == b); CHECK(!(copy(a) != b)); }\n"
	}
	dir := writeTree(t, map[string]string{
		"p/Makefile.common": "",
		"p/src.c":           "int hw(int *p) { *p = 0; return 0; }\nint use(int *p) { return hw(p); }\nstatic int count(unsigned n) { int k = 0; while (n--) k++; return k; }\n",
		"p/good/Makefile":   makefile("good"), "p/good/good.c": harness("5"),
		"p/bad/Makefile": makefile("bad"), "p/bad/bad.c": harness("6"),
		"p/contract/Makefile": makefile("good") + "CHECK_FUNCTION_CONTRACTS = use\n", "p/contract/good.c": harness("5"),
		"p/wrap/Makefile": makefile("wrap") + "CBMCFLAGS += --unsigned-overflow-check\n",
		"p/wrap/wrap.c": "void harness() { unsigned n;\n#pragma CPROVER check push\n" +
			"#pragma CPROVER check disable \"unsigned-overflow\"\n unsigned k = n - 1;\n#pragma CPROVER check pop\n" +
			" __CPROVER_assert(k + 1 < 9 || n != 8, \"wraps\"); }\n",
		"p/freed/Makefile": makefile("freed"), "p/freed/freed.c": "void *malloc(unsigned long);\nvoid free(void *);\n" +
			"void harness() { char *p = malloc(1); if (!p) return; *p = 0; free(p);\n" +
			"#pragma CPROVER check disable \"pointer\"\n __CPROVER_assert(*p == 0, \"left alone\"); }\n",
		"p/aligned/Makefile": makefile("aligned"), "p/aligned/aligned.c": "void harness() { char b[9]; " +
			"unsigned long *p = (unsigned long *)(b + 1); *p = 1; " +
			"__CPROVER_assert(*p == 1 && b[1] == 1, \"written\"); }\n",
		"p/aligned_end/Makefile": makefile("aligned_end"), "p/aligned_end/aligned_end.c": "void harness() { char b[8]; " +
			"unsigned long *p = (unsigned long *)(b + 1); *p = 1; }\n",
		"p/large/Makefile": makefile("large"), "p/large/large.c": largeHarness,
		"p/larger/Makefile": makefile("larger") + "CBMCFLAGS += --object-bits 6\n", "p/larger/larger.c": largeHarness,
		"p/static/Makefile": makefile("static"), "p/static/static.c": static("2"),
		"p/static_bad/Makefile": makefile("static_bad"), "p/static_bad/static_bad.c": static("3"),
		"p/same/Makefile": makefile("same") +
			"CBMCFLAGS += --conversion-check --unsigned-overflow-check --pointer-overflow-check\n",
		"p/same/same.c":    compared("b.n ^= 1; b.n = a.n;"),
		"p/other/Makefile": makefile("other"), "p/other/other.c": compared("b.n ^= 1; b.c = a.c;"),
		"p/padding/Makefile": makefile("padding"), "p/padding/padding.c": compared("((char *)&b)[2] ^= 1;"),
		"p/last/Makefile": makefile("last"), "p/last/last.c": compared("b.last[2] ^= 1;"),
		"p/mixed/Makefile": makefile("mixed"), "p/mixed/mixed.c": compared("long n; CHECK(a == n);"),
		"p/broken/Makefile": makefile("broken"), "p/broken/broken.c": "int harness() { return missing_variable; }\n",
	})
	code, rep, errs := checkJSON(t, "--cbmc-proof", filepath.Join(dir, "p"))
	got := map[string]*verdict.Result{}
	for i := range rep.Results {
		got[rep.Results[i].Entry] = &rep.Results[i]
	}
	want := map[string]verdict.Status{"good/harness": verdict.Proved, "bad/harness": verdict.Violated,
		"wrap/harness": verdict.Violated, "freed/harness": verdict.Unknown, "contract/harness": verdict.Unknown,
		"aligned/harness": verdict.Proved, "aligned_end/harness": verdict.Violated,
		"static/harness": verdict.Proved, "static_bad/harness": verdict.Violated,
		"same/harness": verdict.Proved, "other/harness": verdict.Violated, "padding/harness": verdict.Violated,
		"last/harness":  verdict.Violated,
		"mixed/harness": verdict.Unknown, "large/harness": verdict.Proved, "larger/harness": verdict.Violated,
		"broken/harness": verdict.Unknown}
	for name, status := range want {
		if got[name] == nil || got[name].Status != status {
			t.Errorf("%s: %+v, want %s", name, got[name], status)
		}
	}
	if code != 1 || len(rep.Results) != len(want) || t.Failed() {
		t.Fatalf("exit %d, %d results\n%s", code, len(rep.Results), errs)
	}
	if a := strings.Join(verdict.TextsOf(got["good/harness"].Assumptions), "\n"); !strings.Contains(a,
		"hw is stubbed: any result, no effect") {
		t.Errorf("assumptions %q", a)
	}
	for _, c := range got["wrap/harness"].Claims { // the addition behind the pragma wraps, and is checked
		if c.Status == verdict.Violated && c.Pos.Line != 6 {
			t.Errorf("wrap: %+v", c)
		}
	}
	if r := got["contract/harness"].Reason; r == nil || !strings.Contains(r.Detail, "no source has a contract of use") {
		t.Errorf("contract: %v", r)
	}
	if r := got["broken/harness"].Reason; r == nil || !strings.Contains(r.Detail, "missing_variable") {
		t.Errorf("broken: %v", r)
	}
}
