package check

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// Facts of a variable g that is 0..rest where functions end, and 0..ever at any time.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, src  string
		rest, ever int64
		refused    bool
	}{
		{"a mask", "static int g; int main(void) { g = nondet_int() & 7; return g; }", 7, 7, false},
		{"a mask of more", "static int g; int main(void) { g = nondet_int() & 15; return g; }", 7, 7, true},
		{"what it begins with", "static int g = 9; int main(void) { g = nondet_int() & 7; return g; }", 7, 7, true},
		{"a comparison before", "static int g; int main(void) { if (g < 5) g++; return g; }", 5, 5, false},
		{"another comparison", "static int g; int main(void) { if (g != 5) g++; return g; }", 5, 5, false},
		{"one more", "static int g; int main(void) { if (g <= 5) g++; return g; }", 5, 5, true},
		{"a comparison behind", "static int g; int main(void) { if (++g > 5) g = 0; return g; }", 5, 6, false},
		{"one behind a call", "static int g; void f(void); int main(void) { ++g; f(); if (g > 5) g = 0; return g; }", 5, 6, true},
		{"less at any time", "static int g; int main(void) { if (++g > 5) g = 0; return g; }", 5, 5, true},
		{"another variable", "static int g, h; int main(void) { if (h < 5) g++; return h; }", 5, 5, true},
		{"a loop", "static int g; int main(void) { for (g = 0; g < 5; g++) nondet_int(); return 0; }", 5, 5, false},
		{"a loop of a local", "static int g; int main(void) { for (int i = 0; i < 5; i++) g = i; return 0; }", 4, 4, false},
		{"a longer one", "static int g; int main(void) { for (int i = 0; i < 6; i++) g = i; return 0; }", 4, 4, true},
		{"a local that changes", "static int g; int main(void) { int n = nondet_int(); if (n > 0 && n < 5) { n++; g = n; } return 0; }", 4, 4, true},
		{"one that does not", "static int g; int main(void) { int n = nondet_int(); if (n > 0 && n < 5) { g = n; n++; } return n; }", 4, 4, false},
		{"a local whose address goes", "static int g; void f(int *); int main(void) { int n = nondet_int() & 3; f(&n); g = n; return 0; }", 4, 4, true},
		{"a switch", "static int g; int main(void) { int n = nondet_int(); switch (n) { case 2: case 4: g = n; } return 0; }", 4, 4, false},
		{"its other case", "static int g; int main(void) { int n = nondet_int(); switch (n) { case 2: case 4: break; default: g = n; } return 0; }", 4, 4, true},
		{"its address", "static int g, *p = &g; int main(void) { g = nondet_int() & 3; return *p; }", 4, 4, true},
		{"a part", "static int g; int main(void) { ((char *)&g)[1] = 1; return g; }", 4, 4, true},
		{"a volatile one", "static volatile int g; int main(void) { g = (g + 1) & 3; return g; }", 3, 3, false},
		{"read twice", "static volatile int g; int main(void) { if (g < 3) g++; return g; }", 3, 3, true},
		{"what a call leaves", "static int g; void h(void) { g = 5; } int main(void) { g = 0; h(); g++; return g; }", 5, 6, true},
		{"a comparison before a call", "static int g; void h(void) { g = 5; } int main(void) { int n = g; h(); if (n < 5) g++; return g; }", 5, 6, true},
		{"a register that changes", "static int g; int main(void) { int n, i = 0; do { n = nondet_int(); if (i++ && n < 5 && n > 0) break; g = n > 3 ? 3 : n < 0 ? 0 : n; } while (1); g = n; return g; }", 4, 4, false},
		{"two ways", "static int g; int main(void) { if (nondet_int()) g = 9; return g; }", 5, 9, true},
		{"two ways and back", "static int g; int main(void) { if (nondet_int()) g = 9; g = g > 5 ? 0 : g; return g; }", 5, 9, false},
		{"a volatile one that is left", "static volatile int g; int main(void) { g = 6; return 0; }", 5, 6, true},
		{"a handler writes, too", "static int g; void h(void) { g = 6; } __attribute__((interrupt)) void f(void *p) { g = 2; } int main(void) { h(); return g; }", 5, 6, true},
		{"a comparison as a number", "static int g; int main(void) { int less = g < 5; if (less) g++; return g; }", 5, 5, true},
		{"a truth value that is not", "static int g; int main(void) { if (!(g < 5)) return 0; g++; return g; }", 5, 5, false},
		{"a truth value of one", "static int g; int main(void) { if ((g < 5) == 0) return 0; g++; return g; }", 5, 5, false},
		{"one the other way", "static int g; int main(void) { if ((g < 5) != 0) return 0; g++; return g; }", 5, 5, true},
		{"a parameter", "static int g; void h(int n) { g = n; } int main(void) { h(9); return g; }", 5, 5, true},
		{"a parameter that is compared", "static int g; void h(int n) { if (n >= 0 && n < 6) g = n; } int main(void) { h(9); return g; }", 5, 5, false},
		{"a handler alone writes", "static int g; void f(void *p) { if (g < 5) g++; } int main(void) { return g; }", 5, 5, false},
		{"one that a handler calls by a pointer", "static int g; void w(void) { if (g < 5) g++; } static void (*volatile p)(void) = w; __attribute__((interrupt)) void f(void *x) { p(); } int main(void) { p(); return g; }", 5, 5, true},
		{"a handler that is called, too", "static int g; void f(void *p) { if (g < 5) g++; } int main(void) { f(0); return g; }", 5, 5, true},
		{"a handler that is called by a pointer", "static int g; void f(void *p) { if (g < 5) g++; } static void (*volatile p)(void *) = f; int main(void) { p(0); return g; }", 5, 5, true},
		{"a handler that is handed over", "static int g; void h(void (*)(void *)); void f(void *p) { if (g < 5) g++; } int main(void) { h(f); return g; }", 5, 5, true},
		{"a handler of a vector table", "static int g; void f(void *p) { if (g < 5) g++; } void (*const table[])(void *) __attribute__((section(\".vectors\"))) = {f}; int main(void) { return g; }", 5, 5, false},
		{"a handler of a vector table that code reads", "static int g; void f(void *p) { if (g < 5) g++; } void (*const table[])(void *) __attribute__((section(\".vectors\"))) = {f}; int main(void) { table[nondet_int()](0); return g; }", 5, 5, true},
		{"a handler that an attribute keeps", "static int g; __attribute__((used)) void f(void *p) { if (g < 5) g++; } int main(void) { return g; }", 5, 5, false},
		{"a handler reads", "static int g; static int seen; __attribute__((interrupt)) void f(void *p) { seen = g; } int main(void) { if (++g > 5) g = 0; return seen; }", 5, 6, false},
	} {
		m := testprogram.Compile(t, c.src, "-O0")
		for _, f := range m.Funcs {
			f.Handler = f.Name == "f" && !f.IsDecl()
		}
		for _, g := range m.Globals {
			if g.Name != "g" {
				continue
			}
			why := Refused(m, []Fact{{Global: g, Bits: 32, Rest: [2]int64{0, c.rest}, Ever: [2]int64{0, c.ever}}})[g]
			if (why != "") != c.refused {
				t.Errorf("%s: %q", c.name, why)
			}
		}
	}
}

