package encode

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// lostBy are bodies of functions and what LeakCalled says of them: "" for nothing lost. main, a driver, calls f with two
// blocks, and with where a pointer is to go.
var lostBy = []struct{ name, body, want string }{
	{"nothing", `return 0;`, ""},
	{"forgotten", `new(); return 0;`, "lost"},
	{"freed", `free(new()); return 0;`, ""},
	{"given back", `return new();`, ""},
	{"the middle of it given back", `return (N *)&new()->b;`, ""},
	{"given back on one path", `N *p = new(); if (nondet_int()) return 0; return p;`, "lost"},
	{"in a global", `g = new(); return 0;`, ""},
	{"in a static local", `static N *kept; kept = new(); return 0;`, ""},
	{"global overwritten", `g = new(); g = 0; return 0;`, "lost"},
	{"out parameter", `*out = new(); return 0;`, ""},
	{"in a block of the caller", `a->a = new(); return 0;`, ""},
	{"in a list of the caller's", `N *p = new(); p->b = a->a; a->a = p; return 0;`, ""},
	{"behind a block that is given back", `N *p = new(); p->a = new(); return p;`, ""},
	{"behind a block that is freed", `N *p = new(); p->a = new(); free(p); return 0;`, "lost"},
	{"behind a block of the caller's that is freed", `a->a = new(); free(a); return 0;`, "lost"},
	{"block of the caller's", `a->a = 0; a = 0; return 0;`, ""},
	{"cycle", `N *p = new(); p->a = new(); p->a->a = p; return 0;`, "lost"},
	{"in a local", `N *l = new(), **k = &l; return *k == a ? *k : 0;`, "lost"},
	{"in a parameter", `a = new(); return 0;`, "lost"},
	{"moved", `N *p = realloc(new(), 64); return p;`, ""},
	{"moved and forgotten", `realloc(new(), 64); return 0;`, "lost"},
	{"handed over", `keep(new()); return 0;`, ""},
	{"handed over after it was lost", `N *p = new(); if (nondet_int()) p = 0; keep(p); return 0;`, "lost"},
	{"behind what is handed over", `N *p = new(); p->a = new(); keep(p); p->a = 0; return 0;`, ""},
	{"in a block of the caller's that is handed over", `a->a = new(); keep(a); a->a = 0; return 0;`, ""},
	{"behind what was handed over", `N *p = new(); keep(p); p->a = new(); free(p->a->b); return 0;`, ""},
	{"in a local that is handed over", `N *l = new(); take(&l); return 0;`, ""},
	{"in a local that was handed over", `N *l = 0; take(&l); l = new(); call(); l = 0; return 0;`, ""},
	{"beside what is handed over", `N *p = new(); keep(a); return 0;`, "lost"},
	{"written where others read", `seen = new(); return 0;`, ""},
	{"as a number", `n = (unsigned long)new() * 3; return 0;`, "unsupported"},
	{"as a number that is gone", `unsigned long k = (unsigned long)new() * 3; return k == 1 ? a : 0;`, "unsupported"},
	{"as a number on another path", `N *p = new(); if (nondet_int()) { n = (unsigned long)p * 3; return p; } return 0;`, "lost"},
	{"at exit", `N *p = new(); if (a) exit(0); free(p); return 0;`, ""},
	{"in a callee", `hold(new()); return 0;`, "lost"},
	{"in a caller", `N *p = new(); hold(p); free(p); return 0;`, ""},
}

// lostPrelude has functions without a body that TestLostBy gives the model of a stub.
const lostPrelude = `
void *malloc(unsigned long); void *realloc(void *, unsigned long); void free(void *); void exit(int); int nondet_int(void);
typedef struct N { struct N *a, *b; } N;
N *g, *g2; unsigned long n; N *volatile seen;
void keep(const N *); void take(N **); void call(void);
static N *new(void) { N *p = malloc(sizeof *p); p->a = 0; p->b = 0; return p; }
static int hold(N *p) { return p->a == 0; }
`

const lostMain = `
int main(void) { N *a = malloc(sizeof *a), *b = malloc(sizeof *b), *out = 0; a->a = b; a->b = b->a = b->b = 0;
  N *r = f(a, &out); return r != 0; }
`

