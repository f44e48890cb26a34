package encode

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Reached is the condition on which executions come to a place, in one context and turn.
type Reached struct {
	Guard ilr.Term // earlier claims satisfied, assumptions held
	Loose ilr.Term // the same without asking that earlier claims are satisfied
}

// Places are the conditions of reaching one place in several contexts and turns.
type Places struct {
	All  []Reached
	More bool // than are listed
}

func (e *encoder) addPlace(p *Places, st *memory.State) {
	r := Reached{st.PC.All, st.PC.Unguarded}
	switch n := len(p.All); {
	case n > 0 && (p.All[n-1] == r || e.s.IsTrue(p.All[n-1].Guard)):
	case n == policy.Places:
		p.More = true
	default:
		p.All = append(p.All, r)
	}
}

// Assumption is one of the program, in one context and turn.
type Assumption struct {
	Instr         *ir.Instr
	Before, After ilr.Term // executions come to it; they go on behind it
}

// suppose ends the paths of st on which cond, of the assumption in, does not hold.
func (e *encoder) suppose(st *memory.State, in *ir.Instr, cond ilr.Term) {
	if st.PC == nil {
		return
	}
	a := Assumption{Instr: in, Before: st.PC.All, After: e.s.False()}
	if st.PC = e.And(st.PC, cond); st.PC != nil {
		a.After = st.PC.All
	}
	e.f.Assumed = append(e.f.Assumed, a)
}

// Tests are the branches that decide whether executions come to a block which only failing ones come to. Places has where
// an assertion begins that fails there, too.
type Tests struct {
	Places
	Branches []*ir.Instr
	Ways     []Way // of the calls of their function, in their order; the last ones are joined where there are too many
}

// Way is on which conditions executions come to branches, and take another way there.
type Way struct {
	Reached, Pass ilr.Term
	in            *frame
}

// noteTests records that the branch in is reached for those of its targets which only failing executions take:
// what always fails when it is reached is looked at where the branch before it is. first is the condition of the
// branch's first target.
func (e *encoder) noteTests(fr *frame, st *memory.State, in *ir.Instr, first ilr.Term) {
	if st.PC == nil {
		return
	}
	for i, t := range in.Targets {
		blocks, known := e.failing[t]
		if !known {
			blocks = ir.FailingBlocks(t)
			e.failing[t] = blocks
		}
		for _, b := range blocks {
			x := e.testsOf(b)
			e.addPlace(&x.Places, st)
			x.addWay(e.s, Way{st.PC.All, e.besides(st, in, i, first), fr})
			if !slices.Contains(x.Branches, in) {
				x.Branches = append(x.Branches, in)
			}
		}
	}
	if b := e.assertedFrom(in.Block); b != nil {
		e.addPlace(&e.testsOf(b).Places, st)
	}
}

// testsOf returns the tests of a block, to be added to.
func (e *encoder) testsOf(b *ir.Block) *Tests {
	if e.f.Tests[b] == nil {
		e.f.Tests[b] = &Tests{}
	}
	return e.f.Tests[b]
}

// assertedFrom returns the block in which an assertion fails whose test begins at the end of b: of `assert(p || q)` that is
// looked at where p is.
func (e *encoder) assertedFrom(b *ir.Block) *ir.Block {
	to, known := e.asserted[b]
	if !known {
		if a := ir.AssertionAt(b); a != nil && a.Failure.AlwaysFails() {
			to = a.Failure.Block
		}
		e.asserted[b] = to
	}
	return to
}

func (t *Tests) addWay(s *ilr.Store, w Way) {
	if n := len(t.Ways); n > 0 && (t.Ways[n-1].in == w.in || n == policy.Places) {
		last := &t.Ways[n-1]
		last.Reached, last.Pass = s.Or(last.Reached, w.Reached), s.Or(last.Pass, w.Pass)
		return
	}
	t.Ways = append(t.Ways, w)
}

// besides is the condition of reaching the branch in and not going to its i-th target.
func (e *encoder) besides(st *memory.State, in *ir.Instr, i int, first ilr.Term) ilr.Term {
	switch {
	case in.Op != ir.OpCondBr:
		return st.PC.All
	case i == 0:
		first = e.s.Not(first)
	}
	if p := e.And(st.PC, first); p != nil {
		return p.All
	}
	return e.s.False()
}

// noteLines notes where lines of the source begin, for coverage.
func (i *funcInfo) noteLines(f *ir.Func) {
	i.starts = make([]bool, f.NumInstr)
	for _, b := range f.Blocks {
		for _, in := range ir.LineStarts(b) {
			i.starts[in.ID] = true
		}
	}
}

// cover records that executions come to at on the condition of st.
func (e *encoder) cover(st *memory.State, at ir.Spot) {
	p := e.f.Covered[at]
	if p == nil {
		p = &Places{}
		e.f.Covered[at] = p
	}
	e.addPlace(p, st)
}
