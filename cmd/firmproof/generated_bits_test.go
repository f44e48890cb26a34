package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBitsOfCallers: what the program itself never puts into a member is its caller's input: a member that it only masks, a
// bit-field beside one that it stores. Bits that it copies there from elsewhere are its own.
func TestBitsOfCallers(t *testing.T) {
	dir := writeTree(t, map[string]string{"masked.c": `#include <stdint.h>
struct dev { uint8_t mode, rate; };
static uint8_t table[64];
void quiet(struct dev *d) { d->mode &= 0x3f; }
uint8_t masked(struct dev *d) { d->mode &= 0x7f; return table[d->mode]; }
uint8_t masked_ok(struct dev *d) { d->mode &= 0x3f; return table[d->mode]; }
`, "fields.c": `#include <stdint.h>
struct f { unsigned kind : 3, lane : 4, on : 1; };
static uint8_t lanes[8];
void start(struct f *f) { f->on = 1; }
uint8_t lane(const struct f *f) { return lanes[f->lane]; }
uint8_t lane_ok(const struct f *f) { return f->lane < 8 ? lanes[f->lane] : 0; }
uint8_t lane_of(struct f f) { return lanes[f.lane]; }
`, "copied.c": `#include <stdint.h>
struct f { uint8_t kind : 3, lane : 4, on : 1; };
static uint8_t lanes[8];
void copy(struct f *f, const uint8_t *from) { *(uint8_t *)f = (uint8_t)((*from & 0x38) | 0x80); }
uint8_t lane(const struct f *f) { return lanes[f->lane]; }
`})
	for _, target := range []string{"cortex-m3", "x86_64", "avr"} {
		_, rep, errs := checkJSON(t, filepath.Join(dir, "masked.c"), "--target", target, "--checks", "memory")
		expectCalls(t, rep, errs, map[string]anyCall{"quiet": {verdict.Proved, ""}, "masked": {verdict.Violated, "out of bounds"},
			"masked_ok": {verdict.Proved, ""}}, assumptionTexts)
		_, rep, errs = checkJSON(t, filepath.Join(dir, "fields.c"), "--target", target, "--checks", "memory")
		expectCalls(t, rep, errs, map[string]anyCall{"start": {verdict.Proved, ""}, "lane": {verdict.Violated, "out of bounds"},
			"lane_ok": {verdict.Proved, ""}, "lane_of": {verdict.Violated, "out of bounds"}}, assumptionTexts)
		_, rep, errs = checkJSON(t, filepath.Join(dir, "copied.c"), "--target", target, "--checks", "memory")
		expectCalls(t, rep, errs, map[string]anyCall{"copy": {verdict.Proved, ""}, "lane": {verdict.Unknown, ""}}, assumptionTexts)
	}
}
