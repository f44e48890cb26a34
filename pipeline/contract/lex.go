package contract

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// token is a preprocessing token with the white space, line markers included, in
// front of it.
type token struct {
	pre  string
	text string
	file string
	line int
	col  int // of the preprocessed text
}

func (t token) isWord() bool {
	c := t.text[0]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// punctuators of more than one character, longest first. The first two are CBMC's
// implication and equivalence.
var punctuators = []string{"<==>", "==>", "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
	"&&", "||", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##"}

var marker = regexp.MustCompile(`^#\s*(?:line\s+)?(\d+)(?:\s+"((?:[^"\\]|\\.)*)")?`)

// lexer splits preprocessed C into tokens.
type lexer struct {
	src  []byte
	at   int
	file string
	line int
	bol  int // where the line begins
}

// lex gives the tokens of a text and what is behind the last one.
func lex(file string, src []byte) ([]token, string) {
	x := &lexer{src: src, file: file, line: 1}
	var out []token
	for {
		start := x.at
		x.blank()
		pre := string(src[start:x.at])
		if x.at >= len(src) {
			return out, pre
		}
		t := token{pre: pre, file: x.file, line: x.line, col: x.at - x.bol}
		begin := x.at
		x.at += x.length()
		t.text = string(src[begin:x.at])
		out = append(out, t)
	}
}

// blank skips white space and directives, which tell where the text comes from.
func (x *lexer) blank() {
	for x.at < len(x.src) {
		c := x.src[x.at]
		switch {
		case c == '\n':
			x.at++
			x.line++
			x.bol = x.at
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			x.at++
		case c == '#' && len(bytes.TrimSpace(x.src[x.bol:x.at])) == 0:
			end := bytes.IndexByte(x.src[x.at:], '\n')
			if end < 0 {
				end = len(x.src) - x.at
			}
			x.directive(string(x.src[x.at : x.at+end]))
			x.at += end
		default:
			return
		}
	}
}

func (x *lexer) directive(text string) {
	m := marker.FindStringSubmatch(text)
	if m == nil {
		return
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return
	}
	x.line = n - 1 // the line break behind it counts one
	if m[2] != "" {
		x.file = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[2])
	}
}

// length is that of the token at hand.
func (x *lexer) length() int {
	s := x.src[x.at:]
	kind, n := ctoken.Next(s)
	if kind != ctoken.Punctuator {
		return n
	}
	for _, p := range punctuators {
		if bytes.HasPrefix(s, []byte(p)) {
			return len(p)
		}
	}
	return n
}

// partners pairs brackets: the index of the other one, or -1.
func partners(toks []token) []int {
	out := make([]int, len(toks))
	var open []int
	for i, t := range toks {
		out[i] = -1
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				out[i], out[open[n-1]] = open[n-1], i
				open = open[:n-1]
			}
		}
	}
	return out
}
