package moved

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
		out[i] = out[i].Renamed(m.name)
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

// name moves the name of a node or an edge.
func (m *diagramMover) name(text string) string {
	if fileLine.MatchString(text) {
		return fileLine.ReplaceAllStringFunc(text, m.inFile)
	}
	return functionLine.ReplaceAllStringFunc(text, m.inFunction)
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
