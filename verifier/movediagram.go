package verifier

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// relocateDiagrams moves the lines in the texts of the diagrams of a proof. Where it is not clear what a text names, there
// are no diagrams.
func relocateDiagrams(c *verdict.Certificate, from, to Places) {
	if c == nil || len(c.Diagrams) == 0 {
		return
	}
	m := &diagramMover{from: from, to: to}
	out := slices.Clone(c.Diagrams)
	for i := range out {
		d := &out[i]
		d.Nodes = slices.Clone(d.Nodes)
		for n := range d.Nodes {
			d.Nodes[n] = m.lines(d.Nodes[n])
		}
		d.Edges = slices.Clone(d.Edges)
		for n := range d.Edges {
			d.Edges[n].Label = m.lines(d.Edges[n].Label)
		}
	}
	if c.Diagrams = out; m.lost {
		c.Diagrams = nil
	}
}

// diagramMover moves the lines that texts name.
type diagramMover struct {
	from, to Places
	lost     bool // a function or file is not known, or not the only one of its name
}

// A place in the name of a node or an edge: FILE:LINE:COLUMN, or FUNCTION:LINE, or FUNCTION@LINE.
var (
	fileLine     = regexp.MustCompile(`([^\s:]+):(\d+):(\d+)`)
	functionLine = regexp.MustCompile(`([\w.$]+)([:@])(\d+)`)
)

// lines moves what the first line says; the others are about values.
func (m *diagramMover) lines(text []string) []string {
	if len(text) == 0 {
		return text
	}
	first := text[0]
	if fileLine.MatchString(first) {
		first = fileLine.ReplaceAllStringFunc(first, m.inFile)
	} else {
		first = functionLine.ReplaceAllStringFunc(first, m.inFunction)
	}
	return append([]string{first}, text[1:]...)
}

// inFile moves FILE:LINE:COLUMN by the last function that begins before the line.
func (m *diagramMover) inFile(text string) string {
	part := fileLine.FindStringSubmatch(text)
	line, err := strconv.Atoi(part[2])
	best, begin := "", 0
	for place, at := range m.from {
		if strings.HasPrefix(place, part[1]+":") && at <= line && at > begin {
			best, begin = place, at
		}
	}
	return part[1] + ":" + m.moved(best, line, err) + ":" + part[3]
}

// inFunction moves FUNCTION:LINE.
func (m *diagramMover) inFunction(text string) string {
	part := functionLine.FindStringSubmatch(text)
	line, err := strconv.Atoi(part[3])
	found := ""
	for _, place := range slices.Sorted(maps.Keys(m.from)) {
		if strings.HasSuffix(place, ":"+part[1]) {
			m.lost = m.lost || found != ""
			found = place
		}
	}
	return part[1] + part[2] + m.moved(found, line, err)
}

// moved is the new number of a line of the function at place.
func (m *diagramMover) moved(place string, line int, err error) string {
	is, known := m.to[place]
	if err != nil || !known {
		m.lost = true
	}
	return strconv.Itoa(line + is - m.from[place])
}
