package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const enumC = `#include <stddef.h>
#include <stdint.h>
#include <string.h>
enum state { OFF, IDLE, RUN, FAULT };
enum odd { LOW = 0x10, MID = 0x20, TOP = 0x45 };
enum bits { A = 1, B = 2, C = 4, ALL = 7 };
enum neg { MINUS = -3, ZERO = 0 };
static const char names[4], few[3];
struct m { enum state s; uint8_t mode; };
struct n { enum state t; uint8_t kind; };
struct o { enum state u; int x; };
int name_of(enum state s) { return names[s]; }
int short_of(enum state s) { return few[s]; }
int odd_of(enum odd o) { return 10 / (o - 0x30); }
int odd_at(enum odd o) { return 10 / (o - 0x45); }
int bits_of(enum bits b) { return 10 / (b - 5); }
int neg_of(enum neg n) { return 10 / (n + 1) + 10 / (n - 1); }
int neg_at(enum neg n) { return 10 / (n + 3); }
int from_wire(struct n *n, uint8_t raw) { n->t = raw; return names[n->t & 3]; }
int wire_at(const struct n *n) { return names[n->t]; }
void to(struct m *m, enum state s) { m->s = s; }
int state_of(const struct m *m) { return names[m->s]; }
int given(const struct o *o) { return names[o->u]; }
static int passed(enum state s) { return names[s]; }
int caller(void) { return passed((enum state)9); }
struct r { enum state s1; uint8_t mode; };
static void to_raw(struct r *r, enum state s) { r->s1 = s; }
void received(struct r *r, uint8_t raw) { to_raw(r, raw); }
int raw_at(const struct r *r) { return names[r->s1]; }
struct h { enum state s2; uint8_t mode; };
static void to_hook(struct h *h, enum state s) { h->s2 = s; }
void (*volatile hook)(struct h *, enum state) = to_hook;
int hook_at(const struct h *h) { return names[h->s2]; }
struct c { enum state s3; uint8_t mode; };
static void to_const(struct c *c, enum state s) { c->s3 = s; }
void started(struct c *c) { to_const(c, RUN); }
int const_at(const struct c *c) { return names[c->s3]; }
struct set { unsigned base, limit, at; };
static const int table[8];
void place(struct set *s) { s->at = (s->limit & 7) + s->base; }
int placed(const struct set *s) { return table[s->at]; }
void pack(uint8_t *buf, size_t bufsz, const void *from, size_t n) {
  if (n <= bufsz) memcpy(buf, from, n);
  if (bufsz > n) buf[n] = 0;
}
struct node { int v; struct node *next; };
static struct node *nodes;
int add(struct node *n) {
  for (struct node *p = nodes; p; p = p->next) if (p == n) return -1;
  n->next = nodes, nodes = n;
  return 0;
}
void take(struct node *n) {
  for (struct node **p = &nodes; *p; p = &(*p)->next) if (*p == n) { *p = n->next; return; }
}
int walk(const struct node *n) { int s = 0; while (n) s ^= n->v, n = n->next; return s; }
int third(const struct node *n) { return n->next->next->next->v; }
`

// TestEnumerations: an enumeration is one of its enumerators, which are told apart unless they are bits to combine, or
// what the program stores or passes there; a member that nothing stores has any value; a length that is named after a
// buffer counts it; the links of a list that is walked end.
func TestEnumerations(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": enumC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "cortex-m3")
	want := map[string]anyCall{
		"name_of":   {verdict.Proved, "s is an enumerator of enum state"},
		"short_of":  {verdict.Violated, "array index 3 out of bounds"},
		"odd_of":    {verdict.Proved, "o is an enumerator of enum odd"},
		"odd_at":    {verdict.Violated, "by zero"},
		"bits_of":   {verdict.Violated, "by zero"},
		"neg_of":    {verdict.Proved, ""},
		"neg_at":    {verdict.Violated, "by zero"},
		"from_wire": {verdict.Proved, ""},
		"wire_at":   {verdict.Violated, "out of bounds"},
		"to":        {verdict.Proved, ""},
		"state_of":  {verdict.Proved, "m.s is an enumerator of enum state, or what the program stores there"},
		"given":     {verdict.Proved, ""},
		"caller":    {verdict.Violated, "array index 9 out of bounds"},
		"received":  {verdict.Proved, ""},
		"raw_at":    {verdict.Violated, "out of bounds"},
		"to_hook":   {verdict.Proved, ""},
		"hook_at":   {verdict.Violated, "out of bounds"},
		"started":   {verdict.Proved, ""},
		"const_at":  {verdict.Proved, "c.s3 is an enumerator of enum state"},
		"place":     {verdict.Proved, ""},
		"placed":    {verdict.Violated, "out of bounds"},
		"pack":      {verdict.Proved, "buf leads to as many elements as bufsz says"},
		"add":       {verdict.Proved, ""},
		"take":      {verdict.Proved, ""},
		"walk":      {verdict.Proved, "*n.next.next is null"},
		"third":     {verdict.Unknown, "how much *n.next.next leads to is a guess"},
	}
	expectCalls(t, rep, errs, want, assumptionTexts)
}

// TestEnumerationsInC: a harness in C assumes the same of enumerations as a generated one.
func TestEnumerationsInC(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": enumC,
		".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [src.c]}\n"})
	for f, want := range map[string]string{
		"name_of":  "firmproof_assume(0 <= s && s <= 3);",
		"odd_of":   "firmproof_assume(o == 16 || o == 32 || o == 69);",
		"state_of": "firmproof_assume(0 <= ((struct m *)m)->s && ((struct m *)m)->s <= 3);",
	} {
		var out bytes.Buffer
		if code := runWith([]string{"harness", f, dir}, &out, &out); code != 0 {
			t.Fatalf("%s: exit status %d\n%s", f, code, &out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "proofs", "src.c"))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: want %s in\n%s %v", f, want, text, err)
		}
	}
}

// TestEnumerationFromTable: a state that comes from a constant table of states keeps to what is there.
func TestEnumerationFromTable(t *testing.T) {
	const src = `enum state { IDLE, RUN, STOP };
struct machine { enum state s; };
static %s state next[2][3] = {{RUN, STOP, IDLE}, {IDLE, %s, RUN}};
static const int cost[3] = {1, 2, 3};
void step(struct machine *m, int event) { m->s = next[event != 0][m->s]; }
int costs(struct machine *m) { return cost[m->s]; }
`
	for _, c := range []struct {
		kind, last string
		want       verdict.Status
	}{
		{"const enum", "IDLE", verdict.Proved},
		{"const enum", "7", verdict.Violated},
		{"enum", "IDLE", verdict.Violated}, // it may change
		{"const volatile enum", "IDLE", verdict.Violated},
	} {
		dir := writeTree(t, map[string]string{"src.c": fmt.Sprintf(src, c.kind, c.last)})
		for _, target := range []string{"cortex-m3", "x86_64"} {
			_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target, "--function", "costs")
			if len(rep.Results) != 1 || !meetsRange(rep.Results[0].Status, c.want) {
				t.Errorf("%s, %s on %s: want %s: %+v\n%s", c.kind, c.last, target, c.want, rep.Results, errs)
			}
		}
	}
}
