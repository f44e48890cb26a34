package prepare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Stop settles jobs that end after a stage before the engine.
func Stop(jobs []Job, stage string) {
	for i := range jobs {
		if j := &jobs[i]; j.Settled == nil {
			res := &verdict.Result{Target: j.Plan.Target, Claims: []verdict.Claim{}, Reason: &verdict.Reason{
				Kind: verdict.Cancelled, Detail: "stopped after " + stage + ", as asked"}}
			j.Complete(res)
			j.Settled = res
		}
	}
}

// loops are those of a program, by what bounds may call them.
type loops struct {
	byFunc map[string][]string // FUNC to FUNC.INDEX
	known  map[string]bool     // FUNC.INDEX and FILE:LINE
}

func loopsOf(m *ir.Module) *loops {
	l := &loops{map[string][]string{}, map[string]bool{}}
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		for _, loop := range unwind.Analyse(f).Loops {
			l.byFunc[f.Name] = append(l.byFunc[f.Name], loop.Name)
			l.known[loop.Name] = true
			l.known[fmt.Sprintf("%s:%d", loop.Pos.File, loop.Pos.Line)] = true
		}
	}
	return l
}

// expand names single loops where a bound names a function. The error is about the first bound that
// means no loop.
func (l *loops) expand(bounds map[string]int) (map[string]int, error) {
	out := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		switch {
		case l.known[name]:
			out[name] = bounds[name]
		case len(l.byFunc[name]) > 0:
			for _, loop := range l.byFunc[name] {
				if _, said := bounds[loop]; !said {
					out[loop] = bounds[name]
				}
			}
		default:
			return nil, fmt.Errorf("unwindset %s:%d: what its entries reach has no such loop%s", name, bounds[name],
				l.hint(name))
		}
	}
	return out, nil
}

// hint names loops that may be meant.
func (l *loops) hint(name string) string {
	f, _, _ := strings.Cut(name, ".")
	if own := l.byFunc[f]; len(own) > 0 {
		return ": " + f + " has " + strings.Join(own, ", ")
	}
	if near := verdict.Nearest(name, slices.Sorted(maps.Keys(l.known))); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
