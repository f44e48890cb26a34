package sat

/*
#cgo LDFLAGS: -lcadical -lstdc++ -lm
#include <stdlib.h>
#include "shim.h"
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

	proving bool
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
	if o.Proof != "" {
		path := C.CString(o.Proof)
		defer C.free(unsafe.Pointer(path))
		c.proving = C.fp_prove(c.c, path) != 0
	}
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
	C.fp_option(c.c, n, C.int(v))
}

func (c *cadical) limit(name string, v int) {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	C.fp_limit(c.c, n, C.int(v))
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
	}
	assumptions := (*C.int)(unsafe.Pointer(unsafe.SliceData(c.hold)))
	n := C.long(len(c.hold))
	c.hold = c.hold[:0]
	switch C.fp_solve(c.c, assumptions, n) {
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
	// val answers lit when it is true and -lit otherwise
	return (C.fp_val(c.c, C.int(v)) > 0) == (l > 0)
}

func (c *cadical) failed(l Lit) bool { return C.fp_failed(c.c, C.int(l)) != 0 }

func (c *cadical) conflicts() int { return int(C.fp_conflicts(c.c)) }

func (c *cadical) terminate(stop bool) {
	v := C.int(0)
	if stop {
		v = 1
	}
	C.fp_stop(c.c, v)
}
