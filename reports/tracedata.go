package reports

import (
	"encoding/json"
	"html/template"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// traceData is a counterexample as the viewer reads it. A step is a row of numbers: file, line, column, function, kind,
// what, value, bytes, type, depth, whether it matters, and the steps that it follows from. Texts are indices of Strings.
type traceData struct {
	Strings []string        `json:"strings"`
	Steps   [][]any         `json:"steps"`
	Object  *verdict.Object `json:"object,omitempty"`
	Big     bool            `json:"big,omitempty"` // the first byte of a number is its highest
	Test    string          `json:"test,omitempty"`
}

// kindNumbers are the kinds in the viewer's order.
var kindNumbers = map[verdict.StepKind]int{verdict.StepCall: 0, verdict.StepReturn: 1, verdict.StepAssign: 2,
	verdict.StepBranch: 3, verdict.StepInput: 4, verdict.StepVolatile: 5, verdict.StepInterrupt: 6,
	verdict.StepAlloc: 7,
	verdict.StepFree:  8, verdict.StepViolation: 9}

// TraceData is the counterexample of a claim for the viewer, as JSON that may stand in a script element.
func TraceData(r *verdict.Result, c *verdict.Claim) template.JS {
	d := traceData{Object: c.Object, Big: r.Machine != nil && r.Machine.Endian == "big", Test: CTest(r, c)}
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
			text(s.Value), text(s.Bytes), text(s.Type), s.Depth, matters}
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
	split map[string][]string
	from  map[string][2]int // lines that are needed, by file: first and last
}

func newSourceSet(read Source) *sourceSet {
	return &sourceSet{read: read, split: map[string][]string{}, from: map[string][2]int{}}
}

// lines are the lines of a file, none where it is not known.
func (s *sourceSet) lines(file string) []string {
	if s.read == nil || file == "" {
		return nil
	}
	got, known := s.split[file]
	if !known {
		if text := s.read(file); len(text) > 0 {
			got = strings.Split(strings.TrimSuffix(plain(strings.ReplaceAll(string(text), "\r\n", "\n")), "\n"), "\n")
		}
		s.split[file] = got
	}
	return got
}

// needs notes the lines of a trace.
func (s *sourceSet) needs(steps []verdict.Step) {
	for _, t := range steps {
		if t.Pos.File == "" || t.Pos.Line == 0 {
			continue
		}
		r, known := s.from[t.Pos.File]
		if !known {
			r = [2]int{t.Pos.Line, t.Pos.Line}
		}
		s.from[t.Pos.File] = [2]int{min(r[0], t.Pos.Line), max(r[1], t.Pos.Line)}
	}
}

// sourcePiece is a part of a file.
type sourcePiece struct {
	From  int      `json:"from"`
	Lines []string `json:"lines"`
}

// Sizes of sources on a page, in lines: whole files up to the first, else with so many around what is needed.
const (
	wholeFile   = 1500
	aroundTrace = 60
)

// pieces are the parts of files that the traces go through.
func (s *sourceSet) pieces() map[string]sourcePiece {
	out := map[string]sourcePiece{}
	for file, r := range s.from {
		lines := s.lines(file)
		if len(lines) == 0 || r[0] > len(lines) {
			continue
		}
		first, last := 1, len(lines)
		if len(lines) > wholeFile {
			first, last = max(1, r[0]-aroundTrace), min(len(lines), r[1]+aroundTrace)
		}
		out[plain(file)] = sourcePiece{From: first, Lines: lines[first-1 : last]}
	}
	return out
}

func (s *sourceSet) json() template.JS { return inScript(s.pieces()) }
