package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// TestQuiet: handlers of interrupts that nobody lists may change a variable between two reads of it. What fails then is
// conditional, on a line marked so; what holds then, too, rests on no such guess, and what a handler may end is unknown.
func TestQuiet(t *testing.T) {
	const text = `static int m, k, q, n, s[4], half; static char buf[8]; static unsigned ticks; static int *at = &n;
void HANDLER { m++; k++; ticks++; q++; n++; s[1]++; half++; }
void twice(void) { if (m < 0 || m > 7) return; buf[m] = 1; } /* quiet */
void once(void) { int x = k; if (x < 0 || x > 7) return; buf[x] = 1; }
void masked(void) { if (q < 0) return; buf[q & 7] = 1; }
unsigned now(void) { return ticks; }
void poll(unsigned until) { while (ticks < until) ; } /* open */
void through(void) { if (*at < 0 || *at > 7) return; buf[*at] = 1; } /* quiet */
void element(void) { if (s[1] < 0 || s[1] > 7) return; buf[s[1]] = 1; } /* quiet */
static int level(void) { return half; }
void called(void) { if (level() < 0 || level() > 7) return; buf[level()] = 1; } /* quiet */
void in_loop(void) { for (int i = 0; i < 3; i++) { int x = half; if (x < 0 || x > 7) return; buf[x] = 1; } }
static int own; void set(int x) { own = x & 7; } void use(void) { if (own < 0 || own > 7) return; buf[own] = 1; }
`
	for target, handler := range map[string]string{
		"cortex-m3": "SysTick_Handler(void)", "cortex-m0": "USART1_IRQHandler(void)", "avr": "__vector_9(void)",
		"cortex-m4": "__attribute__((interrupt)) tick(void)", "riscv32": `__attribute__((interrupt("machine"))) tick(void)`,
		"msp430": "__attribute__((interrupt(2))) tick(void)",
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(text, "HANDLER", handler, 1)
			path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
			_, rep, _ := checkJSON(t, path, "--target", target, "--timeout", "4s")
			opened := false
			guessOnMarked(t, rep, text, "/* quiet */", isQuiet, func(c *verdict.Claim, line string) bool {
				waits := strings.Contains(line, "/* open */") && c.Check == verdict.Termination
				opened = opened || waits && c.Status == verdict.Unknown
				return waits || c.Check == verdict.Termination && c.Status == verdict.Conditional
			})
			if !opened {
				t.Error("the loop that waits for the handler is not open")
			}
		})
	}
}

func isQuiet(a verdict.Assumption) bool { return a.Relation == verdict.Quiet }

// TestUnlisted: a harness says which handlers of interrupts do not run in it, though they change what it reads.
func TestUnlisted(t *testing.T) {
	const text = `#include "firmproof.h"
static volatile int n;
static int other;
void SysTick_Handler(void) { n++; }
void EXTI0_IRQHandler(void) { other = 1; }
static int twice(void) { return n - n; }
void reads(void) { twice(); }
void runs(void) { SysTick_Handler(); twice(); }
void nothing(void) { firmproof_assert(1, "nothing"); }
`
	for _, c := range []struct{ entry, more, want string }{
		{"reads", "", "SysTick_Handler: handlers"}, {"runs", "", ""}, {"nothing", "", ""},
		{"reads", "interrupts: [{handler: SysTick_Handler}]\n", ""},
	} {
		dir := writeTree(t, map[string]string{"a.c": text, ".firmproof.yml": "version: 1\ntargets: [cortex-m3]\n" +
			"build: {sources: [a.c]}\nharnesses: [{entry: " + c.entry + "}]\n" + c.more})
		_, rep, errs := checkJSON(t, dir)
		notes := ""
		for i := range rep.Results {
			notes += strings.Join(rep.Results[i].Warnings, "\n")
		}
		if got := strings.Contains(notes, "handlers of interrupts that change"); got != (c.want != "") || !strings.Contains(notes, c.want) {
			t.Errorf("%s %s: %q, want %q\n%s", c.entry, c.more, notes, c.want, errs)
		}
	}
}

