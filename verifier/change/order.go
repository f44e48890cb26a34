package change

import (
	"cmp"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Turns numbers the functions of m with a body, by name, in the order in which they are best compared: callees before those
// that call them, as what is shown of one is of use for its callers, and of these the shorter ones first.
func Turns(m *ir.Module) map[string]int {
	type extent struct {
		level  int // calls below it, one in the other; of recursion, some
		instrs int
	}
	extents := map[*ir.Func]extent{}
	var levelOf func(f *ir.Func) int
	levelOf = func(f *ir.Func) int {
		if e, known := extents[f]; known {
			return e.level
		}
		list := instrsOf(f)
		extents[f] = extent{0, len(list)} // what calls itself comes here
		level := 0
		for _, in := range list {
			if g := ir.CalledFunc(in); g != nil && !g.IsDecl() {
				level = max(level, levelOf(g)+1)
			}
		}
		extents[f] = extent{level, len(list)}
		return level
	}
	var order []*ir.Func
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			levelOf(f)
			order = append(order, f)
		}
	}
	slices.SortStableFunc(order, func(f, g *ir.Func) int {
		a, b := extents[f], extents[g]
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.instrs, b.instrs))
	})
	turns := map[string]int{}
	for i, f := range order {
		turns[f.Name] = i
	}
	return turns
}
