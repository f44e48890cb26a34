package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestMayAlias: pointers that are said to alias lead to one place, which is input like any; others stay apart. The advice
// how to run that for real says so, too.
func TestMayAlias(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"src.c": `#include <stdint.h>
struct node { struct node *next; int v; };
struct head { uint8_t len; uint8_t d[4]; };
int two(int *a, int *b, int *c) { *a = 4; *b = 0; *c = 0; return 8 / *a; }
int two_ok(int *a, int *b) { *a = 4; *b = 0; return *a ? 8 / *a : 0; }
int nodes(struct node *x, struct node *y) { x->v = 3; y->v = 0; return 6 / x->v; }
int member(struct node *x) { x->v = 3; if (x->next) x->next->v = 0; return 6 / x->v; }
int bytes(struct head *h, uint8_t *out, unsigned n) { h->len = 2; for (unsigned i = 0; i < n; i++) out[i] = 0; return 8 / h->len; }
`}), "src.c")
	for line, want := range map[string]verdict.Status{
		"two.a, two.b: may alias": verdict.Violated, "two.b, two.c: may alias": verdict.Conditional,
		"two_ok.a, two_ok.b: may alias": verdict.Proved, "nodes.x, nodes.y: may alias": verdict.Violated,
		"member.x, member.x.next: may alias": verdict.Violated, "bytes.h, bytes.out: may alias": verdict.Violated,
	} {
		f, _, _ := strings.Cut(line, ".")
		_, rep, errs := checkJSON(t, file, "--target", "x86_64", "--function", f, "--assume", line)
		if len(rep.Results) != 1 || rep.Results[0].Status != want {
			t.Errorf("%s: want %s: %+v\n%s", line, want, rep.Results, errs)
		}
	}
	for line, want := range map[string]string{
		"two.a: may alias": "two pointers or more", "two.a, nodes.x: may alias": "of one function",
		"two.a, two.z: may alias": "has no argument or member z", "two.a, two.b: 8 bytes": "has no argument or member a, two.b",
	} {
		var out strings.Builder
		if code := runWith([]string{"check", file, "--function", "two", "--assume", line}, &out, &out); code != exitUsage ||
			!strings.Contains(out.String(), want) {
			t.Errorf("%s: exit %d: %s", line, code, out.String())
		}
	}
}

// TestReplayAsChecked: the command that replays a violation says what the check was given.
func TestReplayAsChecked(t *testing.T) {
	var o outputs
	fl := &checkFlags{assume: []string{"f.a, f.b: may alias"}, stubs: []string{"g"}}
	fl.req.Include = []string{"inc"}
	o.about(fl, []string{"a.c"})
	o.args = []string{}
	var opts reports.TextOptions
	o.commands(&opts)
	if want := "firmproof replay a.c -I inc --assume 'f.a, f.b: may alias' --stub g"; opts.Replay != want {
		t.Errorf("got %s, want %s", opts.Replay, want)
	}
}
