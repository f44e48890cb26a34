package seg

import (
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Fault is something that could not be shown of the paths of a graph.
type Fault struct {
	In    *ir.Instr
	Check verdict.Check // memory, free, leak, signed-overflow, shift, ...
	What  string
	Wraps bool // signed overflow, which Options.Wrap and SystemOptions.Overflow follow
}

// Cuts reports that the graph stands only for runs without the fault behind it, although a run that nobody asks
// about it may go on.
func (f Fault) Cuts() bool {
	return f.Check != verdict.Leak && f.Check != verdict.Assert && f.Check != verdict.Uninitialised
}

// Defined reports that the graph is complete, and that no run of it does anything undefined but what Overflows says.
func (g *Graph) Defined() bool {
	return g.Complete && !slices.ContainsFunc(g.Faults, func(f Fault) bool {
		return f.Cuts() && !f.Wraps
	})
}

// Frees reports that in every run no heap block is lost, and that none is left at the end that the rule asks for.
func (g *Graph) Frees() bool {
	return g.Complete && !(g.Modular && g.b.allocates && (g.b.unframed || g.b.endsInside)) &&
		!slices.ContainsFunc(g.Faults,
			func(f Fault) bool { return f.Check == verdict.Leak })
}

// Valued reports that no run of a complete graph reads memory that nobody wrote.
func (g *Graph) Valued() bool {
	return g.Complete && !slices.ContainsFunc(g.Faults, func(f Fault) bool { return f.Check == verdict.Uninitialised })
}

// fault notes what was not shown of s where it stands. Behind it, s stands for the runs in which it holds.
func (b *builder) fault(s *state, c verdict.Check, what string) {
	b.note(Fault{In: b.at(s), Check: c, What: what})
}

func (b *builder) note(f Fault) {
	if cut := b.current; !slices.Contains(cut.faults, f) {
		cut.faults = append(cut.faults, f)
	}
}

// faults collects those of the final paths of the cut points.
func (b *builder) faults(cuts []*cutPoint) []Fault {
	seen := map[Fault]bool{}
	var out []Fault
	add := func(f Fault) {
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	for _, c := range cuts {
		for _, f := range c.faults {
			add(f)
		}
		for _, e := range slices.Concat(c.edges, c.exits) {
			if e.loses {
				add(Fault{In: b.at(e.to.st), Check: verdict.Leak, What: "the last pointer to heap memory is not lost"})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Fault) int { return comparePlaces(x.In, y.In) })
	return out
}

// comparePlaces orders instructions by file, line and column.
func comparePlaces(x, y *ir.Instr) int {
	p, q := x.Pos, y.Pos
	switch {
	case p.File != q.File:
		return strings.Compare(p.File, q.File)
	case p.Line != q.Line:
		return p.Line - q.Line
	}
	return p.Column - q.Column
}
