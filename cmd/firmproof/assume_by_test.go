package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAssumeByParameter: a line of assume says which parameter counts, or ends, what another leads to. One that names none,
// or none that can, is an error.
func TestAssumeByParameter(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"src.c": `#include <stdint.h>
#include <stddef.h>
int fifth(const uint8_t *a, unsigned quantity, const uint8_t *z) { return quantity < 5 ? 0 : a[4] + (z != 0); }
int fourth(const uint8_t **pp, unsigned from, size_t *held, const uint8_t *z) { return *held < from + 4 ? 0 : (*pp)[from + 3] + (z != 0); }
int inside(const uint8_t *start, const uint8_t *p, const uint8_t *end) { return p >= start && p < end ? *p : 0; }
int counted(const uint8_t *p, unsigned n, const uint8_t *end) { return n > 3 && p < end ? p[3] : 0; }
`}), "src.c")
	for line, want := range map[string]verdict.Status{
		"fifth.a=quantity elements": verdict.Bounded, "fifth.a=quantity bytes": verdict.Bounded, "fifth.a=up to z": verdict.Violated,
		"fifth.a=4 elements": verdict.Violated, "fourth.*pp=*held bytes": verdict.Violated, "fourth.*pp=up to z": verdict.Violated,
	} {
		f, _, _ := strings.Cut(line, ".")
		_, rep, errs := checkJSON(t, file, "--target", "cortex-m3", "--function", f, "--assume", line)
		if len(rep.Results) != 1 || rep.Results[0].Status != want {
			t.Errorf("%s: want %s: %+v\n%s", line, want, rep.Results, errs)
		}
	}
	for line, want := range map[string]string{ // in the place of what the code compares
		"inside.p=8 elements": "p: 8 elements (as given)", "counted.p=n bytes": "p leads to as many elements as n says",
	} {
		f, _, _ := strings.Cut(line, ".")
		_, rep, errs := checkJSON(t, file, "--function", f, "--assume", line)
		if len(rep.Results) != 1 || !slices.Contains(verdict.TextsOf(rep.Results[0].Assumptions), want) {
			t.Errorf("%s: %+v\n%s", line, rep.Results, errs)
		}
	}
	for line, want := range map[string]string{
		"fifth.a=up to y": "has no parameter y", "fifth.a=up to quantity": "quantity is no pointer",
		"fifth.quantity=z bytes": "only what a parameter leads to", "fourth.a=z bytes": "only what a parameter leads to", "fourth.b=8 bytes": "has no argument or member b",
	} {
		f, _, _ := strings.Cut(line, ".")
		var out strings.Builder
		if code := runWith([]string{"check", file, "--function", f, "--assume", line}, &out, &out); code != exitUsage ||
			!strings.Contains(out.String(), want) {
			t.Errorf("%s: exit %d: %s", line, code, out.String())
		}
	}
}
