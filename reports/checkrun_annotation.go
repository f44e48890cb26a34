package reports

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Annotation is a note on lines of a file, with GitHub's field names and limits.
type Annotation struct {
	Path        string `json:"path"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	StartColumn int    `json:"start_column,omitempty"`
	EndColumn   int    `json:"end_column,omitempty"`
	Level       string `json:"annotation_level"` // notice, warning, failure
	Message     string `json:"message"`
	Title       string `json:"title,omitempty"`
	RawDetails  string `json:"raw_details,omitempty"`
}

// LineRange is inclusive, lines from 1.
type LineRange struct{ From, To int }

func annotation(r *verdict.Result, c *verdict.Claim) Annotation {
	a := Annotation{Path: c.Pos.File, StartLine: c.Pos.Line, EndLine: c.Pos.Line, Level: "failure",
		Title: cutPlain(line(fmt.Sprintf("%s (%s)", c.Check, r.Target)), maxTitle),
		Message: cutPlain(plain(fmt.Sprintf("%s\nIn harness %s on %s; claim %s.", c.Message, r.Entry, r.Target, c.ID)),
			maxRaw-1)}
	if c.Baseline == verdict.Known {
		a.Level, a.Title = "notice", cutPlain("known: "+a.Title, maxTitle)
	}
	if c.Pos.Column > 0 {
		a.StartColumn, a.EndColumn = c.Pos.Column, c.Pos.Column
	}
	if len(c.Trace) > 0 {
		what := "Counterexample"
		if goesOn(c) {
			what = "The first steps of a run that never ends"
		}
		a.RawDetails = cutPlain(plain(what+", replay "+string(c.Replay)+":\n"+
			strings.Join(TraceLines(outside(c.Trace)), "\n")), maxRaw-1)
	}
	return a
}

// causeIn returns the last step of a trace on a changed line that the failure depends on; nil if there is none.
func causeIn(c *verdict.Claim, changed map[string][]LineRange) *verdict.Step {
	for i := len(c.Trace) - 1; i >= 0; i-- {
		if s := &c.Trace[i]; s.Relevant && inPath(s.Pos.File) && touches(changed[s.Pos.File], s.Pos.Line) {
			return s
		}
	}
	return nil
}

// causeNote tells at a changed line of the finding a elsewhere that it brings about.
func causeNote(a Annotation, c *verdict.Claim, s *verdict.Step) Annotation {
	out := a
	out.Path, out.StartLine, out.EndLine, out.StartColumn, out.EndColumn = s.Pos.File, s.Pos.Line, s.Pos.Line, 0, 0
	out.Title = cutPlain(line(fmt.Sprintf("brings about %s at %s", a.Title, c.Pos)), maxTitle)
	what := s.What + " = " + s.Value
	if s.Kind != verdict.StepAssign && s.Kind != verdict.StepInput {
		what = string(s.Kind) + " " + s.What
	}
	out.Message = cutPlain(plain(fmt.Sprintf("%s: the failure at %s depends on it.\n%s", line(what), c.Pos, a.Message)),
		maxRaw-1)
	return out
}

// dedupe keeps the first of annotations that would read the same.
func dedupe(in []Annotation) []Annotation {
	seen := map[string]bool{}
	var out []Annotation
	for _, a := range in {
		k := fmt.Sprintf("%s\x00%d\x00%s", a.Path, a.StartLine, a.Message)
		if !seen[k] {
			seen[k] = true
			out = append(out, a)
		}
	}
	return out
}

func touches(ranges []LineRange, line int) bool {
	for _, r := range ranges {
		if r.From <= line && line <= r.To {
			return true
		}
	}
	return false
}
