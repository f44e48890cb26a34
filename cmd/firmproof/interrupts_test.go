package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const interruptedC = `#include "firmproof.h"
volatile unsigned count, seen;
static unsigned char fifo[4];
static unsigned head;
static int own;
void UART0_IRQHandler(void) { count++; fifo[head++ & 3] = 1; }
void TIMER_IRQHandler(void) { seen = count; }

/* two reads of what a handler writes may differ */
void torn(void) { unsigned a = count, b = count; firmproof_assert(a == b, "same"); }
/* a read-modify-write loses an update */
void lost(void) { unsigned before = count; count = count + 1; firmproof_assert(count >= before + 1 && count <= before + 3, "range"); firmproof_assert(count != before + 2 || seen < 9, "any"); }
/* what no handler touches stays */
void calm(void) { own = 1; int x = own; x = x + own; firmproof_assert(x == 2, "own"); }
/* at most two runs and one */
void limit(void) { for (int i = 0; i < 3; i++) seen = seen; firmproof_assert(count <= 2, "runs"); }
void more(void) { for (int i = 0; i < 3; i++) seen = seen; firmproof_assert(count <= 1, "runs"); }
/* masked: nothing runs in between */
void masked(void) { __asm volatile("cpsid i" ::: "memory"); unsigned a = count, b = count; __asm volatile("cpsie i" ::: "memory"); firmproof_assert(a == b, "masked"); }
void unmasked(void) { __asm volatile("cpsid i" ::: "memory"); unsigned a = count; __asm volatile("cpsie i" ::: "memory"); unsigned b = count; firmproof_assert(a == b, "unmasked"); }
`

// TestInterrupts: handlers run between any two steps, as often as the manifest says, not
// while they are masked; every violation is replayed and shows where a handler ran.
func TestInterrupts(t *testing.T) {
	manifest := "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [main.c]}\ninterrupts:\n  - {handler: UART0_IRQHandler, max: 2}\n  - {handler: TIMER_IRQHandler}\nharnesses:\n"
	want := map[string]verdict.Status{"torn": verdict.Violated, "lost": verdict.Bounded, "calm": verdict.Bounded,
		"limit": verdict.Bounded, "more": verdict.Violated,
		"masked": verdict.Bounded, "unmasked": verdict.Violated}
	for _, e := range []string{"torn", "lost", "calm", "limit", "more", "masked", "unmasked"} {
		manifest += "  - {entry: " + e + ", checks: [default, -uninitialised, -race]}\n"
	}
	dir := writeTree(t, map[string]string{"main.c": interruptedC, ".firmproof.yml": manifest})
	code, rep, errs := checkJSON(t, dir)
	if code != 1 || len(rep.Results) != len(want) {
		t.Fatalf("exit %d, %d results\n%s", code, len(rep.Results), errs)
	}
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.Status != want[r.Entry] {
			t.Errorf("%s is %s, want %s (%v)", r.Entry, r.Status, want[r.Entry], r.Reason)
		}
		if a := strings.Join(verdict.TextsOf(r.Assumptions), "\n"); !strings.Contains(a, "UART0_IRQHandler runs at most 2 times") {
			t.Errorf("%s: assumptions %q", r.Entry, a)
		}
		for j := range r.Claims {
			c := &r.Claims[j]
			if c.Status != verdict.Violated {
				continue
			}
			shown := 0
			for _, s := range c.Trace {
				if s.Kind == verdict.StepInterrupt && s.What == "UART0_IRQHandler" && s.Pos.File == "main.c" &&
					s.Pos.Line > 7 {
					shown++
				}
				if strings.Contains(s.What, "firmproof_") {
					t.Errorf("%s: step %+v is none of the program", r.Entry, s)
				}
			}
			if c.Replay != verdict.Confirmed || shown == 0 {
				t.Errorf("%s: replay %v, %d interrupts in the trace", r.Entry, c.Replay, shown)
			}
		}
	}
	dir = writeTree(t, map[string]string{"main.c": interruptedC,
		".firmproof.yml": "version: 1\nbuild: {sources: [main.c]}\ninterrupts: [{handler: UART_IRQHandler}]\nharnesses: [{entry: calm}]\ntargets: [cortex-m3]\n"})
	if code, _, errs := checkJSON(t, dir); code != 2 || !strings.Contains(errs, `did you mean "UART0_IRQHandler"?`) {
		t.Errorf("unknown handler: exit %d, %s", code, errs)
	}
}

