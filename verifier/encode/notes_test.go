package encode

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestLoops: a loop that ends by itself, or comes back to a state, needs no bound, and its turns are counted; one that
// a bound ends is not complete.
func TestLoops(t *testing.T) {
	for body, want := range map[string]string{
		"for (int i = 0; i < 100; i++);":                                 "100 turns, complete true, claim false",
		"unsigned n = nondet_uint();\nfor (unsigned i = 0; i < n; i++);": "16 turns, complete false, claim true",
		"int i = 0;\nfor (;;) i = (i + 1) % 3;":                          "6 turns, complete true, claim false",
		"int i = 9;\nwhile (i > 2) i = i > 3 ? i - 1 : 7;":               "12 turns, complete true, claim false",
	} {
		f := encodeMain(t, compile(t, "", prelude+"int main(void) {"+body+" return 0; }\n"), Options{})
		if len(f.Loops) != 1 {
			t.Fatalf("%s: %d loops", body, len(f.Loops))
		}
		l := f.Loops[0]
		got := fmt.Sprintf("%d turns, complete %v, claim %v", l.Turns, l.Complete, l.Claim != "")
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestCoverage: with Options.Coverage the lines are listed that executions come to, and no others.
func TestCoverage(t *testing.T) {
	m := compile(t, "", prelude+
		"int main(void) {\n#line 1\nint z = 0, x = nondet_int();\nif (z)\nz = 5;\nif (x)\nz = 6;\nreturn z; }\n")
	lines := map[int]bool{}
	for at := range encodeMain(t, m, Options{Coverage: true}).Covered {
		if at.Instr != nil && at.To == nil {
			lines[at.Instr.Pos.Line] = true
		}
	}
	if want := map[int]bool{1: true, 2: true, 4: true, 5: true, 6: true}; fmt.Sprint(lines) != fmt.Sprint(want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
}

// TestListClaims: claims are listed of the functions that were visited alone, without those that are not asked for.
func TestListClaims(t *testing.T) {
	m := compile(t, "", "int a(int x) { return x + 1; } int b(int x) { return x / 2 + a(x); }\n")
	visited := func(b *ir.Block) bool { return b.Func.Name == "b" }
	var got []string
	for _, c := range ListClaims(m, verdict.CheckSet{verdict.SignedOverflow: true}, ir.LeakFreed, visited) {
		name, _, _ := strings.Cut(c.ID, "#")
		got = append(got, name)
	}
	if want := []string{"signed-overflow@b", "signed-overflow@b"}; !slices.Equal(slices.Compact(got), want[:1]) {
		t.Errorf("claims %v, want some of %v", got, want[:1])
	}
}

// TestMessages: a violation says which object is left, and where.
func TestMessages(t *testing.T) {
	for body, want := range map[string]string{
		"int a[4];\na[4] = 1;": "index out of bounds: offset 16 of object `a` (16 bytes)",
		"int a[4]; unsigned i = nondet_uint();\n__VERIFIER_assume(i > 3 && i < 5); a[i] = 1;": "index out of bounds: " +
			"offset 16 of object `a` (16 bytes)",
		"int posix_memalign(void **, unsigned long, unsigned long); void **p = malloc(8); if (p) { free(p);\n" +
			"posix_memalign(p, 16, 8); }": "write of `block allocated at line 1` (8 bytes), which is freed",
		"char *p = malloc(4); if (p) { free(p);\n*p = 1; }": "write of `block allocated at line 1` (4 bytes), which is freed",
	} {
		f := encodeMain(t, compile(t, "", prelude+"int main(void) {\n#line 1\n"+body+"\nreturn 0; }\n"), Options{})
		solver := solve.New(f.Store, solve.Options{})
		got := ""
		for _, a := range f.Assumptions {
			solver.Assert(a)
		}
		for _, c := range f.Claims {
			if a, _ := solver.Check(context.Background(), c.Violated); c.Check == verdict.Memory && a == solve.Sat {
				got = c.Describe(f.Store.NewEvaluator(solver.Model(), ilr.EvalFloat))
			}
		}
		solver.Close()
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestMathInts: arithmetic over the integers does not overflow, but a shift still loses bits.
func TestMathInts(t *testing.T) {
	for op, want := range map[string]bool{"add": false, "mul": false, "shl": true} {
		o := operation{op, "i3", "i3", "%r = " + op + " nsw i3 %a, %b"}
		f := encodeMain(t, o.module(t), Options{Checks: verdict.CheckSet{verdict.SignedOverflow: true}, MathInts: true})
		if got := len(f.Claims) > 0; got != want {
			t.Errorf("%s nsw: claims %v, want %v", op, got, want)
		}
	}
}

// TestVariadicElsewhere: arguments behind the named ones, where va_arg is an instruction.
func TestVariadicElsewhere(t *testing.T) {
	m := compile(t, "msp430", `unsigned char nondet_uchar(void); void __VERIFIER_assert(int);
static int sum(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int);
  r += __builtin_va_arg(l, long) / 2; __builtin_va_end(l); return r; }
#line 1
int main(void) { int r = sum(2, nondet_uchar(), 6l);
__VERIFIER_assert(r >= 3 && r < 259);
__VERIFIER_assert(r != 10); return 0; }
`)
	if got := strings.Join(violated(t, encodeMain(t, m, Options{})), " "); got != "assert:3" {
		t.Errorf("got %q", got)
	}
}

// TestBigEndian: of a word that was written as a whole, a byte is read where the target has it.
func TestBigEndian(t *testing.T) {
	m := compile(t, "mips-linux-gnu", `unsigned nondet_uint(void); void __VERIFIER_assume(int); void __VERIFIER_assert(int);
static int a[1000];
int main(void) { unsigned i = nondet_uint(); __VERIFIER_assume(i < 1000); a[i] = 0x01020304; int b = 0x05060708;
#line 1
__VERIFIER_assert(((char *)a)[13] == 0 || ((char *)a)[13] == 2);
__VERIFIER_assert(((char *)a)[13] == 0); __VERIFIER_assert(((short *)&b)[1] == 0x0708); return 0; }
`)
	if got := strings.Join(violated(t, encodeMain(t, m, Options{})), " "); got != "assert:2" {
		t.Errorf("got %q", got)
	}
}

// TestScopeMarks: at -O1 the scope of a local is between two intrinsics: behind it its contents are gone, and no
// longer than that.
func TestScopeMarks(t *testing.T) {
	const head = "target triple = \"x86_64-unknown-linux-gnu\"\ndeclare void @llvm.lifetime.start.p0i8(i64, i8*)\n" +
		"declare void @llvm.lifetime.end.p0i8(i64, i8*)\ndefine i32 @main() {\n  %x = alloca i32\n" +
		"  %b = bitcast i32* %x to i8*\n"
	const start, end = "  call void @llvm.lifetime.start.p0i8(i64 4, i8* %b)\n",
		"  call void @llvm.lifetime.end.p0i8(i64 4, i8* %b)\n"
	const write = "  store i32 1, i32* %x\n"
	const read = "  %v = load i32, i32* %x\n  %q = udiv i32 7, %v\n"
	for text, want := range map[string]string{
		start + write + read + end:                 "",
		start + write + end + read:                 "memory",
		start + write + end + start + read:         "uninitialised",
		start + write + end + start + write + read: "",
	} {
		f := encodeMain(t, readText(t, head+text+"  ret i32 0\n}\n"), Options{})
		got := ""
		for _, x := range violated(t, f) {
			if name, _, _ := strings.Cut(x, ":"); name != "div-by-zero" {
				got += name
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestScalarParts: the scalar that holds a byte of a declared object, and the elements of what is an array of numbers.
func TestScalarParts(t *testing.T) {
	m := compile(t, "", `struct { char c; int v; short s[2]; void *p; } a; int b; int c[2][3]; float d[4]; char *e[4];
struct { int x, y; } f[3]; typedef int four __attribute__((vector_size(16))); four g;`)
	e := &encoder{Space: memory.NewSpace(t.Context(), &m.Layout, ilr.NewStore(nil), memory.Setting{}), lay: &m.Layout}
	object := func(name string) *memory.Object {
		for _, g := range m.Globals {
			if g.Name == name {
				return &memory.Object{Elem: g.T}
			}
		}
		t.Fatal("no " + name)
		return nil
	}
	for _, c := range []struct {
		name     string
		k, at, n int64
	}{{"a", 0, 0, 1}, {"a", 2, 2, 1}, {"a", 6, 4, 4}, {"a", 9, 8, 2}, {"a", 10, 10, 2}, {"a", 13, 13, 1},
		{"a", 16, 16, 8},
		{"c", 13, 12, 4}, {"f", 20, 20, 4}, {"g", 5, 4, 4}} {
		if at, n := e.Leaf(object(c.name).Elem, c.k); at != c.at || n != c.n {
			t.Errorf("byte %d of %s: %d bytes at %d, want %d at %d", c.k, c.name, n, at, c.n, c.at)
		}
	}
	for name, want := range map[string]int64{"a": 0, "b": 0, "c": 4, "d": 0, "e": 0, "f": 0} {
		if got := e.elementSize(object(name)); got != want {
			t.Errorf("elements of %s have %d bytes, want %d", name, got, want)
		}
	}
}
