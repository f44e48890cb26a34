package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// resultScopes are functions pick, called for any number, whose locals clang makes in the place of the result, and what
// is said of them; text is a part of the violated claim's check or of the reason.
var resultScopes = []struct {
	name, pick string
	want       verdict.Status
	text       string
}{
	{"written by two returns", "if (n == 0) { struct pair none; fill(&none, 2); return none; } return make(n);",
		verdict.Proved, ""},
	{"kept by a variable and used", "struct pair *last = 0; if (n < 2) { struct pair none; fill(last = &none, 2); " +
		"if (n) return none; } if (last) last->a = 1; return make(n);", verdict.Unknown, "place of the function's result"},
	{"kept by another function", "if (n < 2) { struct pair none; keep(&none); if (n) return none; } " +
		"if (kept) kept->a = 1; return make(n);", verdict.Unknown, "place of the function's result"},
	{"new in each turn", "for (int i = 0; i < 2; i++) { struct pair one; if (i == 0 || n > 3) fill(&one, 5); " +
		"if (one.b != 1) return make(0); if (i && n > 4) return one; } return make(n);",
		verdict.Violated, "uninitialised"},
	{"new in each turn, and filled", "for (int i = 0; i < 2; i++) { struct pair one; fill(&one, 5); " +
		"if (one.b != 1) return make(0); if (i && n > 4) return one; } return make(n);", verdict.Proved, ""},
	{"new in the next block", "if (n > 1) { struct pair one; fill(&one, 5); if (n > 4) return one; } if (n > 2) { " +
		"struct pair two; if (n > 3) fill(&two, 5); if (two.b == 1) return two; } return make(n);",
		verdict.Violated, "uninitialised"},
	{"new in the next block, and filled", "if (n > 1) { struct pair one; fill(&one, 5); if (n > 4) return one; } " +
		"if (n > 2) { struct pair two; fill(&two, 5); if (two.b == 1) return two; } return make(n);", verdict.Proved, ""},
}

// TestResultScopes holds the scopes of such locals to C's.
func TestResultScopes(t *testing.T) {
	for _, c := range resultScopes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := writeTree(t, map[string]string{"main.c": "struct pair { long a, b; } *kept;\nint nondet_int(void);\n" +
				"void fill(struct pair *p, long n) { p->a = n; p->b = 1; }\n" +
				"void keep(struct pair *p) { fill(p, 2); kept = p; }\n" +
				"struct pair make(long n) { struct pair p; fill(&p, n); return p; }\n" +
				"struct pair pick(long n) { " + c.pick + " }\n" +
				"int main(void) { struct pair p = pick(nondet_int()); return p.b == 1 ? 0 : *(int *)0; }\n"})
			_, rep, errs := checkJSON(t, filepath.Join(dir, "main.c"))
			if len(rep.Results) != 1 {
				t.Fatalf("%d results\n%s", len(rep.Results), errs)
			}
			r, said := rep.Results[0], ""
			if r.Reason != nil {
				said = r.Reason.Detail
			}
			for _, k := range r.Claims {
				if k.Reason != nil {
					said += k.Reason.Detail
				}
				if k.Status == verdict.Violated {
					said += string(k.Check)
				}
			}
			if r.Status != c.want || !strings.Contains(said, c.text) {
				t.Errorf("%s, %s; want %s, %s", r.Status, said, c.want, c.text)
			}
		})
	}
}
