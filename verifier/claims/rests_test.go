package claims

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// What the compiler found in constant expressions is reported once a place, and only where the entry comes to it.
func TestFoldedClaims(t *testing.T) {
	m := testprogram.Compile(t, "int g, h, k; int main(void) { return g + k; } int other(void) { return h; }", "-O0")
	at := func(n int, c verdict.Check, open bool) ir.Folded {
		return ir.Folded{Check: c, Pos: verdict.Pos{File: "main.c", Line: n}, Message: "m", Undecided: open}
	}
	m.Func("main").Folded = []ir.Folded{at(1, verdict.DivByZero, false), at(1, verdict.DivByZero, false), at(2, verdict.DivByZero, true),
		at(3, verdict.Shift, false)}
	m.Func("other").Folded = []ir.Folded{at(4, verdict.DivByZero, false)}
	var got []string
	for _, c := range FoldedClaims(m, m.Func("main"), verdict.CheckSet{verdict.DivByZero: true}) {
		got = append(got, c.ID+" "+c.Status.String())
		if open := c.Status == verdict.Unknown; open != (c.Reason != nil) || open == (c.Certificate != nil) {
			t.Errorf("%s: reason %v, certificate %v", c.ID, c.Reason, c.Certificate)
		}
	}
	const want = "div-by-zero@main#constant1 violated, div-by-zero@main#constant3 unknown"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}

// Two symbols of the linker are taken for different where the program does more with their addresses than to access them.
func TestSymbolsMeet(t *testing.T) {
	const both = "extern char a[], b[]; struct s { char *p, *q; }; struct s main(void) { struct s x = { a, b }; return x; }"
	for src, want := range map[string]bool{
		both: true, // at -O1, the constant that it returns
		"extern char a[], b[]; int main(void) { return a == b; }":                                   true,
		"extern char a[], b[]; int main(void) { return a[1] + b[2]; }":                              false,
		"extern char a[]; static char b[2]; int main(void) { return a == b; }":                      false,
		"extern char a[], b[]; int main(void) { return &a[1] == &b[2]; }":                           true,
		"extern char a[], b[]; void f(char *); int main(void) { f(a); f(b + 1); return 0; }":        true,
		"extern char a[], b[]; static char *p[] = { a, b }; int main(void) { return *p[0]; }":       true,
		"extern char a[], b[]; int main(void) { for (char *p = a; p < b; p++) *p = 0; return 0; }":  true,
		"extern int a, b; int main(void) { int *p = &a; a = b; return 0; }":                         false,
		"extern int a, b; int main(void) { int *p = &a, *q = &b; return *p + *q; }":                 true,
		"extern char a[], b[]; int main(void) { return 0; } int other(void) { return a == b; }":     false,
		"extern int a[4], b[4]; int main(void) { return a[nondet_uint() & 3] + b[nondet_uint()]; }": false,
	} {
		level := "-O0"
		if src == both {
			level = "-O1"
		}
		m := testprogram.Compile(t, src, level)
		if got := slices.ContainsFunc(AssumedOf(m, m.Func("main")), func(a verdict.Assumption) bool { return a.ID == symbolsDiffer.ID }); got != want {
			t.Errorf("%s: %t", src, got)
		}
	}
}

// What is behind a point for handlers holds for as many runs of them as are looked at.
func TestBoundByHandlers(t *testing.T) {
	const src = `int a, b; void tick(void) { a++; } void point(void) { tick(); }
int main(void) {
int x = a / b;
POINT
return x / a; }`
	limit := verdict.Assume("tick", verdict.Limit, verdict.Declared, "tick runs at most 2 times")
	all := verdict.Assume(interrupt.AllHandlers, verdict.Limit, verdict.Chosen, "all")
	other := verdict.Assume("tock", verdict.Limit, verdict.Chosen, "tock")
	moment := atOneMoment(3)
	for _, c := range []struct {
		name, point string
		assumed     []verdict.Assumption
		want        string
		bounds      int
	}{
		{"a handler", "point();", []verdict.Assumption{limit}, "proved bounded proved bounded", 2},
		{"all of them", "point();", []verdict.Assumption{all}, "proved bounded proved bounded", 2},
		{"none with a limit", "point();", []verdict.Assumption{other}, "proved proved proved proved", 0},
		{"no point", "", []verdict.Assumption{limit}, "proved proved proved proved", 0},
	} {
		m := testprogram.Compile(t, strings.Replace(src, "POINT", c.point, 1), "-O0")
		m.Func("point").Name = irbuild.Point
		s := sitesOf(t, m, verdict.DivByZero)
		s.Assumptions = c.assumed
		_, before := s.at(t, 3)
		_, behind := s.at(t, 5)
		res := &verdict.Result{Claims: []verdict.Claim{before.Learned(verdict.Always), behind.Learned(verdict.Always),
			verdict.Claim{ID: "u", Check: verdict.Unwinding}.Learned(verdict.Always),
			verdict.Claim{ID: "end", Check: verdict.Leak}.Learned(verdict.Always)}}
		res.Bounds.Handlers = []verdict.Assumption{moment}
		BoundByHandlers(s.Problem, res)
		var got []string
		for _, claim := range res.Claims {
			got = append(got, claim.Status.String())
			if (claim.Status == verdict.Bounded) != (len(claim.Assumptions) > 0) {
				t.Errorf("%s: %s rests on %q", c.name, claim.ID, claim.Assumptions)
			}
		}
		if strings.Join(got, " ") != c.want || len(res.Bounds.Handlers) != c.bounds {
			t.Errorf("%s: %q, %d bounds; want %q, %d", c.name, got, len(res.Bounds.Handlers), c.want, c.bounds)
		}
	}
}

