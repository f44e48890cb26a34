package harness

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// longerPrefix starts the names of the functions that Longer makes.
const longerPrefix = "firmproof.longer."

// Longer adds harnesses of f in which strings and what lengths count get past the arrays that its code has, the structures
// with such in them, and the numbers that it compares with: 64 bytes of `char name[64]` take a string of 64 characters to be
// too small. Where a variable is cut to a byte, they get past that once more: 256 is 0 then. The first gets
// past those of a few hundred, the second past larger ones. None where Harness's limits are past them, or none is in the way.
func (p *Program) Longer(f *ir.Func) (out []*Harnessed) {
	last := int64(min(policy.HarnessString, policy.HarnessCount) - 1)
	for i, most := range []int64{policy.LongerFirst, policy.LongerMost} {
		past := p.longest(f, most)
		if past <= last {
			continue
		}
		last = past
		var made *harness
		name := fmt.Sprintf("%s%d.", longerPrefix, i)
		h, err := p.callOf(f, name, func(h *harness) { made, h.variant, h.past = h, name, past })
		if err == nil && made.widened {
			out = append(out, h)
		}
	}
	return out
}

// limit returns the most of something that is counted: as room says, or past the numbers of the code.
func (h *harness) limit(most, wide int64) int64 {
	if h.past >= most {
		h.widened = true
		return h.past + 2 // one more, and the end of a string
	}
	return h.room(most, wide)
}

// longest returns the largest size of an array or of what one is in, or number that is compared with, in the code that f
// reaches, up to a limit; 0: there is none.
func (p *Program) longest(f *ir.Func, limit int64) int64 {
	reached := p.reachOf(f)
	most, cut := int64(0), false
	note := func(n int64) {
		if n <= limit {
			most = max(most, n)
		}
	}
	for f := range reached.Funcs {
		if f.Made || f.IsDecl() || strings.HasPrefix(f.Pos.File, verdict.LibraryDir) {
			continue
		}
		for _, v := range f.Vars {
			if v.T != nil && v.T.Kind == ir.DPointer {
				eachArray(v.T.Elem, note, 0)
			}
			eachArray(v.T, note, 0)
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpTrunc && in.T.Width == 8 {
					from, ok := in.Args[0].(*ir.Instr)
					cut = cut || ok && from.Op == ir.OpLoad
				}
				for _, v := range in.Args {
					if c, ok := v.(*ir.Const); ok && in.Op == ir.OpIcmp && c.Kind == ir.ConstInt && c.Bits.Signed().IsInt64() {
						note(c.Bits.Signed().Int64())
					}
				}
			}
		}
	}
	for g := range reached.Globals {
		if g.Var != nil {
			eachArray(g.Var.T, note, 0)
		}
	}
	if cut {
		note(most + 1<<8)
	}
	return most
}

// eachArray visits the sizes of the arrays of numbers in an object of type t, and the bytes of the structures that they are
// in.
func eachArray(t *ir.DType, visit func(int64), depth int) {
	switch {
	case t == nil || depth > policy.HeldDepth:
	case t.Kind == ir.DArray && ir.IsNumber(t.Elem):
		visit(t.Count)
	case t.Kind == ir.DArray:
		eachArray(t.Elem, visit, depth+1)
	case ir.IsAggregate(t):
		within := false
		for i := range t.Fields {
			eachArray(t.Fields[i].T, func(n int64) { within = true; visit(n) }, depth+1)
		}
		if within {
			visit(ir.SizeInC(t))
		}
	}
}
