package contract

import (
	"strings"
	"testing"
)

// TestFails: where a predicate may fail, because a formula can be true without it.
func TestFails(t *testing.T) {
	for clause, want := range map[string]bool{
		"is_fresh(p, 4)":                           false,
		"0 < n && is_fresh(p, 4) & x":              false,
		"p == 0 || is_fresh(p, 4)":                 false,
		"is_fresh(p, 4) || x":                      true,
		"(is_fresh(p, 4) && y) || x":               true,
		"!is_fresh(p, 4)":                          true,
		"!(x && is_fresh(p, 4))":                   true,
		"(q != 0 ? (is_fresh(p, 4)) : 1) & (a)":    false,
		"is_fresh(p, 4) ? x : y":                   true,
		"x ==> is_fresh(p, 4)":                     false,
		"is_fresh(p, 4) ==> x":                     true,
		"f(is_fresh(p, 4))":                        true,
		"is_fresh(p, 4) == x":                      true,
		"(x | y) & (is_fresh(p, 4)) & (z || y)":    false,
		"(a == b ? c : (x && (is_fresh(p, 4))))":   false,
		"({ int k = is_fresh(p, 4); k; })":         true,
		"!(x ? is_fresh(p, 4) : y)":                true,
		"t[is_fresh(p, 4)] && x":                   true,
		"x <==> is_fresh(p, 4)":                    true,
		"(x == y) && z ==> (is_fresh(p, 4) & (w))": false,
	} {
		src := "void f(int *p) __CPROVER_requires(" + strings.ReplaceAll(clause, "is_fresh", "__CPROVER_is_fresh") +
			");"
		out, err := Rewrite("a.c", []byte(src), Options{Check: map[string]string{"f": "f"}})
		if err != nil {
			t.Fatalf("%s: %v", clause, err)
		}
		_, out2, _ := strings.Cut(string(out), "__firmproof_check_f")
		if got := strings.Contains(out2, "firmproof_contract_may_fail++"); got != want {
			t.Errorf("%s: may fail: %v", clause, got)
		}
	}
}

// TestOperators: precedence and grouping of ==> and <==>.
func TestOperators(t *testing.T) {
	for in, want := range map[string]string{
		"g(a ==> b);":          "g((!(a) || (b)));",
		"g(a ==> b ==> c, d);": "g((!(a) || ((!(b) || (c)))),d);",
		"return a || b ==> c;": "return(!(a||b) || (c));",
		"x = (a ==> b) && c;":  "x =((!(a) || (b)))&&c;",
		"g(a <==> b ==> c);":   "g((!(a) == !((!(b) || (c)))));",
		"s = \"a ==> b\";":     "s =\"a ==> b\";",
		"f(__CPROVER_forall { int i; 0 <= i && i < 3 ==> t[i] });":                     "for (int i = (0); i < (3); i++)",
		"f(__CPROVER_forall { int i; 0<=i && i<8 && i!=k ==> t[i] });":                 "for (int i = (0); i < (8); i++)",
		"f(__CPROVER_forall { int i; ((int)(0) <= (i) && (i) < (int)(8)) ==> t[i] });": "for (int i = ((int)(0)); i < ((int)(8)); i++)",
		"f(__CPROVER_forall { int i; (2 < i && n > i) && i<8 ==> t[i] });":             "for (int i = ((2) + 1); i < (n) && i < (8); i++)",
		"f(__CPROVER_exists { int i; 0<=i && i<8 && i!=k && t[i] });":                  "for (int i = (0); i < (8); i++)",
	} {
		out, err := Rewrite("a.c", []byte("void h(void) { "+in+" }"), Options{})
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		_, body, _ := strings.Cut(string(out), "void h(void)")
		squeeze := strings.NewReplacer(" ", "", "\n", "")
		if !strings.Contains(squeeze.Replace(body), squeeze.Replace(want)) {
			t.Errorf("%s: %s, want %s", in, body, want)
		}
	}
}