// A fact of a variable g that main, f or w alone writes, 0..64 at any time, with a function that may be interrupted by itself.
func TestUninterrupted(t *testing.T) {
	const twice = "{ g++; if (g == 64) g = 0; }"
	for _, c := range []struct {
		src, writer string
		leans       bool
	}{
		{"void w(void) " + twice, "w", true},
		{"void w(void) { g = (g + 1) % 64; }", "w", false},
		{"void w(void) " + twice + " void f(void) { w(); }", "w", true},
		{"void f(void) " + twice, "f", false},
		{"void f(void) " + twice + " void w(void) { f(); }", "f", true},
		{"void f(void) " + twice + " void (*const table[])(void) __attribute__((section(\".vectors\"))) = {f};", "f", false},
	} {
		m := testprogram.Compile(t, "static volatile unsigned g; "+c.src, "-O0")
		fact := Fact{Bits: 32, Rest: [2]int64{0, 63}, Ever: [2]int64{0, 64}}
		for _, f := range m.Funcs {
			if f.Handler = f.Name == "f"; f.Name == c.writer {
				fact.Writer = f
			}
		}
		for _, g := range m.Globals {
			if g.Name == "g" {
				fact.Global = g
			}
		}
		if why := Refused(m, []Fact{fact}); len(why) > 0 {
			t.Errorf("%s: %v", c.src, why)
		}
		if why := Uninterrupted(m, []Fact{fact}); (why[fact.Global] != "") != c.leans {
			t.Errorf("%s: %v", c.src, why)
		}
	}
}

// What rests on a fact that is refused is refused, too; and one holds by the other.
func TestRefusedTogether(t *testing.T) {
	m := testprogram.Compile(t, "static int g, h; int main(void) { g = h; h = g < 4 ? g + 1 : 0; return g; }", "-O0")
	fact := func(name string, most int64) Fact {
		for _, g := range m.Globals {
			if g.Name == name {
				return Fact{Global: g, Bits: 32, Rest: [2]int64{0, most}, Ever: [2]int64{0, most}}
			}
		}
		t.Fatal(name)
		return Fact{}
	}
	g, h := fact("g", 4), fact("h", 4)
	if r := Refused(m, []Fact{g, h}); len(r) > 0 {
		t.Error(r)
	}
	for _, list := range [][]Fact{{g}, {g, fact("h", 3)}} {
		if r := Refused(m, list); len(r) != len(list) {
			t.Error(r)
		}
	}
}

// In a handler, a variable that others change for a moment is what it is at any time.
func TestHandlerSeesAllStores(t *testing.T) {
	m := testprogram.Compile(t, `static int g, seen; void tick(void) { seen = g; }
int main(void) { if (++g > 5) g = 0; return seen; }`, "-O0")
	list := []Fact{}
	var seen *ir.Global
	for _, g := range m.Globals {
		most := int64(6)
		if g.Name == "seen" {
			seen, most = g, 5
		}
		list = append(list, Fact{Global: g, Bits: 32, Rest: [2]int64{0, 5}, Ever: [2]int64{0, most}})
	}
	if r := Refused(m, list); len(r) > 0 {
		t.Error(r)
	}
	m.Func("tick").Handler = true
	if r := Refused(m, list); len(r) != 1 || r[seen] == "" {
		t.Error(r)
	}
}

// A register that held the same as a variable says nothing of it behind a call.
func TestCallBetween(t *testing.T) {
	for call, refused := range map[string]bool{"h();": true, "": false} {
		m := testprogram.Compile(t, `static int g; __attribute__((noinline)) void h(void) { g = 5; }
int main(void) { while (nondet_int()) { int n = g; `+call+` if (n < 5) g++; if (nondet_int()) h(); } return g; }`, "-O1")
		for _, g := range m.Globals {
			if g.Name == "g" {
				r := Refused(m, []Fact{{Global: g, Bits: 32, Rest: [2]int64{0, 5}, Ever: [2]int64{0, 5}}})
				if (r[g] != "") != refused {
					t.Errorf("%q: %v", call, r)
				}
			}
		}
	}
}
