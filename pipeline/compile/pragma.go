package compile

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/firmproof/firmproof/pipeline/ctoken"
	"github.com/firmproof/firmproof/verifier/weave"
)

var checkPragma = regexp.MustCompile(
	`^#\s*pragma\s+CPROVER\s+check\s+(push|pop|disable|enable)\b\s*(?:"([\w-]+)")?`)

// pragmaScan follows CBMC's pragmas through preprocessed text.
type pragmaScan struct {
	file  string
	line  int
	state []weave.CheckPragma // in force; From is where the piece at hand begins
	stack [][]weave.CheckPragma
	out   []weave.CheckPragma
}

// checkPragmas returns where the text of a unit changes CBMC's checks. shown names a file as debug information does.
func checkPragmas(text []byte, file string, shown func(string) string) []weave.CheckPragma {
	if !bytes.Contains(text, []byte("CPROVER check")) {
		return nil
	}
	s := &pragmaScan{file: shown(file), line: 1}
	for line := range bytes.Lines(text) {
		if line[0] != '#' {
			s.line++
			continue
		}
		if name, n, ok := ctoken.LineMarker(line); ok {
			s.end()
			s.file, s.line = shown(name), n
			s.begin()
			continue
		}
		if m := checkPragma.FindSubmatch(line); m != nil {
			s.end()
			s.pragma(string(m[1]), string(m[2]))
			s.line++
			s.begin()
			continue
		}
		s.line++
	}
	s.end()
	return s.out
}

// end closes the pieces in force in front of the line at hand.
func (s *pragmaScan) end() {
	for _, p := range s.state {
		if p.To = s.line - 1; p.From <= p.To && !slices.Contains(s.out, p) {
			s.out = append(s.out, p)
		}
	}
}

// begin starts the pieces in force at the line at hand.
func (s *pragmaScan) begin() {
	for i := range s.state {
		s.state[i].File, s.state[i].From = s.file, s.line
	}
}

func (s *pragmaScan) pragma(word, check string) {
	switch word {
	case "push":
		s.stack = append(s.stack, slices.Clone(s.state))
	case "pop":
		if n := len(s.stack); n > 0 {
			s.state, s.stack = s.stack[n-1], s.stack[:n-1]
		}
	default:
		s.state = slices.DeleteFunc(s.state, func(p weave.CheckPragma) bool { return p.Check == check })
		s.state = append(s.state, weave.CheckPragma{Check: check, Enable: word == "enable"})
	}
}