// TestObjectComparisons: only where it is a whole operand does a comparison of objects become a question.
func TestObjectComparisons(t *testing.T) {
	for in, want := range map[string]string{
		"g(O(p) != O(q + 1) || c);":        "g((!firmproof_contract_same(p, q+1)) || c);",
		"return O(p) == O(O(q)[0]) ==> c;": "return(!(firmproof_contract_same(p,O(q)[0])) || (c));",
		"x = n + O(p) == O(q);":            "x =n+O(p)==O(q);",
		"x = O(p) == O(q) + 1;":            "x =O(p)==O(q)+1;",
		"x = (char)O(p) == O(q);":          "x =(char)O(p)==O(q);",
		"x = !O(p) == O(q);":               "x =!O(p)==O(q);",
		"x = O(p) == n; y = O(q) < 3;":     "x =O(p)==n; y =O(q)<3;",
	} {
		long := strings.NewReplacer("O(", "__CPROVER_POINTER_OBJECT(")
		out, err := Rewrite("a.c", []byte(long.Replace("void h(void) { "+in+" }")), Options{})
		if err != nil {
			t.Fatalf("%s: %v", in, err)
		}
		_, body, _ := strings.Cut(string(out), "void h(void)")
		squeeze := strings.NewReplacer(" ", "", "\n", "")
		if !strings.Contains(squeeze.Replace(body), squeeze.Replace(long.Replace(want))) {
			t.Errorf("%s: %s, want %s", in, body, want)
		}
	}
}

