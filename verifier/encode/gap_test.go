package encode

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// refused are programs that reach what is not modelled, which ends their paths with a reason.
var refused = []struct{ name, body, want string }{
	{"alignment of no bytes", "void *aligned_alloc(unsigned long, unsigned long); char *p = aligned_alloc(0, 8);",
		"gap:aligned_alloc with an alignment that is not a constant power of two"},
	{"function of 80 bits", "static long double a;\na = __builtin_fabsl(a);",
		"gap:floating point of more than 64 bits"},
}

func TestRefused(t *testing.T) {
	for _, p := range refused {
		t.Run(p.name, func(t *testing.T) {
			m := compile(t, "", prelude+"int main(void) {\n#line 1\n"+p.body+"\nreturn 0; }\n")
			if got := strings.Join(violated(t, encodeMain(t, m, Options{})), " "); got != p.want {
				t.Errorf("got %q, want %q", got, p.want)
			}
		})
	}
}

// TestStubWithPointers: what a stub's argument leads to is changed, unless there are pointers in it, those of its
// initialiser too: they would have to be followed.
func TestStubWithPointers(t *testing.T) {
	for object, want := range map[string]string{
		"struct { int v; } s = {1}": "assert:4",
		"struct { int *p; int v; } s = {&x, 1}": "gap:havoc stub change: `s` (16 bytes) holds pointers, " +
			"and what they lead to is not followed",
		"struct { int *p; int v; } s = {0, 1}": "assert:4",
	} {
		m := compile(t, "", "void change(void *); void __VERIFIER_assert(int); static int x;\nstatic "+object+
			";\nint main(void) { change(&s);\n__VERIFIER_assert(s.v == 1); return 0; }\n")
		for _, in := range m.Func("main").Blocks[0].Instrs {
			if k, ok := in.Callee.(*ir.Const); ok && k.Func == m.Func("change") {
				in.Model = ir.ModelStubHavoc
			}
		}
		if got := strings.Join(violated(t, encodeMain(t, m, Options{})), " "); got != want {
			t.Errorf("%s: got %q, want %q", object, got, want)
		}
	}
}

// TestPrintWithoutMemoryCheck: where no memory is checked, a printed text ends no path.
func TestPrintWithoutMemoryCheck(t *testing.T) {
	m := compile(t, "", prelude+"int printf(const char *, ...);\nint main(void) { char *t = 0; printf(\"%s\", t);\n"+
		"#line 1\n__VERIFIER_assert(0); return 0; }\n")
	f := encodeMain(t, m, Options{Checks: verdict.CheckSet{verdict.Assert: true}})
	if got := strings.Join(violated(t, f), " "); got != "assert:1" {
		t.Errorf("got %q", got)
	}
}

// TestWideComparison: a comparison of floats of 128 bits, for which the reader of LLVM text puts any value, is
// not modelled here.
func TestWideComparison(t *testing.T) {
	m := compile(t, "", "int main(void) { static __float128 a, b; return a > b; }\n")
	is := m.Func("main").Blocks[0].Instrs
	for i, in := range is {
		if in.Op == ir.OpAsm {
			*in = ir.Instr{Op: ir.OpFcmp, T: in.T, Pred: ir.FOGT, Args: []ir.Value{is[i-2], is[i-1]}, ID: in.ID,
				Block: in.Block, Pos: in.Pos}
		}
	}
	if got := strings.Join(violated(t, encodeMain(t, m, Options{})), " "); got !=
		"gap:floating point of more than 64 bits" {
		t.Errorf("got %q", got)
	}
}

// TestLargeBytes: where one path writes a large block as words, and another has new contents that it writes as half
// words, the block becomes one of bytes at their join. That ends with the limit of terms, and so do the paths behind it.
func TestLargeBytes(t *testing.T) {
	m := compile(t, "", prelude+`unsigned nondet_uint(void); void change(void *); static unsigned words[1 << 22];
static void put(unsigned i, unsigned j) {
  if (i > j) { words[i & 0x3fffff] = j; return; }
  change(words);
  ((unsigned short *)words)[j & 0x3fffff] = i;
}
int main(void) { put(nondet_uint(), nondet_uint());
#line 1
__VERIFIER_assert(words[5] == 0); return 0; }
`)
	for _, b := range m.Func("put").Blocks {
		for _, in := range b.Instrs {
			if k, ok := in.Callee.(*ir.Const); ok && k.Func == m.Func("change") {
				in.Model = ir.ModelStubHavoc
			}
		}
	}
	f := encodeMain(t, m, Options{MaxTerms: 20_000})
	if n := f.Store.Len(); n > 22_000 {
		t.Errorf("%d terms", n)
	}
	if got := strings.Join(violated(t, f), " "); got != "gap:"+tooManyTerms {
		t.Errorf("got %q", got)
	}
}
