package witness

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// token is one of C's, where it stands in the file: line and column begin at 1, columns count bytes.
type token struct {
	text      string
	line, col int
}

// source is a C file, by tokens and statements.
type source struct {
	tokens []token
	at     map[[2]int]int // token by line and column
	lines  map[mark][]int // the lines of the file that line directives give this name and number
	marked bool           // there are line directives
	tree
}

// mark is a line as the compiler names it.
type mark struct {
	file string
	line int
}

// parse reads text, which the compiler knows as file. It takes whatever it is given: what is no C has few statements.
func parse(file, text string) *source {
	s := &source{at: map[[2]int]int{}, lines: map[mark][]int{}}
	now := mark{file, 1}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if next, ok := directive(line); ok {
			if next.file == "" {
				next.file = now.file
			}
			now, s.marked = next, true
			continue
		}
		s.lines[now] = append(s.lines[now], i+1)
		now.line++
	}
	s.tokenise(text)
	for i, t := range s.tokens {
		s.at[[2]int{t.line, t.col}] = i
	}
	s.tree.read(s.tokens)
	return s
}

// directive reads `# 12 "file"` and `#line 12 "file"`.
func directive(line string) (mark, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
	if !ok {
		return mark{}, false
	}
	rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "line"))
	number, rest, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return mark{}, false
	}
	m := mark{line: n}
	if begin := strings.IndexByte(rest, '"'); begin >= 0 {
		if end := strings.LastIndexByte(rest, '"'); end > begin {
			m.file = rest[begin+1 : end]
		}
	}
	return m, true
}

// tokenise reads the tokens; directives of the preprocessor are none.
func (s *source) tokenise(text string) {
	line, begin, fresh := 1, 0, true // fresh: nothing stands before it on its line
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c == '\n':
			line, begin, fresh = line+1, i+1, true
			i++
			continue
		case strings.IndexByte(" \t\r\f\v", c) >= 0:
			i++
			continue
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			line, begin = line+1, i+2
			i += 2
			continue
		case c == '#' && fresh:
			n = directiveLength(text[i:])
		case strings.HasPrefix(text[i:], "//"), strings.HasPrefix(text[i:], "/*"):
			n = commentLength(text[i:])
		default:
			n = tokenLength(text[i:])
			s.tokens = append(s.tokens, token{text[i : i+n], line, i - begin + 1})
			fresh = false
		}
		if k := strings.Count(text[i:i+n], "\n"); k > 0 {
			line, begin = line+k, i+strings.LastIndexByte(text[i:i+n], '\n')+1
		}
		i += n
	}
}

// directiveLength is how far a directive goes: to the end of its line, over lines that go on behind a backslash.
func directiveLength(c string) int {
	for i := 0; i < len(c); i++ {
		if c[i] == '\n' && !strings.HasSuffix(strings.TrimSuffix(c[:i], "\r"), "\\") {
			return i
		}
	}
	return len(c)
}

func commentLength(c string) int {
	if c[1] == '/' {
		return directiveLength(c)
	}
	if end := strings.Index(c[2:], "*/"); end >= 0 {
		return end + 4
	}
	return len(c)
}

// tokenLength is the length of the word, number, string or character that c begins with; operators count as single
// characters.
func tokenLength(c string) int {
	switch {
	case isWord(c[0]):
		n := 1
		for n < len(c) && isWord(c[n]) {
			n++
		}
		return n
	case c[0] == '"' || c[0] == '\'':
		for n := 1; n < len(c); n++ {
			switch c[n] {
			case '\\':
				n++
			case c[0]:
				return n + 1
			case '\n':
				return n
			}
		}
		return len(c)
	}
	return 1
}

func isWord(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func isName(t string) bool { return t != "" && isWord(t[0]) && (t[0] < '0' || t[0] > '9') }

// line is the line of the file at p; false if p is not in it, or if that is not certain.
func (s *source) line(p verdict.Pos) (int, bool) {
	if p.File == "" || p.Line == 0 {
		return 0, false
	}
	lines := s.lines[mark{p.File, p.Line}]
	if lines == nil {
		for m, l := range s.lines {
			if m.line == p.Line && filepath.Base(m.file) == filepath.Base(p.File) && sameEnd(m.file, p.File) {
				lines = append(lines, l...)
			}
		}
	}
	if len(lines) != 1 {
		return 0, false
	}
	return lines[0], true
}

// sameEnd reports that one path ends with the other.
func sameEnd(a, b string) bool {
	a, b = "/"+filepath.ToSlash(filepath.Clean(a)), "/"+filepath.ToSlash(filepath.Clean(b))
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// token is the number of the token that begins at p.
func (s *source) token(p verdict.Pos) (int, bool) {
	line, ok := s.line(p)
	if !ok {
		return 0, false
	}
	i, ok := s.at[[2]int{line, p.Column}]
	return i, ok
}
