package prepare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/cbmc"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// cbmcLoops translates CBMC's names of loops; static functions have the names of goto-cc.
func cbmcLoops(m *ir.Module, list []cbmc.LoopBound) map[string]int {
	funcs := map[string]*ir.Func{}
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			funcs[cbmc.Mangled(f.Pos.File, f.CName)] = f
		}
	}
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			funcs[f.CName] = f
			funcs[f.Name] = f
		}
	}
	out := map[string]int{}
	for _, l := range list {
		f := funcs[l.Func]
		if f == nil {
			continue
		}
		if loops := jumpsBack(f); l.Loop < len(loops) && loops[l.Loop].loop != nil {
			out[loops[l.Loop].loop.Name] = l.K
		}
	}
	return out
}

// jumpBack is a statement that is a loop for CBMC.
type jumpBack struct {
	at   int          // twice the index of the block that it stands in front of, or one more for its end
	loop *unwind.Loop // nil: do ... while (0), which clang makes no loop of
}

// jumpsBack returns the loops of f as CBMC numbers them: by the place of the jump back. The blocks are in the order of
// the text, and clang names those of do statements.
func jumpsBack(f *ir.Func) []jumpBack {
	var out []jumpBack
	headers := map[*ir.Block]bool{}
	for _, l := range unwind.Analyse(f).Loops {
		headers[l.Header] = true
		out = append(out, jumpBack{2*l.Latches[len(l.Latches)-1].Index + 1, l})
	}
	var open []*ir.Block // the bodies of do statements that have not ended
	for _, b := range f.Blocks {
		switch strings.TrimRight(b.Name, "0123456789") {
		case "do.body":
			open = append(open, b)
		case "do.end":
			if n := len(open); n > 0 {
				if !headers[open[n-1]] {
					out = append(out, jumpBack{at: 2 * b.Index})
				}
				open = open[:n-1]
			}
		}
	}
	slices.SortFunc(out, func(a, b jumpBack) int { return cmp.Compare(a.at, b.at) })
	return out
}