// TestQuietWhereHandlersRun: what handlers do that run between the steps of another handler is none of that one's; and what
// has them run is nothing that pointers lead to.
func TestQuietWhereHandlersRun(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": `static volatile unsigned char n;
void SysTick_Handler(void) { n++; }
void Default_Handler(void) { for (;;) { } }
void get(int *to) { *to = n - n; }
void (*const vectors[])(void) = {SysTick_Handler, Default_Handler};
`, ".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [a.c]}\nfunctions: all\n" +
		"interrupts: [{handler: SysTick_Handler, max: 2}]\n"})
	_, rep, errs := checkJSON(t, dir, "--function", "get", "--timeout", "5s")
	if len(rep.Results) != 1 {
		t.Fatalf("%d results\n%s", len(rep.Results), errs)
	}
	for _, a := range rep.Results[0].Assumptions {
		if isQuiet(a) || strings.Contains(a.Text, irbuild.PointPrefix) {
			t.Errorf("assumed: %s", a.Text)
		}
	}
}

// TestInitHandlers: init says which handlers may have to run.
func TestInitHandlers(t *testing.T) {
	dir := writeTree(t, map[string]string{"a.c": `static int n; static char buf[8];
void SysTick_Handler(void) { n++; }
void twice(void) { if (n < 0 || n > 7) return; buf[n] = 1; }
static volatile unsigned long long us; void TIM2_IRQHandler(void) { us++; }
int main(void) { return (int)(us >> 40); }
`})
	var out bytes.Buffer
	runWith([]string{"init", "--timeout", "3s", dir}, &out, &out)
	text, err := os.ReadFile(filepath.Join(dir, ".firmproof.yml"))
	if err != nil || !strings.Contains(string(text), "`interrupts: [{handler: SysTick_Handler, max: any}, {handler: TIM2_IRQHandler, max: any}]`") ||
		!strings.Contains(string(text), "which of them preempt others is not known") {
		t.Errorf("%v\n%s\n%s", err, text, out.String())
	}
}

// TestHandedOver: functions that are handed to code which is not there, as tasks and callbacks are, may run meanwhile.
func TestHandedOver(t *testing.T) {
	const text = `#include <stdlib.h>
struct ops { void (*rx)(void), (*tx)(void); };
int uart_open(const struct ops *o), spi_open(struct ops *o), xTaskCreate(void (*f)(void *), const char *name, unsigned depth, void *p, unsigned prio, void **h);
void attachInterrupt(int pin, void (*isr)(void), int mode);
static int n, m, k, v[4], in_table, in_local, hal; static char buf[8];
static void worker(void *p) { (void)p; n = 1; }
static void pin(void) { m = 1; }
static int less(const void *a, const void *b) { k++; return *(const int *)a - *(const int *)b; }
static void rx(void) { in_table++; }
static void tx(void) { in_local++; }
static const struct ops ops = { rx, 0 };
void HAL_UART_RxCpltCallback(void *h) { if (h) hal++; }
void open_all(void) { struct ops o = { 0, tx }; uart_open(&ops); spi_open(&o); }
void table(void) { if (in_table < 0 || in_table > 7) return; buf[in_table] = 1; } /* quiet */
void local(void) { if (in_local < 0 || in_local > 7) return; buf[in_local] = 1; } /* quiet */
void vendor(void) { if (hal < 0 || hal > 7) return; buf[hal] = 1; } /* quiet */
void start(void) { xTaskCreate(worker, "w", 100, 0, 1, 0); attachInterrupt(2, pin, 1); }
void sorted(void) { qsort(v, 4, sizeof *v, less); }
void task(void) { if (n < 0 || n > 7) return; buf[n] = 1; } /* quiet */
void callback(void) { if (m < 0 || m > 7) return; buf[m] = 1; } /* quiet */
void called(void) { if (k < 0 || k > 7) return; buf[k] = 1; }
void once(void) { int x = n; if (x < 0 || x > 7) return; buf[x] = 1; }
`
	path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
	_, rep, _ := checkJSON(t, path, "--target", "cortex-m3", "--timeout", "4s")
	guessOnMarked(t, rep, text, "/* quiet */", isQuiet, func(c *verdict.Claim, _ string) bool {
		return c.Check == verdict.Termination || c.Status == verdict.Violated || c.Status == verdict.Unknown
	})
}

// TestQuietBehind: what a handler changes may be read through a pointer, or by a function that the handler calls, too.
func TestQuietBehind(t *testing.T) {
	const text = `struct ring { unsigned n; char b[8]; };
static volatile short ticks; static struct ring rx; static unsigned filled, own; static char buf[8];
void push(char c) { if (filled < 8) buf[filled++] = c; } /* quiet */
static void mine(char c) { if (own < 8) buf[own++] = c; }
static void tick(void) { ticks++; rx.n++; push(1); mine(1); }
TABLE
char top(const struct ring *r) { if (r->n == 0 || r->n > 8) return 0; return r->b[r->n - 1]; } /* quiet */
char once(const struct ring *r) { unsigned n = r->n; if (n == 0 || n > 8) return 0; return r->b[n - 1]; }
char app(void) { return top(&rx); } /* quiet */
volatile short *clock(void) { return &ticks; }
char other(const short *p) { return *p < 0 || *p > 7 ? 0 : buf[*p]; }
`
	for name, table := range map[string]string{
		"section":   `__attribute__((section(".isr_vector"), used)) void (*const vectors[])(void) = { 0, tick };`,
		"attribute": `__attribute__((interrupt)) void irq(void) { tick(); }`,
		"name":      `void uart_isr(void) { tick(); }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(text, "TABLE", table, 1)
			path := filepath.Join(writeTree(t, map[string]string{"a.c": text}), "a.c")
			_, rep, _ := checkJSON(t, path, "--target", "cortex-m3", "--timeout", "4s")
			guessOnMarked(t, rep, text, "/* quiet */", isQuiet, func(c *verdict.Claim, _ string) bool {
				return c.Check == verdict.Termination
			})
		})
	}
}
