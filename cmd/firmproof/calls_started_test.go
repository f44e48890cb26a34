package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestStartedFirst: a function that asserts at its head what its module's variables do not hold at first is looked at for
// all values with which it does; what fails for some is a finding only by calls. What holds at first is the module's to keep.
func TestStartedFirst(t *testing.T) {
	const code = `#include <assert.h>
#include <stdint.h>
static int ready;
static uint8_t n, level, inverse = 255;
static uint8_t tab[8];
void start(void) { ready = 1; n = 0; }
void add(uint8_t c) { assert(ready); if (n < 8) tab[n++] = c; }
uint8_t last(void) { assert(ready); assert(n > 0); return tab[n - 1]; }
uint8_t at(uint8_t i) { assert(i < n); return tab[i]; }
uint8_t behind(uint8_t i) { assert(i < n); return tab[i + 1]; }
uint8_t never(int i) { assert(ready == 7); return tab[(uint8_t)i]; }
void set(uint8_t v) { level = v; inverse = v; }
uint8_t get(void) { assert((uint8_t)(level ^ inverse) == 255); return level; }
`
	_, rep, errs := checkJSON(t, filepath.Join(writeTree(t, map[string]string{"a.c": code}), "a.c"), "--checks", "memory,assert")
	want := map[string]verdict.Status{"start": verdict.Proved, "add": verdict.Proved, "last": verdict.Proved, "at": verdict.Proved,
		"behind": verdict.Violated, "never": verdict.Unknown, "set": verdict.Proved, "get": verdict.Violated}
	for i := range rep.Results {
		r := &rep.Results[i]
		f := strings.TrimPrefix(r.Entry, "any call of ")
		if r.Status != want[f] || r.Vacuous != nil {
			t.Errorf("%s is %s, want %s; vacuous: %v\n%s", f, r.Status, want[f], r.Vacuous, errs)
		}
	}
	if len(rep.Results) != len(want) {
		t.Errorf("%d results, want %d", len(rep.Results), len(want))
	}
}
