package contract

import (
	"errors"
	"strings"
	"testing"
)

// FuzzRewrite: clauses are rewritten or refused at their place.
func FuzzRewrite(f *testing.F) {
	f.Add("int f(int *p, int n) __CPROVER_requires(n > 0 && __CPROVER_is_fresh(p, n * 4)) __CPROVER_ensures(__CPROVER_return_value == __CPROVER_old(*p) ==> p[0] > 1) __CPROVER_assigns(*p, n > 1: p[1]; __CPROVER_object_whole(p)) { for (int i = 0; i < n; i++) __CPROVER_assigns(i) __CPROVER_loop_invariant(0 <= i && i <= n) __CPROVER_decreases(n - i) { p[i] = 0; } return 0; }")
	f.Add("void f(void) __CPROVER_ensures(__CPROVER_forall { int i; (0 <= i && i < 4) ==> a[i] == 0 });")
	f.Add("#define X(a) a ==> b\n#line 7 \"x.c\"\nvoid f(int *p) __CPROVER_frees(p) __CPROVER_requires((((((")
	f.Add("void f(void) { for (;;) __CPROVER_assigns() __CPROVER_loop_invariant(1) {") // no end
	f.Add("void f(void) { while (1) __CPROVER_loop_invariant(1) case 1 }")
	f.Add("void f(void) { while (1) __CPROVER_loop_invariant(1) do")
	f.Fuzz(func(t *testing.T, text string) {
		o := Options{Check: map[string]string{"f": "f"}, Replace: map[string]string{"g": "g"}, Loops: true, PtrBits: 32}
		out, err := Rewrite("a.c", []byte(text), o)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Line < 0 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if len(out) == 0 && strings.TrimSpace(text) != "" {
			t.Fatalf("nothing is left of %q", text)
		}
	})
}
