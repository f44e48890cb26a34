package main

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestOldPrototypes: calls under an older declaration, which passes less than the function takes, say nothing of what it is
// passed; they are not modelled themselves.
func TestOldPrototypes(t *testing.T) {
	dir := writeTree(t, map[string]string{"now.c": `enum kind { A, B };
struct s { int n; int of[4]; };
int divide(int a, int b) { return b > 0 ? a / b : 0; }
int at(int k, const int *p) { return k ? *p : 0; }
int kind(int x, enum kind k) { return k == A ? x : 1; }
int member(int x, const struct s *s) { return s->of[x & 3]; }
int through(int x, int (*f)(int)) { return f ? f(x) : 0; }
int all(const char *s, int k) { return k ? s[0] : 0; }
`, "old.c": `int divide(int), at(int), kind(int), member(int), through(), all(const char *);
int use_divide(void) { return divide(1); }
int use_at(void) { return at(1); }
int use_kind(void) { return kind(1); }
int use_member(void) { return member(1); }
int use_through(void) { return through(); }
int use_all(void) { return all("abc"); }
`})
	code, rep, errs := checkJSON(t, "--target", "cortex-m3", dir+"/now.c", dir+"/old.c")
	if code != exitUnknown || len(rep.Results) != 12 {
		t.Fatalf("exit %d, %d results: %s", code, len(rep.Results), errs)
	}
	for i := range rep.Results {
		r := &rep.Results[i]
		if uses := strings.Contains(r.Entry, "use_"); uses != (r.Status == verdict.Unknown) || r.Status == verdict.Violated {
			t.Errorf("%s: %s", r.Entry, r.Status)
		}
	}
}