// TestNestedInterrupts: a handler interrupts those that it preempts, and no others.
func TestNestedInterrupts(t *testing.T) {
	const source = `#include "firmproof.h"
unsigned low, urgent, sum;
static void add(unsigned n) { sum = sum + n; }
void LOW_IRQHandler(void) { unsigned u = urgent; low = 1; add(1); firmproof_assert(urgent == u, "not interrupted"); }
void URGENT_IRQHandler(void) { unsigned l = low; urgent = 1; add(2); firmproof_assert(low == l, "not interrupted"); }
void once(void) { low = low; urgent = urgent; sum = sum; }
void lost(void) { for (int i = 0; i < 2; i++) low = low; firmproof_assert(!low || !urgent || sum == 3, "lost"); }
`
	const yml = "version: 1\ntargets: [%s]\nbuild: {sources: [main.c]}\ninterrupts:\n" +
		"  - {handler: LOW_IRQHandler}\n  - {handler: URGENT_IRQHandler%s}\nharnesses:\n" +
		"  - {entry: once, checks: [assert]}\n  - {entry: lost, checks: [assert]}\n"
	for _, c := range []struct {
		target, preempts string
		violated         []int // lines
		says             string
	}{
		{"cortex-m3", "", nil, "do not interrupt each other"},
		{"cortex-m3", ", preempts: [LOW_IRQHandler]", []int{4, 7},
			"URGENT_IRQHandler interrupts LOW_IRQHandler, and no other"},
		{"msp430", ", preempts: [LOW_IRQHandler]", nil, "URGENT_IRQHandler interrupts LOW_IRQHandler"}, // begins masked
	} {
		dir := writeTree(t, map[string]string{"main.c": source, ".firmproof.yml": fmt.Sprintf(yml, c.target, c.preempts)})
		_, rep, errs := checkJSON(t, dir)
		if len(rep.Results) != 2 {
			t.Fatalf("%d results\n%s", len(rep.Results), errs)
		}
		var violated []int
		for _, r := range rep.Results {
			if a := strings.Join(verdict.TextsOf(r.Assumptions), "\n"); !strings.Contains(a, c.says) {
				t.Errorf("%s%s: assumptions %q", c.target, c.preempts, a)
			}
			for _, claim := range r.Claims {
				if claim.Status == verdict.Violated {
					violated = append(violated, claim.Pos.Line)
					if claim.Replay != verdict.Confirmed {
						t.Errorf("%s: line %d: replay %v", c.target, claim.Pos.Line, claim.Replay)
					}
				} else if claim.Status != verdict.Proved && claim.Status != verdict.Bounded {
					t.Errorf("%s%s: %s at line %d: %v", c.target, c.preempts, claim.Status, claim.Pos.Line, claim.Reason)
				}
			}
		}
		slices.Sort(violated)
		if violated = slices.Compact(violated); !slices.Equal(violated, c.violated) {
			t.Errorf("%s%s: violated in lines %v, want %v", c.target, c.preempts, violated, c.violated)
		}
	}
}

// TestInterruptsAndGenerated: what lets handlers run is no function of the program, which would get a harness.
func TestInterruptsAndGenerated(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"main.c": "volatile unsigned n;\nvoid SysTick_Handler(void) { n++; }\nunsigned get(void) { return n; }\n",
		".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [main.c]}\n" +
			"interrupts:\n  - {handler: SysTick_Handler}\nfunctions: all\n"})
	code, rep, errs := checkJSON(t, dir)
	if code != 0 || len(rep.Results) != 1 || rep.Results[0].Entry != "any call of get" {
		t.Errorf("exit %d, %d results, want one for get\n%s", code, len(rep.Results), errs)
	}
}

// ringC is a program whose main shares indices with a handler; %s is how the handler moves one.
const ringC = `static volatile unsigned char head, tail;
static unsigned char ring[16];
void RX_IRQHandler(void) { unsigned char n = %s; if (n != tail) { ring[head] = 1; head = n; } }
int main(void) {
	for (;;) {
		if (head != tail) { unsigned char c = ring[tail]; tail = (tail + 1) %% 16; if (c > 1) return 1; }
	}
}
`

// TestVolatileChoice: what volatile reads give in harnesses that somebody wrote is the manifest's to say, and what is
// taken for granted is listed; numbers that no range is kept of stay any.
func TestVolatileChoice(t *testing.T) {
	const kept = "tail is 0..15: the program stores nothing else there"
	for _, c := range []struct {
		volatile string
		code     int
		assumed  string
	}{
		{"any", 1, ""},
		{"kept", 0, kept},
		{"memory", 0, "volatile objects outside volatile regions behave like memory"},
	} {
		dir := writeTree(t, map[string]string{"main.c": fmt.Sprintf(ringC, "(head + 1) % 16"),
			".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [main.c]}\nvolatile: " + c.volatile +
				"\nharnesses:\n  - {entry: main, checks: [memory]}\n"})
		code, rep, errs := checkJSON(t, dir)
		if code != c.code || len(rep.Results) != 1 {
			t.Fatalf("%s: exit %d, want %d, %d results\n%s", c.volatile, code, c.code, len(rep.Results), errs)
		}
		if a := strings.Join(verdict.TextsOf(rep.Results[0].Assumptions), "\n"); !strings.Contains(a, c.assumed) ||
			c.assumed != kept && strings.Contains(a, kept) {
			t.Errorf("%s: assumptions %q, want %q", c.volatile, a, c.assumed)
		}
	}
}

