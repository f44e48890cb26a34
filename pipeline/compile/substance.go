package compile

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile/syntax"
	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// numbersLines matches a directive that says which line this is.
var numbersLines = regexp.MustCompile(`(?m)^[ \t]*(?:#|%:|\?\?=)[ \t]*(?:line\b|[0-9])`)

// substance returns a digest of what the IR of a C unit takes from the headers it includes. Of a declaration that
// makes no IR by itself neither its place counts, nor, if the unit does not use it, that it is there. For all else
// the lines of the header count as they are, since debug information has columns, which preprocessing does not keep.
// ok is false where the bytes of all headers have to count.
func (r *Request) substance(text []byte, deps []string) (sum []byte, ok bool) {
	if !isC(r.File) || len(deps) == 0 || r.Checks.Stack || r.Contracts.Needs(text) ||
		// compiled with other flags
		bytes.Contains(text, []byte("__CPROVER_")) || bytes.Contains(text, []byte("naked")) {
		return nil, false
	}
	chunks, names := cutChunks(text)
	markUnused(chunks)
	s := &substance{chunks: chunks, names: names, main: absolute(r.Dir, r.File), deps: deps,
		neutral: r.neutral(), headers: map[int]*header{}, files: r.files}
	for _, n := range names {
		s.paths = append(s.paths, absolute(r.Dir, n))
	}
	fmt.Fprintln(&s.out, "substance", foldsUndefined(text, nil), len(text) <= syntax.MaxEvaluated)
	for i, c := range chunks {
		if !c.unused && !s.add(i, c) {
			return nil, false
		}
	}
	whole := sha256.Sum256(s.out.Bytes())
	return whole[:], true
}

type substance struct {
	out     bytes.Buffer // what is digested
	chunks  []*chunk
	names   []string // of files, as the line markers have them
	paths   []string // the same, absolute
	main    string   // the unit's own file, whose bytes count anyway
	deps    []string // absolute
	neutral *strings.Replacer
	headers map[int]*header // by index of names
	files   *fileSet
}

// header is a file of which some lines count.
type header struct {
	lines  [][]byte
	starts []int // lines where chunks begin, sorted
}

// add takes a chunk in. ok is false if it is not known where it comes from.
func (s *substance) add(i int, c *chunk) bool {
	if !c.code {
		for i := range c.tokens {
			s.token(&c.tokens[i], 0)
		}
		return true
	}
	first, last := c.tokens[0], c.tokens[len(c.tokens)-1]
	if first.kind == pragmaToken && len(c.tokens) == 1 {
		s.token(&first, 0)
		return true
	}
	fmt.Fprintf(&s.out, "\n%s %d\n", s.neutral.Replace(s.names[first.file]), first.line)
	for i := range c.tokens {
		t := &c.tokens[i]
		if t.file != first.file || t.line < first.line {
			return false
		}
		s.token(t, t.line)
	}
	if s.paths[first.file] == s.main || strings.HasPrefix(s.names[first.file], "<") {
		return true
	}
	h, ok := s.header(first.file)
	if !ok || last.line > len(h.lines) {
		return false
	}
	for n := first.line; n <= h.end(first.line, last.line); n++ {
		s.out.Write(h.lines[n-1])
	}
	return true
}

// token takes a token in.
func (s *substance) token(t *ppToken, line int) {
	mark := byte('a') + byte(t.kind)
	if t.spaced {
		mark -= 'a' - 'A'
	}
	s.out.WriteByte(mark)
	s.out.Write(strconv.AppendInt(s.out.AvailableBuffer(), int64(line), 10))
	s.out.WriteByte(' ')
	if t.kind == ctoken.Text { // it may be __FILE__
		_, _ = s.neutral.WriteString(&s.out, string(t.text)) // a buffer has no errors
	} else {
		s.out.Write(t.text)
	}
	s.out.WriteByte('\n')
}

// header reads a file, unless its lines are numbered by itself.
func (s *substance) header(file int) (*header, bool) {
	if h := s.headers[file]; h != nil {
		return h, true
	}
	if !slices.Contains(s.deps, s.paths[file]) {
		return nil, false
	}
	data, err := s.files.read(s.paths[file])
	if err != nil || numbersLines.Match(data) {
		return nil, false
	}
	h := &header{lines: slices.Collect(bytes.Lines(data))}
	for _, c := range s.chunks {
		if c.tokens[0].file == file {
			h.starts = append(h.starts, c.tokens[0].line)
		}
	}
	slices.Sort(h.starts)
	s.headers[file] = h
	return h, true
}

// end returns the last line that a chunk may have tokens on whose first and last are on the given lines of preprocessed
// text: what follows a macro with arguments on several lines stands on the first of them there. So it may be any line up
// to the next chunk or directive.
func (h *header) end(first, last int) int {
	for n := last; n < len(h.lines); n++ { // line n+1
		i, _ := slices.BinarySearch(h.starts, n+1)
		if i < len(h.starts) && h.starts[i] == n+1 && n+1 > first || bytes.HasPrefix(bytes.TrimSpace(h.lines[n]),
			[]byte("#")) {
			return n
		}
	}
	return len(h.lines)
}
