package termination

import (
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cyclesOf lists simple cycles with the given number of edges, from each of
// their locations; or the others, that pass a location with different edges.
func cyclesOf(comp []*edge, length int, again bool) [][]*edge {
	var out [][]*edge
	var walk func(path []*edge, seen map[its.Loc]bool)
	walk = func(path []*edge, seen map[its.Loc]bool) {
		if len(out) >= policy.SystemCycles {
			return
		}
		last := path[len(path)-1]
		closed := last.to == path[0].from
		if closed && len(path) == length && again == repeats(path) {
			out = append(out, append([]*edge(nil), path...))
		}
		if len(path) == length || (closed || seen[last.to]) && !again {
			return
		}
		before := seen[last.to]
		seen[last.to] = true
		for _, e := range comp {
			if e.from == last.to && e != last {
				walk(append(path, e), seen)
			}
		}
		seen[last.to] = before
	}
	for _, e := range comp {
		walk([]*edge{e}, map[its.Loc]bool{})
	}
	return out
}

// repeats reports whether path leaves some location twice.
func repeats(path []*edge) bool {
	left := map[its.Loc]bool{}
	for _, e := range path {
		if left[e.from] {
			return true
		}
		left[e.from] = true
	}
	return false
}
