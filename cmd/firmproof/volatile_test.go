package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// driverC: %[1]s is what its object is, %[2]s the parameter that leads to it.
const driverC = `#include <stdint.h>
#include <stdbool.h>
enum st { IDLE, RUN, STOP };
struct drv { volatile enum st st, asked; volatile bool ready; volatile uint8_t mode, none, len; uint8_t n; };
%[1]s
static const char *const names[3] = { "idle", "run", "stop" };
static uint8_t buf[16];
void init(%[2]s) { d->st = IDLE; d->ready = false; d->mode = 0; }
void tick(%[2]s) { d->st = d->st == IDLE ? RUN : STOP; d->ready = true; d->mode = d->mode == 0 ? 1 : 2; d->n++; }
char name(%[2]s) { return *names[d->st]; }
char mode(%[2]s) { return *names[d->mode]; }
char asked(%[2]s) { return *names[d->asked]; }
int ready(%[2]s) { return d->ready ? 1 : 2; }
void receive(%[2]s, uint8_t len) { d->len = len; }
uint8_t received(%[2]s) { return buf[d->len]; }
uint8_t unset(%[2]s) { return buf[d->none]; }
uint8_t wrong(%[2]s) { return buf[d->mode + 14]; }
int end(%[2]s) { return d->mode / (2 - d->mode); }
`

// TestVolatileMembers: what the state of a driver is, in volatile members, nothing but the program says; another value is a
// condition, and no finding. What it stores without a limit, or never, is any; what fails by what it stores does.
func TestVolatileMembers(t *testing.T) {
	for _, c := range [][3]string{{"", "struct drv *d", "struct drv.mode is 0..2"},
		{"static struct drv x;\n#define d (&x)", "void", "x.mode is 0..2"}} {
		text := fmt.Sprintf(driverC, c[0], c[1])
		text = strings.ReplaceAll(text, "void, uint8_t len", "uint8_t len")
		dir := writeTree(t, map[string]string{"src.c": text})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
		expectCalls(t, rep, errs, map[string]anyCall{"init": {verdict.Proved, ""}, "tick": {verdict.Proved, ""},
			"name": {verdict.Conditional, "st is 0..2"}, "mode": {verdict.Conditional, c[2]},
			"asked": {verdict.Conditional, "asked is an enumerator of enum st"},
			"ready": {verdict.Proved, ""}, "receive": {verdict.Proved, ""},
			"received": {verdict.Violated, "out of bounds"}, "unset": {verdict.Violated, "out of bounds"},
			"wrong": {verdict.Violated, "out of bounds"}, "end": {verdict.Violated, "by zero"}}, assumptionTexts)
	}
}

// TestVolatileInMain: an entry that somebody wrote reads what the program stores, with a manifest and without, where a
// handler that it does not call stores, too, and with another number where the manifest says so. That other files store
// nothing else in a public variable is a condition.
func TestVolatileInMain(t *testing.T) {
	const text = `#include <stdint.h>
#include <stdbool.h>
enum mode { OFF, ON };
volatile bool ready;
volatile enum mode mode;
static volatile uint8_t ticks;
static volatile uint8_t level;
static int two[2];
void SysTick_Handler(void) { ticks = ticks == 9 ? 0 : ticks + 1; ready = true; level = %s; }
int main(void) {
    mode = ON;
    for (int i = 0; i < 3; i++)
        if (ready) two[mode] += two[level];
}
`
	for _, c := range []struct {
		level, manifest string
		status          verdict.Status
	}{
		{"1", "", verdict.Conditional}, {"2", "", verdict.Violated}, {"1", "version: 1\n", verdict.Conditional},
		{"2", "version: 1\n", verdict.Violated}, {"1", "version: 1\nvolatile: kept\n", verdict.Proved},
		{"1", "version: 1\nvolatile: any\n", verdict.Violated},
	} {
		files := map[string]string{"a.c": fmt.Sprintf(text, c.level)}
		if c.manifest != "" {
			files[".firmproof.yml"] = c.manifest + "targets: [cortex-m3]\nbuild: {sources: [a.c]}\nharnesses: [{entry: main}]\n"
		}
		dir := writeTree(t, files)
		args := []string{"--entry", "main", "--target", "cortex-m3", dir}
		if c.manifest == "" {
			args[4] = filepath.Join(dir, "a.c")
		}
		_, rep, errs := checkJSON(t, args...)
		if len(rep.Results) != 1 || rep.Results[0].Status != c.status {
			t.Errorf("level %s, %q: %d results, %s\n%s", c.level, c.manifest, len(rep.Results), rep.Results[0].Status, errs)
		}
	}
}

// pointersC: a queue of pointers whose indices handlers share. %s stands in front of what is taken out.
const pointersC = `#include <stdint.h>
#include <stddef.h>
struct msg { uint8_t len; };
static struct msg pool[4];
static struct msg *queue[4];
static volatile uint8_t head, tail;
static uint8_t other[256];
static volatile uint16_t samples[8];
static volatile uint8_t at;
static volatile uint32_t sum;
static volatile uint8_t many;
void push(unsigned i) {
    if (i < 4 && ((head + 1) & 3) != tail) { queue[head] = &pool[i]; head = (head + 1) & 3; }
}
uint8_t pop(void) {
    %s
    struct msg *m = queue[tail];
    tail = (tail + 1) & 3;
    return m->len;
}
void ADC_IRQHandler(uint16_t v) {
    v &= 0xfff;
    sum -= samples[at]; samples[at] = v; sum += v; at = (at + 1) & 7;
}
uint8_t bar(void) { return other[sum / 8 / 16]; }
void count(void) { many++; }
uint8_t counted(void) { return pool[many].len; }
`

// TestVolatileByCalls: what several volatile numbers and other variables are together, calls bring about and no read of each
// by itself. What the program computes from numbers of its own is not any number; what it counts is.
func TestVolatileByCalls(t *testing.T) {
	for check, status := range map[string]verdict.Status{
		"if (head == tail) return 0;": verdict.Unknown, "": verdict.Violated} {
		dir := writeTree(t, map[string]string{"src.c": fmt.Sprintf(pointersC, check)})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
		for i := range rep.Results {
			r := &rep.Results[i]
			want, known := map[string]verdict.Status{"pop": status, "bar": verdict.Unknown, "counted": verdict.Violated,
				"push": verdict.Proved, "count": verdict.Proved}[strings.TrimPrefix(r.Entry, "any call of ")]
			if known && r.Status != want {
				t.Errorf("%q: %s is %s, want %s\n%s", check, r.Entry, r.Status, want, errs)
			}
		}
		if len(rep.Results) != 6 {
			t.Errorf("%d results\n%s", len(rep.Results), errs)
		}
	}
}
