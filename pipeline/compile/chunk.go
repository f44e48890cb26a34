package compile

import (
	"bytes"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// chunk is a declaration, a definition or a pragma at file scope of preprocessed C, up to its `;` or the end of the
// function.
type chunk struct {
	tokens   []ppToken
	declares []string // names that it may bring into scope
	unused   bool     // it only declares, and nothing that stays names what it declares
	code     bool     // it may make IR by itself, or is not understood: places matter
}

// pragmaToken is the kind of a line that is a pragma.
const pragmaToken = ctoken.Text + 1

// ppToken is one of preprocessed text.
type ppToken struct {
	kind   ctoken.Kind
	spaced bool // white space before it
	file   int  // index into chunker.files
	line   int
	text   []byte
}

func (t *ppToken) is(text string) bool { return string(t.text) == text }

// chunker cuts preprocessed text into chunks.
type chunker struct {
	files  []string // as the line markers name them
	index  map[string]int
	tokens []ppToken
	starts []int // of chunks among the tokens; the last is that of the open one
	// of the open chunk: brackets that are open, and the one that was closed last
	brackets []bracket
	closed   bracket
}

type bracket struct {
	of        byte // ( [ {
	attribute bool // the list of an attribute
	body      bool // the body of a function
}

// cutChunks returns the chunks of text, and the files that the tokens name by index.
func cutChunks(text []byte) ([]*chunk, []string) {
	c := &chunker{index: map[string]int{}, starts: []int{0}, tokens: make([]ppToken, 0, len(text)/8)}
	file, line := c.fileOf(""), 1
	for l := range bytes.Lines(text) {
		if l[0] == '#' {
			if name, n, ok := ctoken.LineMarker(l); ok {
				file, line = c.fileOf(name), n
				continue
			}
			c.add(ppToken{kind: pragmaToken, spaced: true, file: file, line: line, text: bytes.TrimSpace(l)})
			line++
			continue
		}
		c.lex(l, file, line)
		line++
	}
	c.end()
	list := make([]chunk, len(c.starts)-1)
	chunks := make([]*chunk, len(list))
	for i := range list {
		chunks[i] = &list[i]
		list[i].tokens = c.tokens[c.starts[i]:c.starts[i+1]:c.starts[i+1]]
	}
	return chunks, c.files
}

// fileOf returns the index of a file that a marker names.
func (c *chunker) fileOf(name string) int {
	i, ok := c.index[name]
	if !ok {
		i = len(c.files)
		c.index[name] = i
		c.files = append(c.files, name)
	}
	return i
}

// lex adds the tokens of a line.
func (c *chunker) lex(l []byte, file, line int) {
	spaced := true
	for len(l) > 0 {
		switch l[0] {
		case ' ', '\t', '\n', '\r', '\f', '\v':
			l, spaced = l[1:], true
			continue
		}
		kind, n := ctoken.Next(l)
		c.add(ppToken{kind: kind, spaced: spaced, file: file, line: line, text: l[:n]})
		l, spaced = l[n:], false
	}
}

// add puts a token behind the open chunk, which ends with it or not.
func (c *chunker) add(t ppToken) {
	before := c.tokens[c.starts[len(c.starts)-1]:]
	c.tokens = append(c.tokens, t)
	if t.kind == pragmaToken && len(before) == 0 {
		c.end()
	}
	if t.kind != ctoken.Punctuator {
		return
	}
	switch ch := t.text[0]; ch {
	case '(', '[', '{':
		b := bracket{of: ch}
		if n := len(before); n > 0 {
			last := &before[n-1]
			b.attribute = ch == '(' && (last.is("__attribute__") || last.is("__attribute"))
			b.body = ch == '{' && len(c.brackets) == 0 && last.is(")") && !c.closed.attribute
		}
		c.brackets = append(c.brackets, b)
	case ')', ']', '}':
		if n := len(c.brackets); n > 0 {
			c.closed, c.brackets = c.brackets[n-1], c.brackets[:n-1]
			if c.closed.body {
				c.end()
			}
		}
	case ';':
		if len(c.brackets) == 0 {
			c.end()
		}
	}
}

// end closes the open chunk, if it has anything.
func (c *chunker) end() {
	if len(c.tokens) > c.starts[len(c.starts)-1] {
		c.starts = append(c.starts, len(c.tokens))
	}
	c.brackets, c.closed = c.brackets[:0], bracket{}
}
