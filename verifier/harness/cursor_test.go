package harness

import (
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
)

// TestEndOf: names that say that something is the end of a block, and words that only end like that.
func TestEndOf(t *testing.T) {
	for name, want := range map[string]string{"end": "", "dest_limit": "dest", "bufEnd": "buf", "pend": "p", "_stop": "", "End": "",
		"src_end_": "src"} {
		if of, is := endOf(name); !is || of != want {
			t.Errorf("%s: %q %v", name, of, is)
		}
	}
	for _, name := range []string{"send", "append", "next", "friend", "extend", "nonstop", "ends", "SEND", "backEND"} {
		if _, is := endOf(name); is {
			t.Errorf("%s is an end", name)
		}
	}
}

// TestEndIn: `edest` is the end of `dest` where a pointer of that name is beside it, and a word of its own elsewhere.
func TestEndIn(t *testing.T) {
	to := &ir.DType{Kind: ir.DPointer, Elem: &ir.DType{Kind: ir.DInt, Bits: 8}}
	of := func(names ...string) *ir.DType {
		s := &ir.DType{Kind: ir.DStruct}
		for _, n := range names {
			s.Fields = append(s.Fields, ir.DField{Name: n, T: to})
		}
		return s
	}
	if end, is := endIn(of("dest", "edest"), "edest"); !is || end != "dest" {
		t.Errorf("%q %v", end, is)
	}
	if _, is := endIn(of("ntry", "edest"), "edest"); is {
		t.Error("edest without dest is an end")
	}
	if end, is := endIn(of("dest", "dest_end"), "dest_end"); !is || end != "dest" {
		t.Errorf("%q %v", end, is)
	}
}
