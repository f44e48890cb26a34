package reports

import (
	"encoding/json"
	"html/template"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// traceData is a counterexample as the viewer reads it. A step is a row of numbers: file, line, column, function, kind,
// what, value, bytes, type, depth, whether it matters, object, frame, and the steps that it follows from. Texts are
// indices of Strings.
type traceData struct {
	Strings []string        `json:"strings"`
	Steps   [][]any         `json:"steps"`
	Object  *verdict.Object `json:"object,omitempty"`
	Big     bool            `json:"big,omitempty"` // the first byte of a number is its highest
	Test    string          `json:"test,omitempty"`
	Cycle   int             `json:"cycle,omitempty"` // verdict.Claim.Cycle
}

// kindNumbers are the kinds in the viewer's order.
var kindNumbers = map[verdict.StepKind]int{verdict.StepCall: 0, verdict.StepReturn: 1, verdict.StepAssign: 2,
	verdict.StepBranch: 3, verdict.StepInput: 4, verdict.StepVolatile: 5, verdict.StepInterrupt: 6,
	verdict.StepAlloc: 7,
	verdict.StepFree:  8, verdict.StepViolation: 9}

// TraceData is the counterexample of a claim for the viewer, as JSON that may stand in a script element.
func TraceData(r *verdict.Result, c *verdict.Claim) template.JS {
	d := traceData{Object: c.Object, Big: r.Machine != nil && r.Machine.Endian == "big", Test: CTest(r, c),
		Cycle: c.Cycle}
	index := map[string]int{}
	text := func(s string) int {
		s = plain(s)
		n, known := index[s]
		if !known {
			n = len(d.Strings)
			index[s] = n
			d.Strings = append(d.Strings, s)
		}
		return n
	}
	for _, s := range c.Trace {
		matters := 0
		if s.Relevant || s.Kind == verdict.StepViolation {
			matters = 1
		}
		row := []any{text(s.Pos.File), s.Pos.Line, s.Pos.Column, text(s.Pos.Function), kindNumbers[s.Kind],
			text(s.What),
			text(s.Value), text(s.Bytes), text(s.Type), s.Depth, matters, s.Object, s.Frame}
		if len(s.Causes) > 0 {
			row = append(row, s.Causes)
		}
		d.Steps = append(d.Steps, row)
	}
	return inScript(d)
}

// inScript is a value as JSON without a character that could end a script element.
func inScript(v any) template.JS {
	text, err := json.Marshal(v) // escapes <, > and &
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return template.JS(text)
}

// sourceSet collects the sources that the traces of a page go through.
type sourceSet struct {
	read  Source
	known map[string]verdict.Source
	need  map[string][2]int // lines that are needed, by file: first and last
}

// newSourceSet takes sources from read, or else from what the report has.
func newSourceSet(read Source, given map[string]verdict.Source) *sourceSet {
	s := &sourceSet{read: read, known: map[string]verdict.Source{}, need: map[string][2]int{}}
	for file, piece := range given {
		s.known[file] = piece
	}
	return s
}

// file returns what is known of a file.
func (s *sourceSet) file(name string) verdict.Source {
	piece, known := s.known[name]
	if !known && s.read != nil && name != "" {
		if text := s.read(name); len(text) > 0 {
			clean := plain(strings.ReplaceAll(string(text), "\r\n", "\n"))
			piece = verdict.Source{From: 1, Lines: strings.Split(strings.TrimSuffix(clean, "\n"), "\n")}
		}
		s.known[name] = piece
	}
	return piece
}

// needs notes the lines of a trace.
func (s *sourceSet) needs(steps []verdict.Step) {
	for _, t := range steps {
		if t.Pos.File == "" || t.Pos.Line <= 0 {
			continue
		}
		r, known := s.need[t.Pos.File]
		if !known {
			r = [2]int{t.Pos.Line, t.Pos.Line}
		}
		s.need[t.Pos.File] = [2]int{min(r[0], t.Pos.Line), max(r[1], t.Pos.Line)}
	}
}

// Sizes of sources on a page, in lines: whole files up to the first, else with so many around what is needed.
const (
	wholeFile   = 1500
	aroundTrace = 60
)

// pieces are the parts of files that the traces go through.
func (s *sourceSet) pieces() map[string]verdict.Source {
	out := map[string]verdict.Source{}
	for file, r := range s.need {
		piece := s.file(file)
		first, last := piece.From, piece.From+len(piece.Lines)-1
		if len(piece.Lines) == 0 || r[0] > last || r[1] < first {
			continue
		}
		if len(piece.Lines) > wholeFile {
			first, last = max(first, r[0]-aroundTrace), min(last, r[1]+aroundTrace)
		}
		out[file] = verdict.Source{From: first, Lines: piece.Lines[first-piece.From : last-piece.From+1]}
	}
	return out
}

// json returns the data that the viewer reads.
func (s *sourceSet) json() template.JS {
	type colouredSource struct {
		verdict.Source
		Marks [][]mark `json:"marks,omitempty"` // of each line
	}
	out := map[string]colouredSource{}
	pieces, left := s.pieces(), mostColoured
	for _, file := range sortedKeys(pieces) {
		piece := pieces[file]
		clean := colouredSource{Source: verdict.Source{From: piece.From}}
		for _, l := range piece.Lines {
			clean.Lines = append(clean.Lines, line(l))
		}
		if left -= len(clean.Lines); left >= 0 {
			clean.Marks = marksOf(file, clean.Lines)
		}
		out[plain(file)] = clean
	}
	return inScript(out)
}

// ReportSources are the sources that the violations of a report go through, and those that its coverage is about, for
// those who read it without them.
func ReportSources(r *verdict.Report, read Source) map[string]verdict.Source {
	s := newSourceSet(read, nil)
	for i := range r.Results {
		for j := range r.Results[i].Claims {
			if c := &r.Results[i].Claims[j]; c.Status == verdict.Violated {
				s.needs(c.Trace)
			}
		}
	}
	for _, f := range Coverage(r.Results) {
		for _, l := range f.Lines {
			s.needs([]verdict.Step{{Pos: verdict.Pos{File: f.Name, Line: l.Line}}})
		}
	}
	return s.pieces()
}

// SourceData is the part of a report's sources that one trace goes through, for the viewer.
func SourceData(r *verdict.Report, steps []verdict.Step) template.JS {
	s := newSourceSet(nil, r.Sources)
	s.needs(steps)
	return s.json()
}
