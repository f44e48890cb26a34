package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

const leakCalledC = `#include <stdlib.h>
#include <string.h>
#include <stdint.h>
struct node { struct node *next; int value; };
struct list { struct node *head; };
struct text { char *at; unsigned n; };
int error_path(int x) { char *p = malloc(4); if (!p) return -1; if (x > 3) return 0; free(p); return 1; }
int error_path_ok(int x) { char *p = malloc(4); if (!p) return -1; if (x > 3) { free(p); return 0; } free(p); return 1; }
int second_fails(void) { char *a = malloc(4), *b = malloc(4); if (!a || !b) return -1; free(a); free(b); return 0; }
int second_fails_ok(void) { char *a = malloc(4), *b = malloc(4); free(a); free(b); return 0; }
char *grow(char *s) { char *p = malloc(4); if (!p) return 0; p = realloc(p, 8); return p; }
char *grow_ok(char *s) { char *p = malloc(4), *q; if (!p) return 0; q = realloc(p, 8); if (!q) free(p); return q; }
int out(char **to, int x) { char *p = malloc(4); if (!p || x < 0) return -1; *to = p; return 0; }
int out_ok(char **to, int x) { char *p = malloc(4); *to = p; return !p || x < 0; }
int add(struct list *l, int x) { struct node *n = malloc(sizeof *n); if (!n || !x) return -1; n->next = l->head; l->head = n; return 0; }
int add_ok(struct list *l, int x) { struct node *n = malloc(sizeof *n); if (!n) return -1; n->next = l->head; l->head = n; return 0; }
static struct node *all;
void known(void) { struct node *n = malloc(sizeof *n); if (n) n->next = all; }
void known_ok(void) { struct node *n = malloc(sizeof *n); if (n) { n->next = all; all = n; } }
struct node *copy(void) { struct node *n = malloc(sizeof *n), *m = 0; if (n) { n->next = 0; m = n->next; } return m; }
struct node *copy_ok(void) { struct node *n = malloc(sizeof *n); if (n) n->next = 0; return n; }
struct text made(int x) { struct text t = {0, 0}; char *p = malloc(4); if (x) t.at = p; return t; }
struct text made_ok(int x) { struct text t = {0, 0}; t.at = malloc(4); return t; }
static char *once;
char *cached_ok(void) { if (!once) once = malloc(4); return once; }
void destroy_ok(struct list *l) { char *p = malloc(1); free(p); free(l); }
void destroy(struct list *l) { l->head = malloc(sizeof(struct node)); free(l); }
uintptr_t key;
void hidden_open(void) { char *p = malloc(4); key = (uintptr_t)p * 3; }
int *inside;
void inside_ok(void) { struct node *n = malloc(sizeof *n); if (n) inside = &n->value; }
typedef void (*hook)(void *);
void hands_ok(hook h) { int *p = malloc(sizeof *p); if (p) { *p = 1; h(p); } }
void hands(hook h, int x) { int *p = malloc(sizeof *p); if (p && x) { *p = 1; h(p); } }
volatile uintptr_t dma;
char *volatile seen;
void shown_ok(void) { seen = malloc(4); }
static void *take(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
int wrapped(int x) { char *p = take(4); *p = 1; if (x) return 1; free(p); return 0; }
int wrapped_ok(int x) { char *p = take(4); *p = 1; free(p); return x; }
int ends_ok(int x) { char *p = malloc(4); if (x) exit(1); free(p); return 0; }
int turns(unsigned char n) { for (unsigned i = 0; i < (n & 3u); i++) if (!malloc(1)) return -1; return 0; }
int turns_ok(unsigned char n) { for (unsigned i = 0; i < (n & 3u); i++) free(malloc(1)); return 0; }
__attribute__((weak)) void told_ok(void *p) { (void)p; }
void tells_ok(void) { told_ok(malloc(4)); }
struct texts { char **at; unsigned n; };
int push(struct texts *t) {
  char *s = malloc(4), **more; if (!s) return -1;
  more = realloc(t->at, (t->n + 1u) * sizeof *more); if (!more) return -1; t->at = more; more[t->n++] = s; return 0;
}
int none(int x) { return x & 1; }
`

