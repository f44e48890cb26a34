package encode

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tracked are small programs and what LeakTracked says of them: "" for nothing lost.
var tracked = []struct{ name, body, want string }{
	{"global keeps", `g = new(); return 0;`, ""},
	{"global forgets", `g = new(); g = 0; return 0;`, "lost"},
	{"local of main at its return", `N *p = new(); (void)p; return 0;`, "lost"},
	{"local of main at exit", `N *p = new(); if (p) exit(0); free(p); return 0;`, ""},
	{"local of a callee at exit", `leave(new()); return 0;`, ""},
	{"register of the caller at exit", `g = two(new(), quit()); return 0;`, ""},
	{"no register any more", `two(new(), 0); quit(); return 0;`, "lost"},
	{"through another block", `g = new(); g->a = new(); return 0;`, ""},
	{"owner freed", `g = new(); g->a = new(); free(g); return 0;`, "lost"},
	{"cycle", `N *p = new(); p->a = new(); p->a->a = p; return 0;`, "lost"},
	{"cycle kept", `N *p = new(); p->a = new(); p->a->a = p; g = p->a; return 0;`, ""},
	{"into the middle", `h = (char *)new() + 5; return 0;`, ""},
	{"on one path", `g = new(); if (nondet_int()) g = 0; return 0;`, "lost"},
	{"before abort", `g = new(); g = 0; abort(); return 0;`, "lost"},
	{"at abort", `N *p = new(); if (p) abort(); return 0;`, ""},
	{"at a failed assertion", `new(); __VERIFIER_assert(nondet_int()); abort(); return 0;`, "lost"},
	{"half of the pointer overwritten", `g = new(); *(char *)&g = 0; return 0;`, "unsupported"},
	{"as a number", `n = (unsigned long)new() * 3; return 0;`, "unsupported"},
	{"as a number that is gone", `unsigned long k = (unsigned long)new() * 3; return k == 1;`, "lost"},
	{"beside a count", `for (unsigned i = 0; i < 5; i++) n++; unsigned long k = (unsigned long)new() * 3; return k == 1;`, "lost"},
	{"bytewise copy", `N *p = new(); for (unsigned i = 0; i < sizeof p; i++) ((char *)&g)[i] = ((char *)&p)[i]; p = 0; return 0;`, "unsupported"},
	{"before a loop without end", `new(); while (1); return 0;`, "unsupported"},
}

const trackedPrelude = `
void *malloc(unsigned long); void free(void *); void exit(int); void abort(void); int nondet_int(void); void __VERIFIER_assert(int);
typedef struct N { struct N *a, *b; } N;
N *g, *g2; char *h; unsigned long n;
static N *new(void) { N *p = malloc(sizeof *p); p->a = 0; p->b = 0; return p; }
static void leave(N *p) { exit(p == 0); }
static int quit(void) { exit(0); return 0; }
static N *two(N *p, int k) { return k ? p : 0; }
`

func trackedOptions(rule ir.LeakRule) Options {
	return Options{Checks: verdict.CheckSet{verdict.Leak: true, verdict.Memory: true, verdict.Free: true},
		Semantics: ir.Semantics{MallocNeverFails: true, Leaks: rule}}
}

