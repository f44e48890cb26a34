package linear

/*
#cgo LDFLAGS: -lz3
#include <z3.h>

// fp_keep_sigint leaves the handler of SIGINT alone while the solver checks.
static void fp_keep_sigint(void *context, void *solver) {
	Z3_context c = context;
	Z3_params p = Z3_mk_params(c);
	Z3_params_inc_ref(c, p);
	Z3_params_set_bool(c, p, Z3_mk_string_symbol(c, "ctrl_c"), 0);
	Z3_solver_set_params(c, solver, p);
	Z3_params_dec_ref(c, p);
}
*/
import "C"

import (
	"reflect"
	"unsafe"

	"github.com/mitchellh/go-z3"
)

// keepSIGINT stops a check of s from installing Z3's own handler of SIGINT for the process: that one takes Ctrl-C from
// us, and checks side by side leave it behind with a pointer to a check that is over (Z3, issue 7603). It is a
// parameter of the solver alone, which go-z3 can neither set nor give out.
func keepSIGINT(c *z3.Context, s *z3.Solver) {
	raw := reflect.ValueOf(s).Elem().FieldByName("rawSolver")
	C.fp_keep_sigint(unsafe.Pointer(c.Z3Value()), raw.UnsafePointer())
}