// A violation by contents that were made up is none, and what is only known behind it is open; it says which line settles it.
func TestTakeBack(t *testing.T) {
	made := func(r verdict.Relation) *verdict.Assumption {
		a := verdict.Assume("len", r, verdict.Chosen, "len is made up")
		a.Other, a.Line = "struct s", "0..7"
		return &a
	}
	for _, c := range []struct {
		name    string
		of      *verdict.Assumption
		harmful *replay.Range
		want    verdict.Status
		remedy  string
	}{
		{"nothing", nil, nil, verdict.Violated, ""},
		{"contents", made(verdict.Contents), nil, verdict.Unknown, "`struct s.len: 0..7` under `assume`"},
		{"contents with a range", made(verdict.Contents), &replay.Range{Low: 2, High: 3}, verdict.Unknown, "`struct s.len: 2..3` under `assume`"},
		{"a volatile pointer", made(verdict.Meaning), nil, verdict.Unknown, "`volatile: memory`"},
		{"an order", made(verdict.Order), nil, verdict.Unknown, "out of one block"},
	} {
		res := &verdict.Result{Claims: []verdict.Claim{verdict.Claim{ID: "a", Check: verdict.Memory}.Learned(verdict.Ran),
			verdict.Claim{ID: "b", Check: verdict.Memory, Behind: "a", Reason: &verdict.Reason{Kind: verdict.Shadowed}}.Learned(verdict.Behind)}}
		takeBack(res, &res.Claims[0], c.of, c.harmful)
		got := &res.Claims[0]
		if got.Status != c.want || c.remedy != "" && !strings.Contains(got.Reason.Remedy, c.remedy) {
			t.Errorf("%s: %s, %v", c.name, got.Status, got.Reason)
		}
		if (res.Claims[1].Behind == "") != (c.of != nil) {
			t.Errorf("%s: the one behind it is behind %q", c.name, res.Claims[1].Behind)
		}
	}
	held := verdict.Result{Claims: []verdict.Claim{verdict.Claim{ID: "a"}.Learned(verdict.Always)}}
	if takeBack(&held, &held.Claims[0], made(verdict.Contents), nil); held.Claims[0].Status != verdict.Proved {
		t.Error("a proof was taken back")
	}
}

// A run that goes on only while no handler changes what decides its end is not shown to be endless.
func TestEndedByHandler(t *testing.T) {
	quiet := verdict.Assume("g", verdict.Quiet, verdict.Chosen, "no handler changes g")
	start := verdict.Assume("g", verdict.Start, verdict.Chosen, "g has its initial value")
	p := &problem.Problem{Plan: problem.Plan{Assumptions: []verdict.Assumption{start, quiet}}}
	for want, ids := range map[verdict.Status][]string{verdict.Unknown: {quiet.ID}, verdict.Violated: {start.ID}} {
		res := &verdict.Result{Claims: []verdict.Claim{verdict.Claim{ID: "t", Check: verdict.Termination}.Learned(verdict.Ran)}}
		if endedByHandler(p, res, &res.Claims[0], ids); res.Claims[0].Status != want {
			t.Errorf("%q: %s", ids, res.Claims[0].Status)
		}
	}
}

