package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// funcInfo holds what is known about a function before the walk.
type funcInfo struct {
	g       *unwind.Graph
	crosses []bool                  // by instruction id: used outside the loop it is computed in
	names   []string                // of the instructions' expressions, by instruction id
	ordinal []map[verdict.Check]int // by instruction id, from 1 among equal names
	scoped  map[*ir.Instr]bool      // allocas that have a scope (ir.Scoped)
	starts  []bool                  // by instruction id: of ir.LineStarts; nil without Options.Coverage
}

func newInfo(f *ir.Func, g *unwind.Graph) *funcInfo {
	i := &funcInfo{g: g, scoped: ir.Scoped(f), crosses: make([]bool, f.NumInstr), names: ir.SiteNames(f),
		ordinal: make([]map[verdict.Check]int, f.NumInstr)}
	type claimed struct {
		check verdict.Check
		name  string
	}
	next := map[claimed]int{}
	var leaks, last []*ir.Instr // numbered last: claims of these came later than those of the rest
	number := func(in *ir.Instr, c verdict.Check) {
		k := claimed{c, i.names[in.ID]}
		next[k]++
		if i.ordinal[in.ID] == nil {
			i.ordinal[in.ID] = map[verdict.Check]int{}
		}
		i.ordinal[in.ID][c] = next[k]
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && in.Model == ir.ModelPrintf || returns(in) {
				last = append(last, in)
			} else {
				for _, c := range checksOf(in) {
					number(in, c)
				}
			}
			if slices.Contains(leakEnds, in.Model) && in.Op == ir.OpCall {
				leaks = append(leaks, in)
			}
			for k, a := range in.Args {
				use := b
				if in.Op == ir.OpPhi {
					use = in.Incoming[k]
				}
				i.markUse(a, use)
			}
			if d, ok := in.Callee.(*ir.Instr); ok {
				i.markUse(d, b)
			}
		}
	}
	for _, in := range leaks {
		number(in, verdict.Leak)
	}
	for _, in := range last {
		for _, c := range checksOf(in) {
			number(in, c)
		}
	}
	return i
}

// leakEnds are calls that can end the program otherwise than by exit.
var leakEnds = []ir.Model{ir.ModelAssert, ir.ModelFail, ir.ModelAssertFail, ir.ModelTrapI}

// markUse notes a use of v in block use. A value is read from the newest turn of
// its definition; where another turn may be meant it crosses.
func (i *funcInfo) markUse(v ir.Value, use *ir.Block) {
	d, ok := v.(*ir.Instr)
	if !ok || d.Block == use {
		return
	}
	l := i.g.Inner(d.Block)
	if l != nil && !i.g.In(use, l) {
		i.crosses[d.ID] = true
	}
	for ; l != nil; l = l.Parent {
		if l.Irreducible {
			i.crosses[d.ID] = true
		}
	}
}

// id is the stable name of check c at in: check@function#digest, with a number behind the digest from the
// second of equal expressions on.
func (i *funcInfo) id(in *ir.Instr, c verdict.Check) string {
	id := fmt.Sprintf("%s@%s#%s", c, in.Block.Func.Name, i.names[in.ID])
	if n := i.ordinal[in.ID][c]; n > 1 {
		id += fmt.Sprintf(".%d", n)
	}
	return id
}

// callOrdinal numbers the calls of a function from 1, for the claims of call depth.
func (i *funcInfo) callOrdinal(in *ir.Instr) int {
	n := 0
	for _, b := range in.Block.Func.Blocks {
		for _, x := range b.Instrs {
			if x.Op == ir.OpCall {
				n++
			}
			if x == in {
				return n
			}
		}
	}
	return n
}