// driverOf compiles a program of which f is the program's, and main, which calls it, a driver's.
func driverOf(t *testing.T, body string) *ir.Module {
	m := compile(t, "", lostPrelude+"static N *f(N *a, N **out) {\n"+body+"\n}\n"+lostMain)
	m.Func("main").Made = true
	for _, name := range []string{"keep", "take", "call"} {
		f := m.Func(name)
		if f == nil {
			continue
		}
		f.Model = ir.ModelNondet
		for _, g := range m.Funcs {
			for _, b := range g.Blocks {
				for _, in := range b.Instrs {
					if ir.CalledFunc(in) == f {
						in.Model = f.Model
					}
				}
			}
		}
	}
	return m
}

// TestLostBy holds LeakCalled to the table, and the interpreter to the formula.
func TestLostBy(t *testing.T) {
	for _, c := range lostBy {
		t.Run(c.name, func(t *testing.T) {
			m := driverOf(t, c.body)
			f := encodeMain(t, m, trackedOptions(ir.LeakCalled))
			got := ""
			for _, x := range f.Claims {
				if !f.Store.IsFalse(x.Violated) {
					got = "lost"
				}
				if x.Check == verdict.Leak && x.Instr.Block.Func.CName != "f" {
					t.Errorf("%s is claimed", x.ID)
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
			if against(t, m, trackedOptions(ir.LeakCalled), 10) == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// TestLostByListed: where a function that a driver calls returns is the only place of a claim.
func TestLostByListed(t *testing.T) {
	m := driverOf(t, `if (nondet_int()) exit(0); hold(new()); return a;`)
	m.Func("main").Name = "firmproof.call.f"
	list := ListClaims(m, verdict.CheckSet{verdict.Leak: true}, ir.LeakCalled, func(*ir.Block) bool { return true })
	if len(list) != 1 || list[0].Instr.Op != ir.OpRet || list[0].Instr.Block.Func.CName != "f" {
		t.Errorf("listed: %+v", list)
	}
}

// TestRandomLost holds formula and interpreter together on random functions, and both to what they have to find.
func TestRandomLost(t *testing.T) {
	lost, n := 0, 60
	if testing.Short() {
		n = 15
	}
	for seed := 0; seed < n && !t.Failed(); seed++ {
		r := rand.New(rand.NewSource(int64(seed)))
		body := strings.ReplaceAll(randomHeap(r), "exit(0);", "return a;")
		body = strings.ReplaceAll(body, "abort();", "return p;")
		var out []string
		for _, line := range strings.Split(body, "\n") {
			out = append(out, line)
			if r.Intn(6) == 0 && !strings.HasPrefix(line, "return") {
				out = append(out, []string{"keep(p);", "take(&q);", "call();", "a->a = p;", "*out = q;",
					fmt.Sprintf("if (nondet_int()) return %s;", []string{"p", "q", "g"}[r.Intn(3)])}[r.Intn(6)])
			}
		}
		m := driverOf(t, strings.Join(out, "\n"))
		f := encodeMain(t, m, trackedOptions(ir.LeakCalled))
		for _, c := range f.Claims {
			if c.Check == verdict.Leak && !f.Store.IsFalse(c.Violated) && !f.Store.IsTrue(c.Violated) {
				lost++
			}
		}
		if against(t, m, trackedOptions(ir.LeakCalled), 12); t.Failed() {
			t.Log(strings.Join(out, "\n"))
		}
	}
	if lost == 0 {
		t.Error("no program lost a block on some paths only")
	}
}

// TestLostByTurns: a turn of a loop that is cut, and that leaves a block behind, leaves open whether it is lost, and nothing
// else.
func TestLostByTurns(t *testing.T) {
	for body, want := range map[string]bool{
		"while (nondet_int()) { N *p = new(); p->a = g; g = p; } return 0;": true,
		"while (nondet_int()) new(); return 0;":                             true,
		"while (nondet_int()) free(new()); return 0;":                       false,
		"N *p = new(); while (nondet_int()) n++; free(p); return 0;":        false,
		"N *p = new(); while (nondet_int()) n++; return 0;":                 true,
		"N *p = new(); while (nondet_int()) n++; return p;":                 false,
	} {
		m := driverOf(t, body)
		opts := trackedOptions(ir.LeakCalled)
		opts.Cuts = &Cuts{}
		f := encodeMain(t, m, opts)
		for ; f.Grown; f = encodeMain(t, m, opts) {
		}
		got := false
		for _, c := range f.Claims {
			got = got || c.Check == verdict.Leak && !f.Store.IsFalse(c.Violated)
		}
		if got != want || len(f.Headers) == 0 {
			t.Errorf("%s: open is %v, want %v", body, got, want)
		}
		for _, g := range f.Gaps {
			if !f.Store.IsFalse(g.Guard) {
				t.Errorf("%s: %s", body, g.Reason.String())
			}
		}
	}
}
