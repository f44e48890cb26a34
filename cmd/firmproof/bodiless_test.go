package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBodiless: what holds behind a call of a function without a body, if that does no more than a stub, is conditional,
// and the stub that it names settles it. What fails there stays unknown.
func TestBodiless(t *testing.T) {
	const locked = `void os_lock(void *m);
static int table[8];
static unsigned depth;
int mutex;
void nest(unsigned k) { depth = k; }
int get(void) { if (depth > 7) return 0; os_lock(&mutex); return table[depth]; }
`
	const driven = `struct bus; struct ops { int (*send)(struct bus *, int); };
struct bus { const struct ops *ops; int id, n; };
int bus_wait(int *id, struct bus *b);
int get(struct bus *b, int v) { if (!bus_wait(&b->id, b)) return -1; if (b->n > 3 || b->n < 0) return -2; return (v & 7) / (b->n + 1); }
`
	for _, c := range []struct {
		name, text, stub string
		bad              bool
	}{
		{"a lock", locked, "os_lock=", false},
		{"a lock, one too many", strings.Replace(locked, "table[depth]", "table[depth + 1]", 1), "os_lock=nondet", true},
		{"a driver", driven, "bus_wait=", false},
		{"a driver, one too few", strings.Replace(driven, "b->n + 1)", "b->n)", 1), "bus_wait=nondet", true},
	} {
		for _, target := range []string{"host", "cortex-m3"} {
			dir := writeTree(t, map[string]string{"src.c": c.text})
			file := filepath.Join(dir, "src.c")
			_, rep, errs := checkJSON(t, file, "--target", target, "--function", "get")
			if len(rep.Results) != 1 {
				t.Fatalf("%s: %+v\n%s", c.name, rep.Results, errs)
			}
			r, want, after, stub := &rep.Results[0], verdict.Conditional, verdict.Proved, c.stub
			if c.bad {
				want, after = verdict.Unknown, verdict.Violated
			}
			if r.Status != want {
				t.Errorf("%s on %s: %s, want %s: %v", c.name, target, r.Status, want, r.Reason)
			}
			for _, a := range r.Assumptions {
				if a.Relation == verdict.Calls && a.Guessed() && strings.HasPrefix(stub, a.Subject+"=") && !c.bad {
					stub = a.Subject + "=" + a.Other
				}
			}
			_, rep, errs = checkJSON(t, file, "--target", target, "--function", "get", "--stub", stub)
			if len(rep.Results) != 1 || rep.Results[0].Status != after && rep.Results[0].Status != verdict.Conditional {
				t.Errorf("%s on %s with %s: %+v, want %s\n%s", c.name, target, stub, rep.Results, after, errs)
			}
		}
	}
}
