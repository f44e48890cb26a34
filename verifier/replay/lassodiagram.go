package replay

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// lassoDiagram draws a run whose state repeats: the steps before the cycle as one edge, then the cycle. at is its head.
func lassoDiagram(entry string, at verdict.Pos, stem, cycle []verdict.Step) verdict.Diagram {
	d := verdict.Diagram{Title: "stem and cycle", Nodes: [][]string{{"start of " + entry},
		append([]string{"state at " + at.String()}, lastValues(stem, policy.CycleValues)...)}}
	d.Edges = append(d.Edges, verdict.Arrow{From: 0, To: 1, Label: []string{"stem: " + countSteps(len(stem))}})
	last := 1
	next := func(lines ...string) {
		d.Nodes = append(d.Nodes, lines)
		d.Edges = append(d.Edges, verdict.Arrow{From: last, To: len(d.Nodes) - 1, Label: []string{"goes on"}})
		last = len(d.Nodes) - 1
	}
	shown := cycle[:min(len(cycle), policy.CycleSteps)]
	for i := 0; i < len(shown); {
		pos := shown[i].Pos
		lines := []string{pos.String()}
		for ; i < len(shown) && shown[i].Pos == pos; i++ {
			lines = append(lines, stepText(&shown[i]))
		}
		next(lines...)
	}
	if more := len(cycle) - len(shown); more > 0 {
		next("... " + countSteps(more))
	}
	label := "cycle: nothing changes any more"
	if len(cycle) > 0 {
		label = "cycle: the state is the same after " + countSteps(len(cycle))
	}
	d.Edges = append(d.Edges, verdict.Arrow{From: last, To: 1, Label: []string{label}})
	return d
}

// lastValues are up to n values that variables had at the end of steps, those that were given last.
func lastValues(steps []verdict.Step, n int) []string {
	var out []string
	type variable struct {
		object int
		name   string
	}
	seen := map[variable]bool{}
	for i := len(steps) - 1; i >= 0 && len(out) < n; i-- {
		s := &steps[i]
		if v := (variable{s.Object, s.What}); s.Kind == verdict.StepAssign && !seen[v] {
			seen[v] = true
			out = append(out, stepText(s))
		}
	}
	return out
}

func stepText(s *verdict.Step) string {
	text := s.What
	if s.Value != "" {
		text += " = " + s.Value
	}
	if s.Kind != verdict.StepAssign {
		text = string(s.Kind) + " " + text
	}
	return text
}

func countSteps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}