// TestVolatileKeptByAll: a range is kept only where the handler, too, keeps it.
func TestVolatileKeptByAll(t *testing.T) {
	for next, code := range map[string]int{"(head + 1) % 16": 0, "(head + 1) % 17": 1} {
		dir := writeTree(t, map[string]string{
			"main.c": strings.Replace(fmt.Sprintf(ringC, next), "ring[tail]", "ring[head]", 1),
			".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [main.c]}\nvolatile: kept\n" +
				"harnesses:\n  - {entry: main, checks: [memory]}\n"})
		if got, _, errs := checkJSON(t, dir); got != code {
			t.Errorf("%s: exit %d, want %d\n%s", next, got, code, errs)
		}
	}
}

// TestAnyNumberOfInterrupts: with `max: any`, what is proved holds however often handlers run: what they leave is found
// by induction. What only many runs come to is not proved, and found where executions get there.
func TestAnyNumberOfInterrupts(t *testing.T) {
	const header = `#include "firmproof.h"
#define mask() __asm volatile("cpsid i" ::: "memory")
#define open() __asm volatile("cpsie i" ::: "memory")
`
	for _, c := range []struct {
		name, source, checks string
		want                 []verdict.Status // of the entry
	}{
		{"a number that wraps", `volatile unsigned char n; volatile int x;
void tick(void) { n = (n + 1) % 10; }
int main(void) { for (;;) { x = 100 / (10 - n); } }`, "default, -race, -termination", []verdict.Status{verdict.Proved}},
		{"a number that gets there", `volatile unsigned char n; volatile int x;
void tick(void) { n = (n + 1) % 11; }
int main(void) { for (;;) { x = 100 / (10 - n); } }`, "default, -race, -termination",
			[]verdict.Status{verdict.Violated}},
		{"the thousandth tick", `volatile unsigned n; volatile unsigned x;
void tick(void) { if (n < 1000) n++; }
int main(void) { for (;;) { x = 100 / (1000 - n); } }`, "div-by-zero",
			[]verdict.Status{verdict.Violated, verdict.Bounded, verdict.Unknown}},
		{"never the thousandth tick", `volatile unsigned n; volatile unsigned x;
void tick(void) { if (n < 999) n++; }
int main(void) { for (;;) { x = 100 / (1000 - n); } }`, "div-by-zero", []verdict.Status{verdict.Proved}},
		{"ring", `volatile unsigned char head, tail; unsigned char ring[16];
void tick(void) { unsigned char n = (head + 1) % 16; if (n != tail) { ring[head] = 1; head = n; } }
int main(void) { for (;;) { if (head != tail) { unsigned char c = ring[tail]; tail = (tail + 1) % 16;
	firmproof_assert(c <= 1, "stored"); } } }`, "assert, memory", []verdict.Status{verdict.Proved}},
		{"ring that is left", `volatile unsigned char head, tail; unsigned char ring[16];
void tick(void) { unsigned char n = (head + 1) % 17; if (n != tail) { ring[head] = 1; head = n; } }
int main(void) { for (;;) { if (head != tail) { unsigned char c = ring[tail]; tail = (tail + 1) % 16;
	firmproof_assert(c <= 1, "stored"); } } }`, "assert, memory", []verdict.Status{verdict.Violated}},
		{"masked", `volatile unsigned n;
void tick(void) { n++; }
int main(void) { for (;;) { mask(); n += 2; open(); } }`, "race", []verdict.Status{verdict.Proved}},
		{"a race of the second run", `volatile unsigned char flag; volatile unsigned n;
void tick(void) { flag = 1; n++; }
int main(void) { for (;;) { if (flag) { n++; flag = 0; } } }`, "race", []verdict.Status{verdict.Violated}},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			dir := writeTree(t, map[string]string{"main.c": header + c.source + "\n", ".firmproof.yml": "version: 1\n" +
				"targets: [cortex-m3]\nbuild: {sources: [main.c]}\ninterrupts:\n  - {handler: tick, max: any}\n" +
				"harnesses: [{entry: main, timeout: 30s, checks: [" + c.checks + "]}]\n"})
			args := []string{dir}
			if c.want[0] == verdict.Violated { // what else there is to say takes all the time
				args = append(args, "--fail-fast")
			}
			_, rep, errs := checkJSON(t, args...)
			if len(rep.Results) != 1 {
				t.Fatalf("%d results\n%s", len(rep.Results), errs)
			}
			r := &rep.Results[0]
			if !slices.Contains(c.want, r.Status) {
				t.Errorf("%s, want %v: %v", r.Status, c.want, r.Reason)
				for _, claim := range r.Claims {
					t.Logf("%s %s %s: %v", claim.ID, claim.Status, claim.By, claim.Reason)
				}
			}
			if a := strings.Join(verdict.TextsOf(r.Assumptions), "\n"); !strings.Contains(a, "tick runs any number of times") {
				t.Errorf("assumptions %q", a)
			}
			if r.Status == verdict.Proved && len(r.Bounds.Handlers) > 0 {
				t.Errorf("bounds %v", r.Bounds.Handlers)
			}
		})
	}
}
