package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSVComp asks for the last line on tasks whose answer must not be guessed.
func TestSVComp(t *testing.T) {
	const reach, mem, deref, cleanup, overflow = "G ! call(reach_error())", "G valid-memtrack", "G valid-deref",
		"G valid-memcleanup", "G ! overflow"
	const heap = "void *malloc(unsigned long);\nvoid exit(int);\nvoid *keep;\n"
	const list = heap + "void __VERIFIER_error(void);\nint __VERIFIER_nondet_int(void);\n" +
		"struct node { int v; struct node *n; } *head;\nint main(void) { struct node *p;\n" +
		"while (__VERIFIER_nondet_int()) { p = malloc(sizeof *p); p->v = 0; p->n = head; head = p; }\np = head; "
	for _, c := range []struct{ name, property, program, want string }{
		{"reached", reach, "void reach_error(void) {}\nint main(void) { reach_error(); return 0; }",
			"FALSE(unreach-call)"},
		{"not reached", reach,
			"void reach_error(void) {}\nint main(void) { int x = 2; if (x > 3) reach_error(); return 0; }", "TRUE"},
		{"error is a label", reach, "int main(void) { int x = 2; if (x == 2) { ERROR: goto ERROR; } return 0; }",
			"FALSE(unreach-call)"},
		{"label not reached", reach,
			"int main(void) { int x = 2; if (x == 3) goto ERROR; return 0;\nERROR:\n return 1; }", "TRUE"},
		{"lost", mem, "void *malloc(unsigned long);\nint main(void) { malloc(4); return 0; }", "FALSE(valid-memtrack)"},
		{"tracked by a global", mem, heap + "int main(void) { keep = malloc(4); return 0; }", "TRUE"},
		{"no longer tracked by a global", mem, heap + "int main(void) { keep = malloc(4); keep = 0; return 0; }",
			"FALSE(valid-memtrack)"},
		{"tracked by a caller at exit", mem,
			heap + "static void f(void) { exit(0); }\nint main(void) { int *p = malloc(4); if (p) f(); return *p; }",
			"TRUE"},
		{"not cleaned up", cleanup, heap + "int main(void) { keep = malloc(4); return 0; }", "FALSE(valid-memcleanup)"},
		{"not cleaned up where an error ends the program", cleanup,
			heap + "void __VERIFIER_error(void);\nvoid free(void *);\nint main(void) { keep = malloc(4); if (keep) __VERIFIER_error(); free(keep); return 0; }", "FALSE(valid-memcleanup)"},
		{"not cleaned up at abort", cleanup,
			heap + "void abort(void);\nvoid free(void *);\nint main(void) { keep = malloc(4); if (keep) abort(); free(keep); return 0; }", "UNKNOWN"},
		{"a list of any length, tracked at an error call", mem,
			list + "for (; p; p = p->n) if (p->v) __VERIFIER_error(); return head != 0; }", "TRUE"},
		{"a list of any length, lost at an error call", mem,
			list + "if (p) { head = p = 0; __VERIFIER_error(); } return 0; }", "FALSE(valid-memtrack)"},
		{"misaligned", deref, "int main(void) { char b[8]; int *p = (int *)(b + 1); *p = 1; return b[1] == 0; }",
			"TRUE"},
		{"misaligned and outside", deref,
			"int main(void) { char b[8]; int *p = (int *)(b + 5); *p = 1; return b[1] == 0; }", "FALSE(valid-deref)"},
		{"a label in a text", deref, "char *s;\nint main(void) { s = \"ERROR: none\"; return s[0] == 0; }", "TRUE"},
		{"overflow of constants", overflow, "int main(void) { int x = 1073741824 * 2; return x == 0; }",
			"FALSE(no-overflow)"},
		{"past a shift too far", reach,
			"void reach_error(void) {}\nint __VERIFIER_nondet_int(void);\nint main(void) { int n = __VERIFIER_nondet_int(), y = 1 << n; if (n == 40) reach_error(); return y == 0; }", "FALSE(unreach-call)"},
		{"not past a mask", reach,
			"void reach_error(void) {}\nint __VERIFIER_nondet_int(void);\nint main(void) { int n = __VERIFIER_nondet_int() & 31, y = 1 << n; if (n == 40) reach_error(); return y == 0; }", "TRUE"},
		{"a shift too far gives any value", reach,
			"void reach_error(void) {}\nint __VERIFIER_nondet_int(void);\nint main(void) { int n = 40, y = 1 << n; if (y != 0) reach_error(); return 0; }", "FALSE(unreach-call)"},
		{"unreachable code is reached", reach,
			"void reach_error(void) {}\nint __VERIFIER_nondet_int(void);\nint main(void) { if (__VERIFIER_nondet_int() == 3) __builtin_unreachable(); return 0; }", "UNKNOWN"},
		{"unreachable code is not reached", reach,
			"void reach_error(void) {}\nint __VERIFIER_nondet_int(void);\nint main(void) { int n = __VERIFIER_nondet_int() & 1; if (n == 3) __builtin_unreachable(); return 0; }", "TRUE"},
		{"a trap ends the program", reach,
			"void reach_error(void) {}\nint __VERIFIER_nondet_int(void);\nint main(void) { int n = __VERIFIER_nondet_int(); if (n == 3) __builtin_trap(); if (n == 3) reach_error(); return 0; }", "TRUE"},
		{"an argument", deref,
			"int main(int argc, char **argv) { if (argc != 2) return 0; return argv[1][0] ? argv[1][1] : 0; }", "TRUE"},
		{"behind an argument", deref,
			"int main(int argc, char **argv) { if (argc != 2) return 0; return argv[1][1]; }", "FALSE(valid-deref)"},
		{"more arguments than there are", deref, "int main(int argc, char **argv) { return argv[argc - 1][0]; }",
			"UNKNOWN"},
		{"overflow of an initialiser", overflow, "int x = 1073741824 * 2;\nint main(void) { return x == 0; }",
			"FALSE(no-overflow)"},
		{"overflow of an initialiser that nothing uses", overflow,
			"int x = 1073741824 * 2;\nint main(void) { return 0; }", "TRUE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file, spec := filepath.Join(dir, "task.c"), filepath.Join(dir, "task.prp")
			for name, text := range map[string]string{file: c.program + "\n", spec: "CHECK( init(main()), LTL(" +
				c.property + ") )\n"} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			runWith([]string{"svcomp", "--spec", spec, "--data-model", "LP64", file}, &out, &errs)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if got := lines[len(lines)-1]; got != c.want {
				t.Errorf("got %s, want %s\n%s%s", got, c.want, out.String(), errs.String())
			}
		})
	}
}

// TestMarkErrorLabels: only labels are marked, not what looks like one.
func TestMarkErrorLabels(t *testing.T) {
	for in, want := range map[string]string{
		`f(); ERROR: return;`:                   `f(); ERROR: __VERIFIER_error(); return;`,
		"{ERROR :;}":                            "{ERROR : __VERIFIER_error();;}",
		"a: /* x */ ERROR: ;":                   "a: /* x */ ERROR: __VERIFIER_error(); ;",
		`switch (x) { case ERROR: break; }`:     "",
		`x = y ? ERROR : 2;`:                    "",
		`puts("; ERROR: no"); // ; ERROR: none`: "",
		`/* ; ERROR: */ MY_ERROR: ; c = '"';`:   "",
	} {
		n := 1
		if want == "" {
			n, want = 0, in
		}
		if got, k := markErrorLabels(in); got != want || k != n {
			t.Errorf("%s: got %q with %d labels", in, got, k)
		}
	}
}
