package graphterm

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/seg"
	"github.com/firmproof/firmproof/verifier/termination"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// loopTurns bounds the turns of the loops by the steps of the system: every path
// of the graph ends at the next loop head, so a head is reached as often as the
// transitions into its locations, one per call stack, run. A loop without a bound
// is left out.
func loopTurns(sys *its.System, legend seg.Legend, cost termination.Cost) []verdict.LoopTurns {
	visits := map[seg.Head]*termination.Bound{}
	for l := its.Loc(0); int(l) < len(sys.Locs); l++ {
		if h, ok := legend.Heads[l]; ok {
			n := cost.Visits(sys, l)
			if before, seen := visits[h]; seen {
				n = n.Plus(before)
			}
			visits[h] = n
		}
	}
	var out []verdict.LoopTurns
	graphs := map[*ir.Func]*unwind.Graph{}
	for h, n := range visits {
		g := graphs[h.Func]
		if g == nil {
			g = unwind.Analyse(h.Func)
			graphs[h.Func] = g
		}
		l := g.Inner(h.Block)
		if n == nil || l == nil || l.Header != h.Block {
			continue
		}
		t := verdict.LoopTurns{Name: l.Name, Pos: l.Pos, Bound: n.Format(sys.VarName)}
		if c, ok := n.Constant(); ok {
			if k, small := c.Int64(); small && k <= policy.MaxLoopBound {
				t.Turns = int(k)
			}
		}
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
