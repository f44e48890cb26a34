package sat

/*
#cgo LDFLAGS: -lcadical -lstdc++ -lm
#include <limits.h>
#include <stdlib.h>
#include <ccadical.h>

typedef struct { CCaDiCaL *solver; volatile int stop; long conflicts; } fp_cadical;

static int fp_stopped(void *state) { return ((fp_cadical *)state)->stop; }

// CaDiCaL hands over each clause that it learns: one for each conflict.
static void fp_learnt(void *state, int *clause) { ((fp_cadical *)state)->conflicts++; }

static fp_cadical *fp_new(void) {
	fp_cadical *c = calloc(1, sizeof *c);
	if (!c) abort();
	c->solver = ccadical_init();
	ccadical_set_terminate(c->solver, c, fp_stopped);
	ccadical_set_learn(c->solver, c, INT_MAX, fp_learnt);
	return c;
}

static void fp_free(fp_cadical *c) { ccadical_release(c->solver); free(c); }

static void fp_add(fp_cadical *c, const int *lits, long n) {
	for (long i = 0; i < n; i++) ccadical_add(c->solver, lits[i]);
}

static void fp_stop(fp_cadical *c, int stop) { __atomic_store_n(&c->stop, stop, __ATOMIC_RELAXED); }
*/
import "C"

import (
	"sort"
	"unsafe"
)

// cadical wraps the C interface; clauses go over in blocks, because one call
// from Go costs as much as adding a short clause.
type cadical struct {
	c    *C.fp_cadical
	maxv int // largest variable that CaDiCaL has seen
	hold []Lit
}

// sparse are intervals, in conflicts, between CaDiCaL's own simplifications. Its
// defaults suit one long question; here questions are many and short over one growing
// formula, and each would pay for going over all of it again.
var sparse = [...]struct {
	name  string
	every int
}{{"elimint", 20_000}, {"probeint", 20_000}, {"subsumeint", 40_000}}

func newCadical(o Options) *cadical {
	c := &cadical{c: C.fp_new()}
	names := make([]string, 0, len(o.Config))
	for name := range o.Config {
		names = append(names, name)
	}
	sort.Strings(names)
	c.option("quiet", 1)
	for _, p := range sparse {
		c.option(p.name, p.every)
	}
	for _, name := range names {
		c.option(name, o.Config[name])
	}
	if o.Seed != 0 {
		c.option("seed", o.Seed)
	}
	return c
}

func (c *cadical) option(name string, v int) {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	C.ccadical_set_option(c.c.solver, n, C.int(v))
}

func (c *cadical) limit(name string, v int) {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	C.ccadical_limit(c.c.solver, n, C.int(v))
}

func (c *cadical) release() { C.fp_free(c.c) }

func (c *cadical) add(lits []int32) {
	if len(lits) == 0 {
		return
	}
	for _, l := range lits {
		c.maxv = max(c.maxv, int(max(l, -l)))
	}
	C.fp_add(c.c, (*C.int)(unsafe.Pointer(&lits[0])), C.long(len(lits)))
}

func (c *cadical) assume(l Lit) { c.hold = append(c.hold, l) }

// forget drops assumptions that no solve will see.
func (c *cadical) forget() { c.hold = c.hold[:0] }

func (c *cadical) solve() Result {
	for _, l := range c.hold {
		c.maxv = max(c.maxv, int(max(l, -l)))
		C.ccadical_assume(c.c.solver, C.int(l))
	}
	c.hold = c.hold[:0]
	switch C.ccadical_solve(c.c.solver) {
	case 10:
		return Sat
	case 20:
		return Unsat
	}
	return Unknown
}

func (c *cadical) val(l Lit) bool {
	v := max(l, -l)
	if int(v) > c.maxv {
		return l < 0
	}
	// ccadical_val answers lit when it is true and -lit otherwise
	return (C.ccadical_val(c.c.solver, C.int(v)) > 0) == (l > 0)
}

func (c *cadical) failed(l Lit) bool { return C.ccadical_failed(c.c.solver, C.int(l)) != 0 }

func (c *cadical) conflicts() int { return int(c.c.conflicts) }

func (c *cadical) terminate(stop bool) {
	v := C.int(0)
	if stop {
		v = 1
	}
	C.fp_stop(c.c, v)
}