// TestTracked holds LeakTracked to the table, and the interpreter to the formula.
func TestTracked(t *testing.T) {
	for _, c := range tracked {
		t.Run(c.name, func(t *testing.T) {
			m := compile(t, "", trackedPrelude+"int main(void) {\n"+c.body+"\n}\n")
			f := encodeMain(t, m, trackedOptions(ir.LeakTracked))
			got := ""
			for _, x := range f.Claims {
				if !f.Store.IsFalse(x.Violated) {
					got = "lost"
				}
			}
			for _, x := range f.Gaps {
				if !f.Store.IsFalse(x.Guard) {
					got = "unsupported"
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.name == "before a loop without end" {
				return // nothing to compare with
			}
			if against(t, m, trackedOptions(ir.LeakTracked), 10) == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// TestLeakRules tells the rules apart where the program ends otherwise than by a return.
func TestLeakRules(t *testing.T) {
	for _, c := range []struct {
		body string
		want [3]string // LeakFreed, LeakCleanup, LeakTracked
	}{
		{`g = new(); return 0;`, [3]string{"leak", "leak", ""}},
		{`g = new(); exit(0);`, [3]string{"leak", "leak", ""}},
		{`g = new(); abort();`, [3]string{"", "gap", ""}},
		{`g = new(); g = 0; abort();`, [3]string{"", "gap", "leak"}},
		{`g = new(); __VERIFIER_assert(0); return 0;`, [3]string{"", "leak", ""}},
		{`g = new(); free(g); return 0;`, [3]string{"", "", ""}},
	} {
		m := compile(t, "", trackedPrelude+"int main(void) {\n"+c.body+"\n}\n")
		for rule := ir.LeakFreed; rule <= ir.LeakTracked; rule++ {
			f := encodeMain(t, m, trackedOptions(rule))
			got := ""
			for _, x := range f.Claims {
				if !f.Store.IsFalse(x.Violated) {
					got = string(x.Check)
				}
			}
			if len(f.Gaps) > 0 {
				got = "gap"
			}
			if got != c.want[rule] {
				t.Errorf("%s under rule %d: got %q, want %q", c.body, rule, got, c.want[rule])
			}
			against(t, m, trackedOptions(rule), 3)
		}
	}
}

// randomHeap is a program that links and unlinks blocks at random.
func randomHeap(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("N *p = 0, *q = 0, *o = 0;\n")
	v := func() string { return []string{"g", "g2", "p", "q"}[r.Intn(4)] }
	field := func() string { return []string{"a", "b"}[r.Intn(2)] }
	for i := 0; i < 6+r.Intn(10); i++ {
		x, y := v(), v()
		s := ""
		switch r.Intn(7) {
		case 0, 1:
			s = fmt.Sprintf("%s = new();", x)
		case 2:
			s = fmt.Sprintf("%s = %s;", x, y)
		case 3:
			s = fmt.Sprintf("if (%s) %s->%s = %s;", x, x, field(), y)
		case 4:
			s = fmt.Sprintf("if (%s) %s = %s->%s;", y, x, y, field())
		case 5:
			s = fmt.Sprintf("%s = 0;", x)
		default: // everything that could point to the block goes first
			s = fmt.Sprintf("o = new(); o->a = %s; if (nondet_int()) %s = o; else { free(o); } o = 0;", x, y)
		}
		if r.Intn(3) == 0 {
			s = "if (nondet_int()) { " + s + " }"
		}
		b.WriteString(s + "\n")
	}
	b.WriteString([]string{"return 0;", "exit(0);", "abort();"}[r.Intn(3)])
	return b.String()
}

// TestRandomHeaps holds formula and interpreter together on random graphs of blocks.
func TestRandomHeaps(t *testing.T) {
	lost, n := 0, 60
	if testing.Short() {
		n = 15
	}
	for seed := 0; seed < n && !t.Failed(); seed++ {
		body := randomHeap(rand.New(rand.NewSource(int64(seed))))
		m := compile(t, "", trackedPrelude+"int main(void) {\n"+body+"\n}\n")
		for _, rule := range []ir.LeakRule{ir.LeakCleanup, ir.LeakTracked} {
			f := encodeMain(t, m, trackedOptions(rule))
			for _, c := range f.Claims {
				if c.Check == verdict.Leak && !f.Store.IsFalse(c.Violated) && !f.Store.IsTrue(c.Violated) {
					lost++
				}
			}
			against(t, m, trackedOptions(rule), 12)
		}
		if t.Failed() {
			t.Log(body)
		}
	}
	if lost == 0 {
		t.Error("no program lost a block on some paths only")
	}
}
