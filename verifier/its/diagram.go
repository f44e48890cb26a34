package its

import "github.com/firmproof/firmproof/verifier/verdict"

// Diagram returns the system for reports: its locations, and its transitions with guards and updates.
func (s *System) Diagram() verdict.Diagram {
	d := verdict.Diagram{Title: "transition system"}
	for _, name := range s.Locs {
		d.Nodes = append(d.Nodes, []string{name})
	}
	for i := range s.Trans {
		t := &s.Trans[i]
		for _, target := range t.Targets() {
			d.Edges = append(d.Edges, verdict.Arrow{From: int(t.From), To: int(target.To), Label: labelLines(s, t,
				target)})
		}
	}
	return d
}
