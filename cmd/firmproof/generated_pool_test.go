package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestPools: a pointer that the code orders against a variable leads to an element of it; `assume` says so.
func TestPools(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"src.c": `#include <stdint.h>
struct msg { uint16_t id; uint8_t d[30]; };
static struct msg pool[8];
static uint8_t used[6];
static uint8_t heap[64];
int at(const struct msg *m) { return (int)(m - pool); }
void release(struct msg *m) { used[m - pool] = 0; }
void sized(struct msg *m) { if (m < pool || m >= pool + 8) return; if (m - pool < 6) used[m - pool] = 0; }
int next(struct msg *m) { return m < pool + 8 ? m[1].d[0] : 0; }
int both(struct msg *a, struct msg *b) { if (a < pool || b < pool) return 0; a->id = 1; b->id = 0; return 5 / a->id; }
void called(struct msg *m) { sized(m); }
void bytes(void *p) { if ((uint8_t *)p >= heap) *(uint8_t *)p = 1; }
`}), "src.c")
	status := func(f string, more ...string) verdict.Status {
		t.Helper()
		_, rep, errs := checkJSON(t, append([]string{file, "--target", "cortex-m3", "--function", f}, more...)...)
		if len(rep.Results) != 1 {
			t.Fatalf("%s: %s", f, errs)
		}
		return rep.Results[0].Status
	}
	for f, want := range map[string]verdict.Status{"at": verdict.Conditional, "release": verdict.Violated, "sized": verdict.Conditional,
		"next": verdict.Violated, "both": verdict.Violated, "called": verdict.Conditional} {
		if got := status(f); got != want {
			t.Errorf("%s: %s, want %s", f, got, want)
		}
	}
	for line, want := range map[string]verdict.Status{"sized.m=in pool": verdict.Proved, "release.m=in pool": verdict.Violated,
		"bytes.p=in heap": verdict.Proved} {
		if got := status(line[:strings.Index(line, ".")], "--assume", line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if got := status("called", "--assume", "pool=one block"); got != verdict.Proved {
		t.Errorf("pool: one block: %s", got)
	}
	var out strings.Builder
	for _, line := range []string{"at.m=in pond", "pond=one block"} {
		if code := runWith([]string{"check", file, "--function", "at", "--assume", line}, &out, &out); code != exitUsage ||
			!strings.Contains(out.String(), "the program defines no variable pond") {
			t.Errorf("%s: exit %d: %s", line, code, out.String())
		}
	}
	harness := filepath.Join(filepath.Dir(file), "proofs", "src.c")
	if code := runWith([]string{"harness", "release", file, "-o", harness}, &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	if text, _ := os.ReadFile(harness); !strings.Contains(string(text), "sizeof pool / 32") {
		t.Errorf("in C: %s", text)
	}
	if _, rep, errs := checkJSON(t, harness, "--target", "cortex-m3", "--entry", "release_harness"); len(rep.Results) != 1 ||
		rep.Results[0].Status != verdict.Violated {
		t.Errorf("in C: %+v %s", rep.Results, errs)
	}
}
