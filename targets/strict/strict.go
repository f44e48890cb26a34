// Package strict reads YAML written by people so that every mistake in it is
// reported, with its line, its column and the word that was probably meant.
//
// yaml.v3 parses; this package walks the nodes. Nothing is guessed: a string where
// a number belongs is a problem, an unknown key is a problem, a key given twice is a
// problem. All problems of a file are collected, so that one run shows them all.
package strict

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Limits bound what a document may cost to read.
type Limits struct {
	Bytes int // of text
	Nodes int // after aliases are followed
	Depth int // of nesting
}

// DefaultLimits are far above what a person writes.
func DefaultLimits() Limits { return Limits{Bytes: 1 << 20, Nodes: 20000, Depth: 40} }

// Problem is one mistake in a document.
type Problem struct {
	Line, Column int    // from 1; 0 when the document as a whole is meant
	Field        string // dotted path of the field, such as harnesses[0].unwind
	Message      string
	Suggestion   string // what to write instead, or empty
}

// String is `line:column: message, suggestion`.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:%d: ", p.Line, p.Column)
	}
	b.WriteString(p.Message)
	if p.Suggestion != "" {
		b.WriteString(", " + p.Suggestion)
	}
	return b.String()
}

// Error is a list of problems, in order of position.
type Error struct{ Problems []Problem }

// Error joins the problems with newlines.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Reader collects the problems found while a document is read.
type Reader struct {
	Homes    map[string]string // for keys: the path of the one map that they belong in, told where they stand elsewhere
	problems []Problem
}

// Add records a problem at a node.
func (r *Reader) Add(n *yaml.Node, field, suggestion, format string, args ...any) {
	p := Problem{Field: field, Message: fmt.Sprintf(format, args...), Suggestion: suggestion}
	if n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	r.problems = append(r.problems, p)
}

// Problems returns what was found, sorted by position.
func (r *Reader) Problems() []Problem {
	out := append([]Problem(nil), r.problems...)
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].Line != out[j].Line {
			return out[i].Line < out[j].Line
		}
		return out[i].Column < out[j].Column
	})
	return out
}

// Err is nil when nothing was found, else an *Error.
func (r *Reader) Err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &Error{Problems: r.Problems()}
}

// Parse reads one YAML document and returns its root. It returns nil, with a
// problem in r, if the text is no YAML, is empty, or passes a limit.
func (r *Reader) Parse(data []byte, lim Limits) *yaml.Node {
	if len(data) > lim.Bytes {
		r.Add(nil, "", "", "the file has %d bytes, more than the %d that are read", len(data), lim.Bytes)
		return nil
	}
	if i := strings.IndexByte(string(data), 0); i >= 0 {
		r.Add(&yaml.Node{Line: 1 + strings.Count(string(data[:i]), "\n"), Column: 1}, "", "",
			"the file holds a zero byte: it is no text")
		return nil
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		r.syntax(err)
		return nil
	}
	if err := dec.Decode(&second); err == nil {
		r.Add(&second, "", "remove the second `---`", "more than one document in the file")
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		r.Add(nil, "", "", "the file is empty")
		return nil
	}
	w := weigher{lim: lim, memo: map[*yaml.Node]int{}, open: map[*yaml.Node]bool{}}
	if n, msg := w.weigh(doc.Content[0], 0); msg != "" {
		r.Add(n, "", "", "%s", msg)
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

func (r *Reader) syntax(err error) {
	if err.Error() == "EOF" {
		r.Add(nil, "", "", "the file is empty")
		return
	}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		r.Add(nil, "", "", "%s", strings.Join(te.Errors, "; "))
		return
	}
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		r.Add(nil, "", "", "this is no YAML: %v", err)
		return
	}
	line, _ := strconv.Atoi(m[1])
	r.Add(&yaml.Node{Line: max(line, 1), Column: 1}, "", "", "this is no YAML: %s", m[2])
}

// weigher counts nodes as they are after aliases are followed, without following
// an alias twice.
type weigher struct {
	lim  Limits
	memo map[*yaml.Node]int
	open map[*yaml.Node]bool
}

func (w *weigher) weigh(n *yaml.Node, depth int) (*yaml.Node, string) {
	if depth > w.lim.Depth {
		return n, fmt.Sprintf("nested deeper than %d levels", w.lim.Depth)
	}
	if _, done := w.memo[n]; done {
		return nil, ""
	}
	if w.open[n] {
		return n, "an alias that contains itself"
	}
	w.open[n] = true
	defer delete(w.open, n)
	total := 1
	kids := n.Content
	if n.Kind == yaml.AliasNode {
		kids = []*yaml.Node{n.Alias}
	}
	for _, k := range kids {
		if at, msg := w.weigh(k, depth+1); msg != "" {
			return at, msg
		}
		total += w.memo[k]
		if total > w.lim.Nodes {
			return n, fmt.Sprintf("more than %d values once aliases are followed", w.lim.Nodes)
		}
	}
	w.memo[n] = total
	return nil, ""
}

// Resolve follows aliases.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// DidYouMean is the suggestion for a misspelt word: the nearest candidate.
func DidYouMean(word string, known []string) string {
	if near := verdict.Nearest(word, known); word != "" && near != "" {
		return "did you mean `" + near + "`?"
	}
	return ""
}

// Describe names the kind of a node for a message: "a list", "the number 3".
func Describe(n *yaml.Node) string {
	n = Resolve(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return "nothing"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "a map"
	}
	switch n.Tag {
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return "the truth value " + n.Value
	}
	return "`" + n.Value + "`"
}
