package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestMoments: a member that holds another number for a moment only is in the range that it is left in; where something
// may see it at that moment, or it may be left so, it is not.
func TestMoments(t *testing.T) {
	const src = `#include <stdint.h>
struct ring { uint8_t head, data[8]; };
static struct ring one;
void to(struct ring *r);
uint8_t at(struct ring *r) { return r->data[r->head]; }
`
	for name, c := range map[string]struct {
		put  string
		want verdict.Status
	}{
		"wraps":           {"void put(struct ring *r) { r->head++; if (r->head == 8) r->head = 0; }", verdict.Proved},
		"wraps late":      {"void put(struct ring *r) { r->head++; if (r->head == 9) r->head = 0; }", verdict.Violated},
		"at once":         {"void put(struct ring *r) { if (++r->head >= 8) r->head = 0; }", verdict.Proved},
		"of a variable":   {"void put(void) { one.head++; if (one.head == 8) one.head = 0; }", verdict.Proved},
		"backwards":       {"void put(struct ring *r) { if (r->head-- == 0) r->head = 7; }", verdict.Proved},
		"backwards, late": {"void put(struct ring *r) { if (r->head-- == 0) r->head = 8; }", verdict.Violated},
		"in a loop": {"void put(struct ring *r, int n) { while (n-- > 0) { r->head++; if (r->head == 8) r->head = 0; } }",
			verdict.Proved},
		"leaves the loop": {"void put(struct ring *r, int n) { for (;;) { r->head++; if (n-- == 0) break; " +
			"if (r->head == 8) r->head = 0; } }", verdict.Violated},
		"returns": {"void put(struct ring *r, int n) { r->head++; if (n) return; if (r->head == 8) r->head = 0; }",
			verdict.Violated},
		"is seen by a call": {"void put(struct ring *r) { r->head++; to(r); if (r->head == 8) r->head = 0; }",
			verdict.Violated},
		"is seen by another name": {"void put(struct ring *r, struct ring *q) { r->head++; q->head = q->head; " +
			"if (r->head == 8) r->head = 0; }", verdict.Violated},
		"is copied": {"void put(struct ring *r, struct ring *q) { r->head++; *q = *r; if (r->head == 8) r->head = 0; }",
			verdict.Violated},
		"another is mended": {"void put(struct ring *r, struct ring *q) { r->head++; if (r->head == 8) q->head = 0; }",
			verdict.Violated},
		"moves on": {"void put(struct ring *r) { r->head++; r = r + 1; if (r->head == 8) r->head = 0; }", verdict.Violated},
		"was another's": {"void put(struct ring *r, int n) { uint8_t *h = &r->head; r->head++; *h = 9; if (r->head == 8) " +
			"r->head = 0; }", verdict.Violated},
		"last one": {"void put(struct ring *r) { if (r->head < 7) r->head++; }\n" +
			"void drop(struct ring *r, int n) { for (int i = 0; i < r->head; i++) if (i == r->head - 1) r->head--; }",
			verdict.Proved},
		"not the last one": {"void put(struct ring *r) { if (r->head < 7) r->head++; }\n" +
			"void drop(struct ring *r, int n) { for (int i = 0; i <= r->head; i++) if (i == r->head) r->head--; }",
			verdict.Violated},
		"asked too late": {"void put(struct ring *r) { if (r->head < 7) r->head++; }\n" +
			"void drop(struct ring *r) { uint8_t was = r->head; to(r); if (was > 0) r->head--; }", verdict.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"src.c": src + c.put + "\n"})
			_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--stub", "*=havoc",
				"--function", "at")
			if len(rep.Results) != 1 || !meetsRange(rep.Results[0].Status, c.want) {
				t.Fatalf("want %s: %+v\n%s", c.want, rep.Results, errs)
			}
			said := strings.Join(verdict.TextsOf(rep.Results[0].Assumptions), "\n")
			if c.want == verdict.Proved && !strings.Contains(said, "r.head is 0..7: the program leaves nothing else there") &&
				name != "last one" {
				t.Errorf("not said:\n%s", said)
			}
		})
	}
}
