package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestMade: what is open because only the program makes what a parameter leads to holds if the program makes it, and says
// so. What fails in such a run stays open. What holds where no call fails is conditional where one may.
func TestMade(t *testing.T) {
	const pool = `typedef void *pool_t;
struct pool { uint16_t cap, used; };
pool_t pool_create(void *mem, size_t bytes) {
	struct pool *p = mem;
	if (!mem || bytes < sizeof *p || bytes > 60000) return NULL;
	p->cap = (uint16_t)(bytes - sizeof *p);
	p->used = 0;
	return p;
}
uint8_t *get(pool_t h, uint16_t n) {
	struct pool *p = h;
	if (n == 0 || n > p->cap - p->used) return NULL;
	uint8_t *at = (uint8_t *)(p + 1) + p->used;
	p->used = (uint16_t)(p->used + n);
	at[n - 1] = 0;
	return at;
}
`
	const complement = `struct sv { uint8_t v, nv; };
void set(struct sv *s, uint8_t v) { s->v = v; s->nv = (uint8_t)(0xff - v); }
int part(struct sv *s, int d) { return d / (s->v - 3); }
static const int table[1] = {7};
int get(const struct sv *s) { return table[(uint8_t)(s->v + s->nv) - 0xff]; }
`
	for _, c := range []struct {
		name, text, says string
		want             verdict.Status
	}{
		{"a pool", pool, "h is as a call of pool_create leaves it, and at most one call since, of get", verdict.Conditional},
		{"a pool, too much", strings.Replace(pool, "p->cap - p->used", "p->cap", 1), "", verdict.Unknown},
		{"a pool that others fill", strings.Replace(pool, "pool_t pool_create", "static void *create", 1), "", verdict.Unknown},
		{"a call that fails", complement, "no call before it fails at ", verdict.Conditional},
		{"a call that breaks it", strings.Replace(complement, "0xff - v)", "0xfe - v)", 1), "", verdict.Violated},
	} {
		for _, target := range []string{"host", "cortex-m3"} {
			dir := writeTree(t, map[string]string{"src.c": "#include <stdint.h>\n#include <stddef.h>\n" + c.text})
			_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", target, "--function", "get", "--timeout", "20s")
			if len(rep.Results) != 1 {
				t.Fatalf("%s: %+v\n%s", c.name, rep.Results, errs)
			}
			r, said := &rep.Results[0], ""
			for _, a := range r.Assumptions {
				said += a.Text + "\n"
			}
			if r.Status != c.want || !strings.Contains(said, c.says) {
				t.Errorf("%s on %s: %s, want %s and %q: %v\n%s", c.name, target, r.Status, c.want, c.says, r.Reason, said)
			}
		}
	}
}
