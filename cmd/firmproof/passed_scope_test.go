package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// passedScopes are programs with locals whose declarations jumps pass by, or that stand behind a label: clang marks no
// scope for them, and nothing points to them.
var passedScopes = []struct {
	name, body string
	want       verdict.Status
}{
	{"jump into the block of a loop", "for (int i = 0; i < 2; i++) { if (i == 1) goto in; " +
		"{ int x; x = 1; in: if (x != 1) return 1; } }", verdict.Violated},
	{"jump into the block, which writes then", "for (int i = 0; i < 2; i++) { if (i == 1) goto in; " +
		"{ int x; x = 1; in: x = 2; if (x != 2) return 1; } }", verdict.Proved},
	{"jump back", "int i = 0; again: if (i == 1) goto in; { int x; x = 1; in: if (x != 1) return 1; } " +
		"if (i++ < 1) goto again;", verdict.Violated},
	{"case in a block", "int i = 0; while (i < 2) switch (i++) { case 0: { int x; x = 1; " +
		"case 1: if (x != 1) return 1; } }", verdict.Violated},
	{"case in a block, which writes then", "int i = 0; while (i < 2) switch (i++) { case 0: { int x; x = 1; " +
		"case 1: x = 2; if (x != 2) return 1; } }", verdict.Proved},
	{"in front of the cases", "int s = 0; for (int i = 0; i < 4; i++) switch (i) { int t; case 0: t = 1; s += t; break; " +
		"default: t = 2; s += t; } if (s > 9) return 1;", verdict.Proved},
	{"in front of the cases, of an earlier turn", "int n = 0; while (n < 2) switch (n) { int t; case 0: t = 7; n = 1; " +
		"break; default: if (t != 7) return 1; n = 2; }", verdict.Violated},
	{"an array in front of the cases, of an earlier turn", "int n = 0; while (n < 2) switch (n) { int t[2]; case 0: " +
		"t[0] = t[1] = 7; n = 1; break; default: if (t[n] != 7) return 1; n = 2; }", verdict.Violated},
	{"an address kept of what is in front of the cases", "int n = 0, *p = 0; while (n < 2) switch (n) { int t; case 0: " +
		"t = 7; p = &t; n = 1; break; default: if (*p != 7) return 1; n = 2; }", verdict.Unknown},
	{"an address used of what is in front of the cases", "int s = 0; for (int i = 0; i < 4; i++) switch (i) { " +
		"int t, *p; case 0: p = &t; *p = 1; s += t; break; default: p = &t; *p = 2; s += *p; } if (s > 9) return 1;",
		verdict.Unknown},
	{"jump back into the block", "int n = 0; { int x; if (n == 0) x = 5; in: if (n == 1 && x != 5) return 1; } n++; " +
		"if (n < 2) goto in;", verdict.Unknown},
	{"jump back into the block, which writes then", "int n = 0, s = 0; { int x; if (n == 0) x = 5; in: x = n; s += x; } " +
		"n++; if (n < 2) goto in; if (s > 9) return 1;", verdict.Proved},
	{"a value of clang's own, in a condition with jumps", "int s = 0; for (; ({ int more = s < 3; if (more && ({ " +
		"int x = s, *p = &x, y = 2; _Bool v = *p < 9 || y > 2; v; })) s++; else s += 2; more; }); ) ;", verdict.Proved},
	{"alloca in a block, used behind it", "int *p; { int *q = __builtin_alloca(8); q[1] = 3; p = q; } if (p[1] != 3) " +
		"return 1;", verdict.Proved},
	{"alloca in a block, read before it has a value", "int *p; { int *q = __builtin_alloca(8); q[1] = 3; p = q; } " +
		"if (p[0] != 3) return 1;", verdict.Violated},
	{"label in the block of a loop", "int i = 0; while (i < 3) { int x = 0; again: x++; if (x < 3) goto again; " +
		"if (x != 3) return 1; i++; }", verdict.Proved},
	{"behind a label", "int s = 0; for (int i = 0; i < 3; i++) { top: ; int y = i; if (y < 1 && s == 0) { s = 1; " +
		"goto top; } s += y; } if (s > 99) return 1;", verdict.Proved},
	{"behind a label, of an earlier turn", "int s = 0; for (int i = 0; i < 3; i++) { top: ; int y; if (i == 0) y = 1; " +
		"if (y == 1 && s == 0) { s = 1; goto top; } s += y; }", verdict.Violated},
	{"loop around cases", "unsigned k = 2, s = 0; switch (s) { case 0: do { unsigned t; t = 1; s += t; " +
		"case 1: t = 4; s += t; } while (--k > 0); } if (s > 99) return 1;", verdict.Proved},
}

// TestPassedScopes: such a local has no value each time that control enters its block.
func TestPassedScopes(t *testing.T) {
	for _, c := range passedScopes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := writeTree(t, map[string]string{"main.c": "int main(void) { " + c.body + " return 0; }\n"})
			_, rep, errs := checkJSON(t, filepath.Join(dir, "main.c"))
			if len(rep.Results) != 1 || rep.Results[0].Status != c.want {
				for _, r := range rep.Results {
					t.Errorf("%s, want %s", r.Status, c.want)
				}
				t.Error(len(rep.Results), errs)
			}
		})
	}
}
