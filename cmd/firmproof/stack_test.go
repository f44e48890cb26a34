package main

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestStackOfFunctions: functions without a harness are held to the target's stack, without what their callers use.
func TestStackOfFunctions(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": "int flat(int n) { return n; }\n" +
		"int deep(int n) { volatile char big[5000]; big[n & 1] = 1; return flat(big[0]); }\n"})
	_, rep, errs := checkJSON(t, dir+"/a.c", "--target", "cortex-m3", "--checks", "stack")
	found := map[string]verdict.Status{}
	for i := range rep.Results {
		r := &rep.Results[i]
		found[r.Entry] = r.Status
		if !strings.Contains(strings.Join(verdict.TextsOf(r.Assumptions), "\n"), "without what its callers use") {
			t.Errorf("%s rests on %q", r.Entry, verdict.TextsOf(r.Assumptions))
		}
	}
	if found["any call of deep"] != verdict.Violated || found["any call of flat"] != verdict.Proved {
		t.Errorf("%v\n%s", found, errs)
	}
}

// TestStackWithoutCode: where clang makes no machine code of a file, frames are unknown, and nothing else is. It keeps
// this register allocation from succeeding without optimisation.
func TestStackWithoutCode(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": "long long mix(void) { volatile long long a[40]; volatile unsigned char b[8];\n" +
		"\tvolatile int c[2]; a[0] = b[0] = c[0] = 0; a[25] = 2; a[26] = 1; a[4] = a[25] - a[26]; return a[4]; }\n" +
		"int div(int a, int b) { return a / b; }\n", "b.c": "static int mix(void) { return 1; }\nint one(void) { return mix(); }\n"})
	_, rep, errs := checkJSON(t, dir+"/a.c", dir+"/b.c", "--target", "avr", "--checks", "stack,div-by-zero")
	found := map[string]verdict.Status{}
	for i := range rep.Results {
		r := &rep.Results[i]
		if !strings.Contains(strings.Join(r.Warnings, "\n"), "clang makes no machine code of it for avr: ran out of registers") {
			t.Errorf("%s: %q", r.Entry, r.Warnings)
		}
		for _, c := range r.Claims {
			entry, _, _ := strings.Cut(strings.TrimPrefix(r.Entry, "any call of "), " ")
			found[string(c.Check)+" of "+entry] = c.Status
			if c.Check == verdict.Stack && entry == "div" && (c.Reason == nil ||
				!strings.Contains(c.Reason.Detail, "clang makes no machine code of its file")) {
				t.Errorf("%s: %+v", r.Entry, c.Reason)
			}
		}
	}
	for claim, want := range map[string]verdict.Status{"stack of mix": verdict.Unknown,
		"stack of div": verdict.Unknown, "div-by-zero of div": verdict.Violated} {
		if found[claim] != want {
			t.Errorf("%s: %s\n%v\n%s", claim, found[claim], found, errs)
		}
	}
	_, rep, errs = checkJSON(t, dir+"/a.c", "--target", "avr", "--checks", "stack", "--cflags", "-Os")
	for i := range rep.Results {
		if r := &rep.Results[i]; r.Status == verdict.Unknown {
			t.Errorf("with -Os, %s is unknown\n%s", r.Entry, errs)
		}
	}
}
