package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// narrowedCases are functions that fail by contents which the program itself stores, or in front of a block, and the
// line of `assume` that says where they do no harm; empty: there is none, or calls bring the failure about.
var narrowedCases = []struct {
	name, text, function, place, line string
	violated                          bool
}{
	{"a counter", `struct s { int n; };
void up(struct s *s) { s->n++; }`, "up", "s.n", "-2147483648..2147483646", false},
	{"a counter that a call sets", `struct s { int n; };
void set(struct s *s, int n) { s->n = n; }
void up(struct s *s) { s->n++; }`, "up", "", "", true},

	{"an index that moves", `struct s { unsigned at, by; }; static const int t[12] = {1};
extern struct s *all; struct s *find(void) { return all; }
void next(struct s *s, unsigned k) { s->at += s->by; if (k) s->at = 0; s->by = k & 1; }
int get(const struct s *s) { return t[s->at]; }`, "get", "s.at", "0..11", false},
	{"an index that nothing keeps", `struct s { unsigned char at; }; static const int t[12] = {1};
void seek(struct s *s, unsigned char k) { s->at = k; }
int get(const struct s *s) { return t[s->at]; }`, "get", "", "", true},

	{"a guard that leaves only harm", `struct s { unsigned n; }; static const int t[4] = {1, 2, 3, 4};
void seek(struct s *s, unsigned n) { s->n = n & 3; }
int get(const struct s *s) { return s->n > 3 ? t[s->n] : 0; }`, "get", "", "", false},
	{"a header in front", `struct head { unsigned size; unsigned char used; };
unsigned char take(void *p) { struct head *h = (struct head *)((char *)p - sizeof *h); h->used = 1; return h->used; }`,
		"take", "p", "64 bytes in front", false},
	{"a member of a larger structure", `struct node { struct node *next; }; struct timer { unsigned left; struct node in; };
unsigned left(const struct node *n) { return ((const struct timer *)((const char *)n - sizeof(unsigned)))->left / 2; }`,
		"left", "n", "64 bytes in front", false},
	{"a divisor", `struct s { unsigned n; unsigned long sum; };
void add(struct s *s, unsigned char x) { s->n++; s->sum += x; }
int mean(const struct s *s) { return s->sum / s->n; }`, "mean", "s.n", "1..4294967295", false},
}

// TestNarrowed: where contents that the harness made up decide a failure, the range that does no harm is tried; where
// something in front of a block is accessed, room there. What holds then is conditional, and the line that it names
// settles it.
func TestNarrowed(t *testing.T) {
	for _, c := range narrowedCases {
		t.Run(c.name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"src.c": c.text + "\n"})
			file := filepath.Join(dir, "src.c")
			_, rep, errs := checkJSON(t, file, "--target", "cortex-m3", "--function", c.function)
			if len(rep.Results) != 1 {
				t.Fatalf("%+v\n%s", rep.Results, errs)
			}
			r, line := &rep.Results[0], ""
			for _, a := range r.Assumptions {
				if a.Line != "" && a.Guessed() && a.Subject == c.place {
					line = a.Line
				}
			}
			switch {
			case (r.Status == verdict.Violated) != c.violated:
				t.Fatalf("%s, want violated: %v", r.Status, c.violated)
			case line != c.line:
				t.Fatalf("%q, want %q: %+v", line, c.line, r.Assumptions)
			case line == "":
				return
			case r.Status != verdict.Conditional:
				t.Errorf("%s, want conditional", r.Status)
			}
			_, rep, errs = checkJSON(t, file, "--target", "cortex-m3", "--function", c.function, "--assume",
				c.function+"."+c.place+"="+line)
			if len(rep.Results) != 1 || rep.Results[0].Status != verdict.Proved {
				t.Errorf("with the line: %+v\n%s", rep.Results, errs)
			}
		})
	}
}

// TestFrontIsContents: what is in front of a block, where a line says that there is room, is the program's own to write. A
// failure by it is no finding, and one by an argument is.
func TestFrontIsContents(t *testing.T) {
	for index, want := range map[string]verdict.Status{"h->n": verdict.Unknown, "k": verdict.Violated} {
		text := `struct head { unsigned n; }; static const int t[4] = {1, 2, 3, 4};
int get(const void *p, unsigned char k) { const struct head *h = (const struct head *)p - 1; return t[` + index + `] + k; }
`
		file := filepath.Join(writeTree(t, map[string]string{"src.c": text}), "src.c")
		_, rep, errs := checkJSON(t, file, "--target", "cortex-m3", "--function", "get", "--assume", "get.p=8 bytes in front")
		if len(rep.Results) != 1 || rep.Results[0].Status != want {
			t.Errorf("t[%s]: want %s: %+v\n%s", index, want, rep.Results, errs)
		}
	}
}
