package verdict

import (
	"cmp"
	"slices"
)

// Reach says whether executions come to a line, or go a way at a branch.
type Reach string

// What is known of a line or a way.
const (
	Reached         Reach = "reached"          // an execution comes there, earlier claims satisfied
	NotModelled     Reach = "not-modelled"     // something there, or on all ways there, is not modelled
	BeyondBound     Reach = "beyond-bound"     // not within the bounds: behind more loop turns or calls
	BehindViolation Reach = "behind-violation" // only executions that violate a claim before come there
	ReachUnknown    Reach = "unknown"          // nobody found out in time
	NeverReached    Reach = "never"            // no execution comes there, whatever its inputs
)

// reachOrder says how several places are summed: the first of these that one of them is.
var reachOrder = []Reach{Reached, NotModelled, BeyondBound, BehindViolation, ReachUnknown, NeverReached}

// Reaches lists the values of Reach, the strongest in a sum first.
func Reaches() []Reach { return slices.Clone(reachOrder) }

// Sum returns what is known of two places together, which may be empty.
func (r Reach) Sum(s Reach) Reach {
	rank := func(r Reach) int {
		if i := slices.Index(reachOrder, r); i >= 0 {
			return i
		}
		return len(reachOrder)
	}
	if rank(s) < rank(r) {
		return s
	}
	return r
}

// Coverage says which lines and branches the executions of an entry come to.
type Coverage struct {
	Unwind    int               `json:"unwind"` // turns of each loop that were looked at; 0: all
	Functions []CoveredFunction `json:"functions"`
}

// CoveredFunction is a function that an execution from the entry may call.
type CoveredFunction struct {
	Pos   Pos           `json:"location"`
	Reach Reach         `json:"reach"`
	Lines []CoveredLine `json:"lines"` // those with code, in order
}

// CoveredLine is a line with code.
type CoveredLine struct {
	Line  int     `json:"line"`
	Reach Reach   `json:"reach"`
	Ways  []Reach `json:"branches,omitempty"` // by branch in the order of the code: the way to each target
}

// Replace makes what is said to be one thing another.
func (c *Coverage) Replace(from, to Reach) {
	change := func(r *Reach) {
		if *r == from {
			*r = to
		}
	}
	for i := range c.Functions {
		f := &c.Functions[i]
		change(&f.Reach)
		for k := range f.Lines {
			change(&f.Lines[k].Reach)
			for w := range f.Lines[k].Ways {
				change(&f.Lines[k].Ways[w])
			}
		}
	}
}

// Sort puts functions and lines in the order of their places.
func (c *Coverage) Sort() {
	slices.SortFunc(c.Functions, func(a, b CoveredFunction) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Function, b.Pos.Function))
	})
	for i := range c.Functions {
		slices.SortFunc(c.Functions[i].Lines, func(a, b CoveredLine) int { return cmp.Compare(a.Line, b.Line) })
	}
}
