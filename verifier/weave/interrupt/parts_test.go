package interrupt

import (
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// TestAsmValues: an operand of inline assembly has a known value where it is a number, or an input that the template
// names once and no output overlaps.
func TestAsmValues(t *testing.T) {
	number := (&irbuild.Builder{}).Int(ir.Int(32), 7)
	undefined := &ir.Const{T: ir.Int(32), Kind: ir.ConstUndef}
	param := &ir.Param{T: ir.Int(32)}
	for _, c := range []struct {
		point   string
		v       ir.Value
		uses    int
		overlap bool
		want    bool
	}{
		{"number", number, 1, false, true}, {"number named twice", number, 2, false, true},
		{"input", param, 1, false, true}, {"input named twice", param, 2, false, false},
		{"input that an output overlaps", param, 1, true, false},
		{"any value", undefined, 1, false, true}, {"any value named twice", undefined, 2, false, false},
		{"any value that an output overlaps", undefined, 1, true, false},
	} {
		o := asmOperands{args: map[int]ir.Value{1: c.v}, uses: map[int]int{1: c.uses}, outputs: 1, overlap: c.overlap}
		if got := o.value("$1") != nil; got != c.want {
			t.Errorf("%s: known %v, want %v", c.point, got, c.want)
		}
	}
}

// TestAligned: parts of a copy are words only where the address is known to be one of a word.
func TestAligned(t *testing.T) {
	w := &interrupts{Builder: &irbuild.Builder{}}
	g := &ir.Const{T: ir.Ptr(32), Kind: ir.ConstAddr, Global: &ir.Global{Align: 4}}
	gep := func(of ir.Value, off int64, scales ...int64) *ir.Instr {
		return &ir.Instr{Op: ir.OpGep, T: ir.Ptr(32), Args: []ir.Value{of}, Off: off, Scales: scales}
	}
	for _, c := range []struct {
		point string
		v     ir.Value
		want  bool
	}{
		{"global", g, true}, {"a byte behind it", gep(g, 1), false}, {"a word behind it", gep(g, 4), true},
		{"elements of words", gep(g, 0, 4), true}, {"elements of bytes", gep(g, 0, 1), false},
		{"bytes of elements", gep(g, 0, 8, 2), false}, {"parameter", &ir.Param{T: ir.Ptr(32)}, false},
		{"local", &ir.Instr{Op: ir.OpAlloca, Align: 8}, true}, {"local of bytes", &ir.Instr{Op: ir.OpAlloca, Align: 1},
			false},
	} {
		if got := w.aligned(c.v, 4); got != c.want {
			t.Errorf("%s: %v, want %v", c.point, got, c.want)
		}
	}
}

// TestCopiesThroughPointers: a call through a pointer of which a handler may see the copy of an argument is not modelled,
// also where a variadic function takes it.
func TestCopiesThroughPointers(t *testing.T) {
	for f, want := range map[string]bool{
		"int f(struct s x, ...) { return x.v[0]; } int call(void) { return ((int (*)(struct s, ...))p)(a, 1, 2); }": true,
		"int f(struct s x) { return x.v[0]; } int call(void) { return ((int (*)(struct s))p)(a); }":                 true,
		"int f(int *x, ...) { return x[0]; } int call(void) { return ((int (*)(int *, ...))p)(a.v, 1, 2); }":        false,
	} {
		list := []Handler{{Name: "handler", Max: 1}}
		m := compileFor(t, "i386-linux-gnu", "struct s { int v[9]; } a; void *p; void handler(void) { a.v[0] = 1; }\n"+
			f+
			"\nint main(void) { p = f; return call(); }\n"+PointSource(list))
		if _, err := Interrupts(&Program{Module: m, Entries: []string{"main"}}, list); err != nil {
			t.Fatal(err)
		}
		got := false
		for _, b := range m.Func("call").Blocks {
			for _, in := range b.Instrs {
				got = got || in.Op == ir.OpUnsupported && strings.Contains(in.What, "argument by value")
			}
		}
		if got != want {
			t.Errorf("%s: not modelled %v, want %v", f, got, want)
		}
	}
}
