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
struct drv { volatile enum st st; volatile bool ready; volatile uint8_t mode, none, len; uint8_t n; };
%[1]s
static const char *const names[3] = { "idle", "run", "stop" };
static uint8_t buf[16];
void init(%[2]s) { d->st = IDLE; d->ready = false; d->mode = 0; }
void tick(%[2]s) { d->st = d->st == IDLE ? RUN : STOP; d->ready = true; d->mode = d->mode == 0 ? 1 : 2; d->n++; }
char name(%[2]s) { return *names[d->st]; }
char mode(%[2]s) { return *names[d->mode]; }
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
	for _, c := range [][3]string{{"", "struct drv *d", "struct drv.mode is 0..2"}, {"static struct drv x;\n#define d (&x)", "void", "x.mode is 0..2"}} {
		text := fmt.Sprintf(driverC, c[0], c[1])
		text = strings.ReplaceAll(text, "void, uint8_t len", "uint8_t len")
		dir := writeTree(t, map[string]string{"src.c": text})
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
		expectCalls(t, rep, errs, map[string]anyCall{"init": {verdict.Proved, ""}, "tick": {verdict.Proved, ""},
			"name": {verdict.Conditional, "is an enumerator of"}, "mode": {verdict.Conditional, c[2]},
			"ready": {verdict.Proved, ""}, "receive": {verdict.Proved, ""},
			"received": {verdict.Violated, "out of bounds"}, "unset": {verdict.Violated, "out of bounds"},
			"wrong": {verdict.Violated, "out of bounds"}, "end": {verdict.Violated, "by zero"}}, assumptionTexts)
	}
}

// TestVolatileInMain: an entry that somebody wrote reads what the program stores, with a manifest and without, where a
// handler that it does not call stores, too, and with another number where the manifest says so.
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
		{"1", "", verdict.Proved}, {"2", "", verdict.Violated}, {"1", "version: 1\n", verdict.Proved},
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
