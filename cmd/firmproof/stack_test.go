package main

import (
	"bytes"
	"encoding/json"
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

// stackProgram has chains, a pointer to a function, and handlers.
const stackProgram = `
static char text[64];
void put(int n) { volatile char line[100]; line[n & 63] = 1; text[n & 63] = line[1]; }
static void (*hook)(int);
void reg(void) { hook = put; }
void tick(void) { if (hook) hook(3); }
void uart(void) { volatile char q[50]; q[text[0] & 31] = 1; }
int main(void) { reg(); put(3); return 0; }
`

// stackOf runs `stack --json` on a project of the program and more of it.
func stackOf(t *testing.T, more, manifest string) (int, *stackTarget) {
	t.Helper()
	dir := writeTree(t, map[string]string{"main.c": stackProgram + more, ".firmproof.yml": "version: 1\ntargets: [cortex-m3]\n" +
		"build: {sources: [main.c], cflags: [-O1, -fno-inline]}\nfunctions: all\n" + manifest})
	var out, errs bytes.Buffer
	code := runWith([]string{"stack", dir, "--json"}, &out, &errs)
	var u stackUse
	if err := json.Unmarshal(out.Bytes(), &u); err != nil || len(u.Targets) != 1 {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	return code, &u.Targets[0]
}

// TestStackTable: the deepest chain counts, through pointers, too, and one handler of each priority.
func TestStackTable(t *testing.T) {
	const both = "interrupts: [{handler: tick}, {handler: uart, preempts: [tick]}]\n"
	code, got := stackOf(t, "", both)
	use := map[string]stackFunction{}
	for _, f := range got.Functions {
		use[f.Name] = f
	}
	if put := use["put"]; put.Bytes < 100 || use["main"].Bytes != use["main"].Frame+put.Bytes ||
		use["tick"].Bytes != use["tick"].Frame+put.Bytes || strings.Join(use["tick"].Chain, " ") != "tick put" {
		t.Errorf("%+v", use)
	}
	nested := 36 + use["tick"].Bytes + 36 + use["uart"].Bytes
	if code != exitOK || got.Status != verdict.Proved || got.Entry != "main" || got.Interrupts.Bytes != nested ||
		got.Bytes != use["main"].Bytes+nested || strings.Join(got.Interrupts.Chain, " ") != "tick uart" {
		t.Errorf("%d %+v", code, got)
	}
	if _, got = stackOf(t, "", "interrupts: [{handler: tick}, {handler: uart}]\n"); got.Interrupts.Bytes != 36+use["tick"].Bytes {
		t.Errorf("without preemption: %+v", got.Interrupts)
	}
	code, got = stackOf(t, "void spi(void) { volatile char q[5000]; q[text[0] & 31] = 1; }\n", "interrupts: [{handler: spi}]\n")
	if code != exitViolated || got.Status != verdict.Violated || !strings.Contains(got.text(), " of 4096, it does not fit\n") {
		t.Errorf("%d %+v", code, got)
	}
}

// TestStackTableOpen: what is not followed leaves the table open, and says what it is.
func TestStackTableOpen(t *testing.T) {
	const listed = "interrupts: [{handler: tick}, {handler: uart}]\n"
	for text, c := range map[string]struct{ more, manifest, why string }{
		"recursion": {"int f(int n);\nint g(int n) { return n ? 2 * f(n - 1) : 3; }\nint f(int n) { volatile int a[2]; a[n & 1] = g(n); return a[0]; }\n",
			listed, "recursion of g"},
		"array":    {"int f(int n) { volatile char a[n + 1]; a[n] = 1; return a[0]; }\n", listed, "arrays of variable length"},
		"assembly": {"void f(void) { __asm__ volatile (\"bl other\"); }\n", listed, "assembly in f"},
		"pointer":  {"void f(void) { __asm__ volatile (\"sub sp, #64\"); }\n", listed, "assembly in f"},
	} {
		_, got := stackOf(t, c.more, c.manifest)
		found := false
		for _, f := range got.Functions {
			found = found || f.Name == "f" && strings.Contains(f.Reason, c.why)
			if f.Name == "main" && f.Reason != "" {
				t.Errorf("%s: main is open: %s", text, f.Reason)
			}
		}
		if !found {
			t.Errorf("%s: %+v", text, got.Functions)
		}
	}
	code, got := stackOf(t, "void SysTick_Handler(void) { put(2); }\n", listed)
	if code != exitUnknown || !strings.Contains(got.Reason, "SysTick_Handler may interrupt it") {
		t.Errorf("%d %+v", code, got)
	}
}