// leakOf returns the status of what a result says of leaks; empty where it is not asked.
func leakOf(r *verdict.Result) string {
	var all []string
	for _, c := range r.Claims {
		if c.Check == verdict.Leak {
			all = append(all, c.Status.String())
		}
	}
	return strings.Join(all, ", ")
}

// TestLeakCalled: a block that a function allocates is lost if no pointer leads to it when the function has returned. What
// its caller, or code that is not known, may free is not.
func TestLeakCalled(t *testing.T) {
	dir := writeTree(t, map[string]string{"src.c": leakCalledC})
	_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", "x86_64")
	if len(rep.Results) < 30 {
		t.Fatal(errs)
	}
	for i := range rep.Results {
		r := &rep.Results[i]
		name := strings.TrimPrefix(r.Entry, "any call of ")
		got := leakOf(r)
		switch {
		case name == "none" || name == "told_ok":
			if got != "" {
				t.Errorf("%s is asked: %s", name, got)
			}
		case strings.HasSuffix(name, "_open"):
			if got != "unknown" {
				t.Errorf("%s is %q, want unknown", name, got)
			}
		case strings.HasSuffix(name, "_ok"):
			if got != "proved" && got != "conditional" && got != "bounded" {
				t.Errorf("%s is %q, want that it holds", name, got)
			}
		case got != "violated":
			t.Errorf("%s is %q, want violated", name, got)
		}
	}
}

// TestLeakCalledAsked: generated harnesses ask where others do, on hosted targets and where somebody names the check.
func TestLeakCalledAsked(t *testing.T) {
	const text = "void *malloc(unsigned);\nvoid lose(void) { malloc(1); }\nint main(void) { malloc(1); return 0; }\n"
	dir := writeTree(t, map[string]string{"src.c": text})
	for _, c := range []struct {
		target, checks, function, want string
	}{
		{"cortex-m3", "default", "lose", ""},
		{"cortex-m3", "leak", "lose", "violated"},
		{"i386", "default", "lose", "violated"},
		{"i386", "default,-leak", "lose", ""},
		{"i386", "default", "main", ""}, // the end of the program takes it back
	} {
		_, rep, errs := checkJSON(t, filepath.Join(dir, "src.c"), "--target", c.target, "--checks", c.checks, "--function", c.function)
		if len(rep.Results) != 1 {
			t.Fatal(errs)
		}
		if got := leakOf(&rep.Results[0]); got != c.want || strings.Contains(errs, "not asked") {
			t.Errorf("%s, %s: %q, want %q\n%s", c.target, c.checks, got, c.want, errs)
		}
	}
}

// TestSimulationOfLeaks: a change that loses memory on some path, and its mend.
func TestSimulationOfLeaks(t *testing.T) {
	const head = "#include <stdlib.h>\n"
	const open = head + "int open(int x) {\n  char *p = malloc(4);\n  if (!p) return -1;\n  if (x > 3) {\n    free(p);\n    return 0;\n  }\n" +
		"  free(p);\n  return 1;\n}\n"
	const add = head + "struct node { struct node *next; int v; };\nint add(struct node *at, int v) {\n" +
		"  if (v < 0) return -2;\n  struct node *n = malloc(sizeof *n);\n  if (!n) return -1;\n  n->v = v;\n  n->next = at->next;\n" +
		"  at->next = n;\n  return 0;\n}\n"
	const held = head + "static char *held;\nint hold(int x) {\n  if (!held) held = malloc(4);\n  return held && x;\n}\n"
	for what, c := range map[string]struct {
		good, from, to string
		found          bool
	}{
		"an error path":     {open, "    free(p);\n    return 0;", "    return 0;", true},
		"a list":            {add, "  at->next = n;\n", "", true},
		"a check too late":  {add, "  n->v = v;\n", "  if (v > 100) return -3;\n  n->v = v;\n", true},
		"freed otherwise":   {open, "    free(p);\n    return 0;\n  }\n  free(p);\n  return 1;", "    x = 0;\n  }\n  free(p);\n  return x;", false},
		"held in a global":  {held, "return held && x", "return held && !x", false},
		"stored in another": {add, "n->next = at->next;\n  at->next = n;", "at->next = n;\n  n->next = 0;", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if out := thereAndBack(t, c.good, c.from, c.to, c.found); c.found && !strings.Contains(out, "is lost: no pointer leads to it") {
				t.Error(out)
			}
		})
	}
}