// A claim that holds rests on the guesses that the values of its place depend on, and on no others.
func TestJudgeAll(t *testing.T) {
	const src = `int a, b, tab[4];
int main(void) {
int x = 8 / (a | 1);
int y = tab[b];
return x; }`
	of := func(name string, r verdict.Relation, o verdict.Origin) verdict.Assumption {
		return verdict.Assume(name, r, o, name+" "+string(r))
	}
	for _, c := range []struct {
		name string
		on   verdict.Assumption
		want string // of the division, of the index and of leaks
	}{
		{"a guess about the divisor", of("a", verdict.Start, verdict.Chosen), "conditional proved proved"},
		{"a guess about the index", of("b", verdict.Start, verdict.Chosen), "proved conditional proved"},
		{"no guess", of("b", verdict.Start, verdict.Declared), "proved proved proved"},
		{"that no handler changes it", of("a", verdict.Quiet, verdict.Chosen), "conditional proved proved"},
		{"of another variable", of("c", verdict.Start, verdict.Chosen), "proved proved proved"},
	} {
		s := sitesOf(t, testprogram.Compile(t, src, "-O0"), verdict.DivByZero, verdict.Memory)
		s.Assumptions = []verdict.Assumption{c.on}
		res := &verdict.Result{Assumptions: s.Assumptions}
		var list []verdict.Claim
		for n := 3; n <= 4; n++ {
			for _, at := range s.lines[n] {
				index, _ := at.Instr.Args[0].(*ir.Instr)
				if claim := (verdict.Claim{ID: s.ids[at], Check: at.Check}); at.Check == verdict.DivByZero ||
					at.Instr.Op == ir.OpLoad && index != nil && index.Op == ir.OpGep {
					list = append(list, claim)
				}
			}
		}
		if len(list) != 2 {
			t.Fatalf("%d claims", len(list))
		}
		for _, claim := range append(list, verdict.Claim{ID: "l", Check: verdict.Leak}) {
			res.Claims = append(res.Claims, claim.Learned(verdict.Always))
		}
		if c.on.Guessed() { // what may be null is no matter of these
			s.Open = append(s.Open, of("other", verdict.Contents, verdict.Chosen))
		}
		JudgeAll(context.Background(), s.Problem, res)
		var got []string
		for _, claim := range res.Claims {
			got = append(got, claim.Status.String())
			if (claim.Status == verdict.Conditional) != slices.Equal(claim.Assumptions, []string{c.on.ID}) {
				t.Errorf("%s: %s rests on %q", c.name, claim.ID, claim.Assumptions)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	declared := of("a", verdict.Start, verdict.Declared)
	if q := QuestionOf(&problem.Problem{Module: &ir.Module{}, Plan: problem.Plan{Assumptions: []verdict.Assumption{declared}}}); len(q.IDs) > 0 {
		t.Errorf("asked for %q, which is no guess", q.IDs)
	}
}

// Of the contents that a harness made up, which make a violation no finding: those that its values may rest on, sizes only
// where it is about them.
func TestMadeUp(t *testing.T) {
	of := func(name string, r verdict.Relation) verdict.Assumption {
		return verdict.Assume(name, r, verdict.Chosen, name+" "+string(r))
	}
	contents, size, pointer := of("len", verdict.Contents), of("buf", verdict.Extent), of("p", verdict.Meaning)
	further := of(ir.FurtherArguments, verdict.Extent)
	bounds, number := &verdict.Failure{Kind: verdict.OutOfBounds}, &verdict.Failure{Kind: verdict.NoObject}
	p := &problem.Problem{Plan: problem.Plan{Open: []verdict.Assumption{size, further, contents, pointer}}}
	for _, c := range []struct {
		name    string
		check   verdict.Check
		failure *verdict.Failure
		ids     []string
		nowhere bool
		want    string
	}{
		{"contents", verdict.Memory, bounds, []string{contents.ID}, false, contents.ID},
		{"others", verdict.Memory, bounds, []string{"other"}, false, ""},
		{"a size", verdict.Memory, bounds, []string{size.ID}, false, ""},
		{"a size, of a number that is an address", verdict.Memory, number, []string{size.ID}, false, size.ID},
		{"a size, of an address that meets nothing", verdict.Memory, bounds, []string{size.ID}, true, size.ID},
		{"a size and contents", verdict.Memory, bounds, []string{size.ID, contents.ID}, false, contents.ID},
		{"a volatile pointer", verdict.Memory, bounds, []string{pointer.ID, contents.ID}, false, pointer.ID},
		{"an end by a size", verdict.Termination, nil, []string{size.ID}, false, size.ID},
		{"an end by contents", verdict.Termination, nil, []string{contents.ID, pointer.ID}, false, ""},
		{"further arguments, never written", verdict.Uninitialised, nil, []string{further.ID}, false, further.ID},
		{"further arguments, an access outside", verdict.Memory, bounds, []string{further.ID}, false, ""},
		{"further arguments, an index outside", verdict.Memory, &verdict.Failure{Kind: verdict.OutOfIndex}, []string{further.ID}, false, ""},
		{"further arguments, what is gone", verdict.Memory, &verdict.Failure{Kind: verdict.AfterEnd}, []string{further.ID}, false, further.ID},
	} {
		got := ""
		claim := verdict.Claim{ID: "a", Check: c.check, Failure: c.failure}.Learned(verdict.Ran)
		if of, _ := MadeUp(context.Background(), p, &claim, nil, c.ids, c.nowhere); of != nil {
			got = of.ID
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Claims are in the order of places, then of columns, then as the code stands.
func TestSortClaims(t *testing.T) {
	at := func(file string, l, c int) verdict.Pos { return verdict.Pos{File: file, Line: l, Column: c} }
	list := []verdict.Claim{{ID: "m@f#2", Pos: at("b.c", 1, 1)}, {ID: "m@f#1", Pos: at("b.c", 1, 1)}, {ID: "d@f#1", Pos: at("b.c", 1, 1)},
		{ID: "x", Pos: at("a.c", 9, 1)}, {ID: "y", Pos: at("a.c", 2, 5)}, {ID: "z", Pos: at("a.c", 2, 4)}}
	SortClaims(list, map[string]int{verdict.Site("m@f#2"): 1, verdict.Site("m@f#1"): 2})
	var got []string
	for _, c := range list {
		got = append(got, c.ID)
	}
	if s := strings.Join(got, " "); s != "z y x d@f#1 m@f#2 m@f#1" {
		t.Error(s)
	}
}
