package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestIntrinsics: the intrinsics of harnesses have their peers' meaning, under all
// names. Each body has one assertion, last, that holds, and fails in the twin whose
// condition is negated; most bodies declare nothing, as harnesses for the peers do.
func TestIntrinsics(t *testing.T) {
	cases := []struct{ name, declare, body, claim string }{
		{"firmproof", `#include "firmproof.h"`, "int x = firmproof_nondet_int(); firmproof_assume(x > 4);",
			"firmproof_assert(%s(x > 4), \"m\")"},
		{"firmproof havoc", `#include "firmproof.h"`, "char a[2] = {1, 1}; firmproof_havoc(a, 1);",
			"firmproof_assert(%s(a[1] == 1), \"m\")"},
		{"verifier", "", "int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 4);", "__VERIFIER_assert(%s(x > 4))"},
		{"verifier types", "",
			"unsigned char c = __VERIFIER_nondet_uchar(); short s = __VERIFIER_nondet_short(); unsigned long l = __VERIFIER_nondet_ulong(); long long k = __VERIFIER_nondet_longlong(); _Bool b = __VERIFIER_nondet_bool(); float f = __VERIFIER_nondet_float(); (void)l; (void)k; (void)f;",
			"__VERIFIER_assert(%s(c <= 255 && s <= 32767 && b <= 1))"},
		{"reach_error", "", "int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 4);",
			"if (!(%s(x > 4))) reach_error()"},
		{"verifier error", "", "int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 4);",
			"if (!(%s(x > 4))) __VERIFIER_error()"},
		{"cprover", "", "int x = nondet_int(); __CPROVER_assume(x > 4);", "__CPROVER_assert(%s(x > 4), \"m\")"},
		{"cprover ok", "#include <stdlib.h>",
			"char *p = malloc(5); if (!p) return 0; _Bool ok = __CPROVER_r_ok(p, 5) && __CPROVER_w_ok(p, 5) && __CPROVER_rw_ok(p + 1, 4) && !__CPROVER_r_ok(p, 6) && !__CPROVER_rw_ok(p + 1, 5); free(p);",
			"__CPROVER_assert(%s(ok && !0), \"m\")"},
		{"cprover const", "", "static const char c[3]; _Bool ok = __CPROVER_r_ok(c, 3) && !__CPROVER_w_ok(c, 3);",
			"__CPROVER_assert(%s(ok), \"m\")"},
		{"cprover object", "", "int a[4], b; int *p = a + (nondet_bool() ? 1 : 2);",
			"__CPROVER_assert(%s(__CPROVER_OBJECT_SIZE(p) == 16 && __CPROVER_POINTER_OFFSET(p) <= 8 && __CPROVER_same_object(p, a) && !__CPROVER_same_object(p, &b)), \"m\")"},
		{"cprover havoc", "", "int a[2] = {1, 2}, b = 3; __CPROVER_havoc_object(&a[1]); __CPROVER_assume(a[0] == 9);",
			"__CPROVER_assert(%s(a[0] == 9 && b == 3), \"m\")"},
		{"cprover slice", "",
			"char a[4] = {1, 2, 3, 4}; __CPROVER_havoc_slice(a + 1, 2); __CPROVER_assume(a[2] == 9);",
			"__CPROVER_assert(%s(a[0] == 1 && a[2] == 9 && a[3] == 4), \"m\")"},
		{"cprover array set", "", "int a[4]; __CPROVER_array_set(a, 3);",
			"__CPROVER_assert(%s(a[0] == 3 && a[3] == 3), \"m\")"},
		{"cprover array copy", "", "int a[3] = {1, 2, 3}, b[3]; __CPROVER_array_copy(b, a);",
			"__CPROVER_assert(%s(b[2] == 3 && __CPROVER_array_equal(a, b)), \"m\")"},
		{"cprover array replace", "", "int a[3] = {1, 2, 3}, b[2] = {7, 8}; __CPROVER_array_replace(a, b);",
			"__CPROVER_assert(%s(a[0] == 7 && a[1] == 8 && a[2] == 3), \"m\")"},
		{"klee", "#include <assert.h>", "int x; klee_make_symbolic(&x, sizeof x, \"x\"); klee_assume(x > 4);",
			"assert(%s(x > 4))"},
		{"klee range", "#include <assert.h>", "int x = klee_range(3, 6, \"x\"); int y = klee_int(\"y\"); (void)y;",
			"assert(%s(x >= 3 && x < 6))"},
		{"llbmc", "", "int x = __llbmc_nondef_int(); __llbmc_assume(x > 4);", "__llbmc_assert(%s(x > 4))"},
	}
	for _, c := range cases {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			for sign, want := range map[string]verdict.Status{"": verdict.Proved, "!": verdict.Violated} {
				text := fmt.Sprintf("%s\nint main(void) {\n%s\n%s;\nreturn 0; }\n", c.declare, c.body,
					fmt.Sprintf(c.claim, sign))
				rep, said := checkText(t, text, "--target", "x86_64", "--checks", "default,-leak,-uninitialised")
				found := false
				for _, cl := range rep.Results[0].Claims {
					if cl.Check == verdict.Assert && cl.Pos.Line == 4 {
						found = true
						if cl.Status != want {
							t.Errorf("with %q: %s, want %s: %v %s", sign, cl.Status, want, cl.Reason, said)
						}
					}
				}
				if !found {
					t.Errorf("no assertion: %s", said)
				}
			}
		})
	}
}
