package trace_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// TestTrace compares the steps of runs with those at the end of the programs, one `//` line each.
func TestTrace(t *testing.T) {
	for name, list := range map[string][]int64{"ring": {5, 3, 200, 7}, "blocks": {0x40490fdb}, "locals": nil, "addresses": nil,
		"calls": nil} {
		t.Run(name, func(t *testing.T) { testTrace(t, "testdata/"+name+".c", list) })
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
	m := testprogram.File(t, path, "cortex-m3")
	src := &testprogram.Inputs{List: list, Mallocs: true}
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
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(program+"// Steps:\n"+b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
