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
		"f(__CPROVER_forall { int i; 0 <= i && i < 3 ==> t[i] });":         "for (int i = (0); i < (3); i++)",
		"f(__CPROVER_forall { int i; 0<=i && i<8 && i!=k ==> t[i] });":     "for (int i = (0); i < (8); i++)",
		"f(__CPROVER_forall { int i; (2 < i && n > i) && i<8 ==> t[i] });": "for (int i = ((2) + 1); i < (n) && i < (8); i++)",
		"f(__CPROVER_exists { int i; 0<=i && i<8 && i!=k && t[i] });":      "for (int i = (0); i < (8); i++)",
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

// TestErrors: what has no meaning is refused with its place.
func TestErrors(t *testing.T) {
	asked := Options{Check: map[string]string{"f": "f"}, Loops: true}
	for src, want := range map[string]string{
		"\nvoid f(int *) __CPROVER_requires(1);":                                          "a.c:2:7: a parameter of f has no name",
		"void f(int *p)\n __CPROVER_assigns(targets(p));":                                 "a.c:2:20: the target targets(...) of an assigns clause is not followed",
		"void f(int *p) {\n do { p++; } while (p) __CPROVER_loop_invariant(1);\n}":        "a.c:2:14: the contract of a do loop is not followed",
		"void f(void (*g)(void))\n __CPROVER_requires_contract(g, c);":                    "a.c:2:2: contracts of function pointers (requires_contract) are not followed",
		"void f(int n) {\n while (n) __CPROVER_loop_invariant(n > 0) n--;\n}":             "a.c:2:2: a loop with an invariant has no assigns clause: what it may write is not guessed",
		"void f(int *p) {\n g(__CPROVER_forall { int i; p[i] == 0 }); }":                  "a.c:2:4: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8 || c ==> t[i] }); }": "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i != 8 ==> t[i] }); }":     "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < 8 && t[i] }); }":       "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < t[i] ==> t[i] }); }":   "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_forall { int i; 0 <= i && i < c == 1 ==> t[i] }); }": "a.c:1:19: __CPROVER_forall over i: the body does not begin with bounds of i (lower <= i && i < upper ==> ...)",
		"void g(int c) { h(__CPROVER_exists { int i; 0 <= i && i < 8 ==> t[i] }); }":      "a.c:1:19: __CPROVER_exists over i: the body does not begin with bounds of i (lower <= i && i < upper && ...)",
		"# 7 \"b.h\"\nvoid f(int *p) __CPROVER_ensures(__CPROVER_is_fresh(p));":           "b.h:7:34: __CPROVER_is_fresh has 1 arguments, want 2",
		"int k = __CPROVER_old(k);": "a.c:1:9: __CPROVER_old stands outside of a clause",
	} {
		_, err := Rewrite("a.c", []byte(src), asked)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
	if _, err := Rewrite("a.c",
		[]byte("void f(int *) __CPROVER_requires(1);\nvoid g(void) { do { } while (0) __CPROVER_decreases(1); }"),
		Options{}); err != nil {
		t.Errorf("contracts that nobody asked for: %v", err)
	}
}