// TestErrors: what has no meaning is refused with its place.
func TestErrors(t *testing.T) {
	asked := Options{Check: map[string]string{"f": "f"}, Replace: map[string]string{"s": "s"}, Loops: true}
	targets := strings.Repeat("t[1], ", maxTargets-1) + "t[2]"
	pointers := strings.Repeat("p, ", 7) + "p"
	for src, want := range map[string]string{
		"\nvoid f(int *) __CPROVER_requires(1);":                                               "a.c:2:7: a parameter of f has no name",
		"void f(int *p)\n __CPROVER_assigns(targets(p));":                                      "a.c:2:20: the target targets(...) of an assigns clause is not followed",
		"void f(int *p) {\n do { *p++ = 0; } while (p) __CPROVER_loop_invariant(1);\n}":        "a.c:2:2: a loop with an invariant has no assigns clause, and what it writes is not plain",
		"void f(int **p) {\n while (p) __CPROVER_loop_invariant(1) **p = 0;\n}":                "a.c:2:2: a loop with an invariant has no assigns clause, and what it writes is not plain",
		"void f(struct s v) {\n while (v.p) __CPROVER_loop_invariant(1) v.p[0] = 0, ++v.p;\n}": "a.c:2:2: a loop with an invariant has no assigns clause, and what it writes is not plain",
		"void f(void (*g)(void))\n __CPROVER_requires_contract(g, c);":                         "a.c:2:2: contracts of function pointers (requires_contract) are not followed",
		"void f(int *p) {\n g(__CPROVER_forall { int i; p[i] == 0 }); }":                       "a.c:2:4: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8 || c ==> t[i] }); }":      "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i != 8 ==> t[i] }); }":          "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8 && t[i] }); }":            "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < t[i] ==> t[i] }); }":        "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < c == 1 ==> t[i] }); }":      "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_exists { int i; 0 <= i && i < 8 ==> t[i] }); }":           "a.c:1:19: __CPROVER_exists over i: the body does not begin with bounds of i (lower <= i && i < upper && ...)",
		"# 7 \"b.h\"\nvoid f(int *p) __CPROVER_ensures(__CPROVER_is_fresh(p));":                "b.h:7:34: __CPROVER_is_fresh has 1 arguments, want 2",
		"void f(int n) {\n for (n; n) __CPROVER_assigns(n) __CPROVER_loop_invariant(n) n--; }": "a.c:2:2: a for loop of this form cannot have a contract",
		"void f(int n) {\n while (n) __CPROVER_assigns(n) __CPROVER_frees(n) n--; }":           "a.c:2:33: a frees clause of a loop is not followed",
		"void f(int n) __CPROVER_requires(({ while (n) __CPROVER_assigns(n) n--; n; }));":      "a.c:1:37: a loop with a contract stands inside of a clause",
		"void g(void) { h(__CPROVER_forall); }":                                                "a.c:1:18: __CPROVER_forall is not followed by { declaration; expression }",
		"void g(void) { h(__CPROVER_exists (int i; i)); }":                                     "a.c:1:18: __CPROVER_exists is not followed by { declaration; expression }",
		"int k = __CPROVER_forall { int i; 0 <= i && i < 8 ==> k":                              "a.c:1:9: __CPROVER_forall is not followed by { declaration; expression }",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8 & c ==> t[i] }); }":       "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < t[1] & c ==> t[i] }); }":    "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8 <==> t[i] }); }":          "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && (i < 8 ? c : 1) ==> t[i] }); }": "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8, c ==> t[i] }); }":        "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < c++ ==> t[i] }); }":         "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && c-- > i ==> t[i] }); }":         "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && 3 < i < 9 ==> t[i] }); }":       "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; i < 8 ==> t[i] }); }":                     "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(void) { h(__CPROVER_exists { int i, i }); }":                                   "a.c:1:18: __CPROVER_exists has no declaration",
		"void f(int *t) __CPROVER_assigns(" + targets +
			", t[3]);": "a.c:1:418: an assigns clause has more than 64 targets",
		"void s(int *p) __CPROVER_frees(p);": "a.c:1:16: a frees clause of a contract that stands for its function is not followed",
		"void f(int *p) __CPROVER_frees(" + pointers +
			", p);": "a.c:1:16: a frees clause with conditions, or more than 8 pointers, is not followed",
		"void f(int *p) __CPROVER_frees(p: p);":                           "a.c:1:16: a frees clause with conditions, or more than 8 pointers, is not followed",
		"void f(int *p) __CPROVER_frees(p; p);":                           "a.c:1:16: a frees clause with conditions, or more than 8 pointers, is not followed",
		"void f(int *p) __CPROVER_requires;":                              "a.c:1:16: __CPROVER_requires has no parenthesis",
		"void f(int *p) __CPROVER_assigns(__CPROVER_typed_target(g(p)));": "a.c:1:57: the target g(...) of an assigns clause is not followed",
		"void f(int *p, int a[], int (*)(int)) __CPROVER_requires(1);":    "a.c:1:7: a parameter of f has no name",
		"void f(unsigned) __CPROVER_requires(1);":                         "a.c:1:7: a parameter of f has no name",
		"void f(const struct s *) __CPROVER_requires(1);":                 "a.c:1:7: a parameter of f has no name",
		"int k = __CPROVER_old(k);":                                       "a.c:1:9: __CPROVER_old stands outside of a clause",
	} {
		_, err := Rewrite("a.c", []byte(src), asked)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	for _, src := range []string{
		"void h(void) { __CPROVER_assert(); }",
		"void f(int *t) __CPROVER_assigns(" + targets + ") __CPROVER_frees(" + pointers + ");",
		"void f(int *p, const int n, struct s *const q, int *a[2], int (*const less)(int)) __CPROVER_requires(1);",
	} {
		if _, err := Rewrite("a.c", []byte(src), asked); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
	if _, err := Rewrite("a.c",
		[]byte("void f(int *) __CPROVER_requires(1);\nvoid g(void) { do { } while (0) __CPROVER_decreases(1); }"),
		Options{}); err != nil {
		t.Errorf("contracts that nobody asked for: %v", err)
	}
}
