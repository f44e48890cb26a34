package editors

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// inlayHints shows what generated harnesses assume of parameters behind them, and the rest at the head of the function.
func (s *Server) inlayHints(_ context.Context, params json.RawMessage) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []inlayHint{}
	p, _, d, of, err := s.asked(params)
	if err != nil || of == nil || of.report == nil {
		return out, err
	}
	for _, f := range functionsOf(d.text) {
		head := positionIn(d.text, f.head)
		if at := positionIn(d.text, f.at).Line; at > p.Range.End.Line || head.Line < p.Range.Start.Line {
			continue
		}
		hints := map[position]int{} // index into out
		for _, a := range of.assumptionsOf(f.name) {
			at := positionIn(d.text, f.list)
			for _, param := range f.params {
				if root, _, _ := strings.Cut(a.Subject, "."); root == param.name {
					at = positionIn(d.text, param.end)
				}
			}
			i, there := hints[at]
			if !there {
				i = len(out)
				hints[at] = i
				out = append(out, inlayHint{Position: at, PaddingLeft: true})
			}
			out[i].Label = append(out[i].Label, of.label(f.name, a))
		}
	}
	return out, nil
}

// assumptionsOf lists what any call of a function assumes of its arguments, of memory and of other code, each once.
func (of *project) assumptionsOf(name string) []verdict.Assumption {
	var out []verdict.Assumption
	for _, r := range of.report.Results {
		if r.Entry != AnyCall+name {
			continue
		}
		for _, a := range r.Assumptions {
			if a.Subject != "" && (a.Guessed() || a.Relation == verdict.Extent || a.Origin == verdict.Declared) {
				out = verdict.AddAssumptions(out, a)
			}
		}
	}
	return out
}

// longestHint is how many characters of an assumption stand in a line; its tooltip has all.
const longestHint = 60

// label is an assumption, which a click changes where a line of the manifest can.
func (of *project) label(name string, a verdict.Assumption) labelPart {
	text := a.Text
	if a.Guessed() {
		text = "if " + text
	}
	if long := []rune(text); len(long) > longestHint {
		text = string(long[:longestHint]) + "…"
	}
	l := labelPart{Value: "⟨" + text + "⟩", Tooltip: fmt.Sprintf("%s (%s)", a.Text, origins[a.Origin])}
	switch function, kind, isStub := reports.StubLine(&a); {
	case isStub:
		l.Command = &editorCommand{"change this", cmdStub, []string{of.dir, function, kind}}
	default:
		place, text, ok := reports.AssumeLine(AnyCall+name, &a)
		if !ok && a.Relation == verdict.Limit {
			place, text, ok = name+"."+a.Subject, "0..64", true
		}
		if ok {
			l.Command = &editorCommand{"change this", cmdAssume, []string{of.dir, place, text}}
		}
	}
	if l.Command != nil {
		l.Tooltip += ": change this in the manifest"
	}
	return l
}
