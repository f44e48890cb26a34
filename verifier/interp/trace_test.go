package interp_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/cexpr"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
)

// TestTrace compares the steps of runs with those at the end of the programs, one `//` line each.
func TestTrace(t *testing.T) {
	for name, list := range map[string][]int64{"ring": {5, 3, 200, 7}, "blocks": {0x40490fdb}, "locals": nil, "addresses": nil,
		"calls": nil} {
		t.Run(name, func(t *testing.T) { testTrace(t, "testdata/trace/"+name+".c", list) })
	}
}

func testTrace(t *testing.T, path string, list []int64) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	program, want, ok := strings.Cut(string(data), "// Steps:\n")
	if !ok {
		t.Fatalf("%s: no steps", path)
	}
	m := compileFile(t, path, "cortex-m3")
	src := &listSource{list: list, mallocs: true}
	opts := interp.Options{Entry: m.Func("harness"), Observe: []interp.Observe{trace.Steps(trace.Options{})},
		Semantics: ir.Semantics{Regions: []ir.Region{{Name: "uart", Base: 0x40001000, Size: 16,
			Access: ir.AccessVolatile}}}}
	out, err := interp.Run(context.Background(), m, opts, src)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range out.Steps {
		fmt.Fprintf(&b, "// %s%d:%d %s: %s", strings.Repeat("  ", s.Depth), s.Pos.Line, s.Pos.Column, s.Kind, s.What)
		if s.Value != "" {
			b.WriteString(" = " + s.Value)
		}
		if s.Bytes != "" {
			b.WriteString(" [" + s.Bytes + "]")
		}
		if s.Type != "" {
			b.WriteString(" " + s.Type)
		}
		if s.Object > 0 {
			fmt.Fprintf(&b, " (object %d", s.Object)
			if s.Frame > 0 {
				fmt.Fprintf(&b, ", frame %d", s.Frame)
			}
			b.WriteByte(')')
		}
		b.WriteByte('\n')
	}
	if update {
		if err := os.WriteFile(path, []byte(program+"// Steps:\n"+b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFormatValue(t *testing.T) {
	state := &ir.DType{Kind: ir.DEnum, Name: "enum state", Bits: 32, Enum: []ir.DEnumerator{{Name: "IDLE", Value: 2},
		{Name: "BAD", Value: -1}}}
	for _, c := range []struct {
		t    *ir.DType
		b    bits.Vec
		want string
	}{
		{nil, bits.NewInt(16, -3), "-3"},
		{&ir.DType{Kind: ir.DInt, Bits: 8, Name: "uint8_t"}, bits.New(8, 200), "200"},
		{&ir.DType{Kind: ir.DChar, Bits: 8, Name: "const char", Signed: true}, bits.New(8, 'x'), "'x'"},
		{&ir.DType{Kind: ir.DChar, Bits: 8, Name: "uint8_t"}, bits.New(8, 'x'), "120"},
		{&ir.DType{Kind: ir.DBool, Bits: 8, Name: "_Bool"}, bits.New(8, 1), "true"},
		{state, bits.New(32, 2), "IDLE"},
		{state, bits.NewInt(32, -1), "BAD"},
		{state, bits.New(32, 7), "(enum state)7"},
		{&ir.DType{Kind: ir.DFloat, Bits: 32, Name: "float"}, bits.New(32, 0x3fc00000), "1.5f"},
		{&ir.DType{Kind: ir.DFloat, Bits: 64, Name: "double"}, bits.New(64, 0x7ff0<<48), "INFINITY"},
		{&ir.DType{Kind: ir.DFloat, Bits: 64, Name: "double"}, bits.New(64, 0x4008<<48), "3.0"},
		{&ir.DType{Kind: ir.DPointer, Bits: 32, Name: "char *"}, bits.New(32, 0), "NULL"},
		{&ir.DType{Kind: ir.DPointer, Bits: 32, Name: "char *"}, bits.New(32, 0x40001000), "0x40001000"},
	} {
		if got := cexpr.Value(c.t, c.b); got != c.want {
			t.Errorf("%v as %v: got %s, want %s", c.b, c.t, got, c.want)
		}
	}
}
