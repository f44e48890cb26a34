package encode

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// cutMain walks main with its loops and recursion cut, until no walk finds more that turns change. With all, loops are cut that end by themselves, too.
func cutMain(t *testing.T, m *ir.Module, all bool) *Formula {
	t.Helper()
	cuts := &Cuts{All: all}
	for range 20 {
		s := ilr.NewStore(nil)
		probe := solverProbe{solve.New(s, solve.Options{})}
		checks := verdict.DefaultChecks()
		delete(checks, verdict.Leak)
		delete(checks, verdict.Uninitialised) // what is unknown may be indeterminate
		f, err := Encode(context.Background(), m, m.Func("main"), s, Options{Checks: checks, Cuts: cuts}, probe)
		probe.solver.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !f.Grown {
			return f
		}
	}
	t.Fatal("the unknown states keep growing")
	return nil
}

// cutPrograms have loops and recursion that are cut: what can fail in some turn, when no invariant is known. Everything
// that a turn may change is unknown, and nothing else is.
var cutPrograms = []struct{ name, head, body, want string }{
	{"counter", "", "unsigned n = 0, k = 3;\nwhile (nondet_int()) n++;\n__VERIFIER_assert(k == 3);\n__VERIFIER_assert(n != 5);", "assert:4"},
	{"sixteen bytes of an object", "",
		"static struct { char a[16]; int keep; } s; s.keep = 5;\nwhile (nondet_int()) memset(s.a, nondet_uchar(), 16);\n__VERIFIER_assert(s.keep == 5);", ""},
	{"more than sixteen bytes", "",
		"static struct { char a[17]; int keep; } s; s.keep = 5;\nwhile (nondet_int()) memset(s.a, nondet_uchar(), 17);\n__VERIFIER_assert(s.keep == 5);", "assert:3"},
	{"call of a constant address", "",
		"while (nondet_int());\nif (nondet_int()) ((void (*)(void))0)();", "memory:2"},
	{"call of a known function", "static void f(void) {}", "while (nondet_int()) f();", ""},
	{"recursion changes a global", "static int g; static int f(int n) { g = n; return n > 0 ? f(n - 1) : 0; }",
		"int k = 3; f(nondet_int() & 7);\n__VERIFIER_assert(k == 3);\n__VERIFIER_assert(g == 0);", "assert:3"},
	{"recursion gives a pointer", "static char b[8]; static char *f(int n) { return n > 0 ? f(n - 1) : b; }",
		"char *p = f(nondet_int() & 7);\np[7] = 1;\np[8] = 1;", "memory:3"},
}

func TestCutPrograms(t *testing.T) {
	for _, p := range cutPrograms {
		t.Run(p.name, func(t *testing.T) {
			m := compile(t, "", prelude+p.head+"\nint main(void) {\n#line 1\n"+p.body+"\nreturn 0; }\n")
			if got := strings.Join(violated(t, cutMain(t, m, false)), " "); got != p.want {
				t.Errorf("got %q, want %q", got, p.want)
			}
		})
	}
}

// cutTexts are the same as LLVM text, without lines.
var cutTexts = []struct{ name, body, want string }{
	{"a scope that begins again in each turn", `entry:
  %x = alloca i32
  %b = bitcast i32* %x to i8*
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b)
  store i32 5, i32* %x
  br label %loop
loop:
  %v = load i32, i32* %x
  %q = udiv i32 7, %v
  call void @llvm.lifetime.end.p0i8(i64 4, i8* %b)
  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b)
  %more = call i1 @nondet_bool()
  br i1 %more, label %loop, label %out
out:
  ret i32 0`, "div-by-zero"},
	{"numbers that are addresses", `entry:
  %x = alloca i32
  %y = alloca i32
  %a0 = ptrtoint i32* %x to i64
  %b0 = ptrtoint i32* %y to i64
  br label %loop
loop:
  %a = phi i64 [%a0, %entry], [%b, %loop]
  %b = phi i64 [%b0, %entry], [%a, %loop]
  %p = inttoptr i64 %a to i32*
  store i32 1, i32* %p
  %more = call i1 @nondet_bool()
  br i1 %more, label %loop, label %out
out:
  ret i32 0`, ""},
}

func TestCutTexts(t *testing.T) {
	for _, p := range cutTexts {
		m := readText(t, "target datalayout = \"e-m:e-i64:64-f80:128-n8:16:32:64-S128\"\n"+
			"target triple = \"x86_64-unknown-linux-gnu\"\ndeclare i1 @nondet_bool()\n"+
			"declare void @llvm.lifetime.start.p0i8(i64, i8*)\ndeclare void @llvm.lifetime.end.p0i8(i64, i8*)\n"+
			"define i32 @main() {\n"+p.body+"\n}\n")
		var got []string
		for _, x := range violated(t, cutMain(t, m, true)) {
			got = append(got, strings.TrimSuffix(x, ":0"))
		}
		if strings.Join(got, " ") != p.want {
			t.Errorf("%s: got %q, want %q", p.name, got, p.want)
		}
	}
}

// TestCutVars: invariants can speak about elements of arrays that turns change or read, about offsets of pointers that
// calls give back, and of no other elements.
func TestCutVars(t *testing.T) {
	for _, c := range []struct{ head, body, want string }{
		{"static int a[100], b[100];", "b[7] = 1; for (int i = 0; i < 100; i++) a[i] = b[99 - i];",
			"a[k] 32 of 100 moves, b[k] 32 of 100"},
		{"static const unsigned char a[2000];", "int s = a[7]; for (int i = 0; i < 2000; i++) s ^= a[i];",
			"a[k] 8 of 2000"},
		{"static struct { int v, w; } a[100];", "for (int i = 0; i < 100; i++) a[i].v = i;", ""},
		{"static float a[100];", "for (int i = 0; i < 100; i++) a[i] = i;", ""},
		{"static int a[2][50];", "for (int i = 0; i < 50; i++) a[i & 1][i] = i;", "a[k] 32 of 100 moves"},
		{"", "int *p = malloc(400); if (p) for (int i = 0; i < 100; i++) p[i] = i;",
			"(malloc at line 1)[k] 32 of 100 moves"},
		{"static char b[8]; static char *f(int n) { return n > 0 ? f(n - 1) : b; }", "f(nondet_int());",
			"offset of result 64 moves"},
	} {
		m := compile(t, "", prelude+c.head+"\nint main(void) {\n#line 1\n"+c.body+"\nreturn 0; }\n")
		var got []string
		for _, h := range cutMain(t, m, true).Headers {
			for _, v := range h.Vars {
				if v.Cell || v.Offset {
					text := fmt.Sprint(v.Name, " ", v.Width)
					if v.Cell {
						text += fmt.Sprint(" of ", v.Count)
					}
					if v.Moves {
						text += " moves"
					}
					got = append(got, text)
				}
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s %s: %q, want %q", c.head, c.body, s, c.want)
		}
	}
}

// TestGhostRead: a violation that depends on a byte which a loop reads is looked for at that byte.
func TestGhostRead(t *testing.T) {
	m := compile(t, "", prelude+`int main(void) { static unsigned char a[200]; unsigned i = nondet_uint();
while (nondet_int()) { unsigned k = nondet_uint(); if (k < 200) a[k] = nondet_uchar(); }
__VERIFIER_assume(i == 9);
#line 1
__VERIFIER_assert(a[i] != 7); return 0; }`)
	f := cutMain(t, m, false)
	s := f.Store
	solver := solve.New(s, solve.Options{})
	defer solver.Close()
	for _, c := range f.Claims {
		if c.Check != verdict.Assert {
			continue
		}
		other := s.And(f.ViolationAtGhost(&c, 1), s.Not(s.Eq(f.Ghost, s.Int(64, 9))))
		for term, want := range map[ilr.Term]solve.Answer{f.ViolationAtGhost(&c, 1): solve.Sat, other: solve.Unsat} {
			if got, _ := solver.Check(context.Background(), term); got != want {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
}

// TestCutConstants: bounds of a number are looked for at the constants of its width, and at wider ones that it can hold.
func TestCutConstants(t *testing.T) {
	m := compile(t, "", prelude+`int main(void) { unsigned char c = nondet_uchar(); int big = nondet_int();
while (c != 200 && big != 1000) { c++; big--; } return 0; }`)
	for _, h := range cutMain(t, m, false).Headers {
		for v, want := range map[uint64]bool{200: true, 201: true, 1000 & 255: false} {
			if got := slices.Contains(h.Consts[8], bits.New(8, v)); got != want {
				t.Errorf("%d: %v, want %v", v, got, want)
			}
		}
		if !slices.Contains(h.Consts[32], bits.New(32, 1000)) {
			t.Error("no 1000")
		}
	}
}
