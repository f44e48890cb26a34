package linkerscript

import (
	"fmt"
	"slices"
	"strings"
)

// maxIncludes is how many INCLUDE commands are followed.
const maxIncludes = 100

// expandIncludes puts the words of included scripts in the place of INCLUDE. Their
// lines count as the line of the command.
func expandIncludes(toks []token, include func(string) (string, error)) ([]token, int, error) {
	for i, n := 0, 0; i < len(toks); i++ {
		if toks[i].text != "INCLUDE" || toks[i].quoted || i+1 == len(toks) {
			continue
		}
		if n++; n > maxIncludes {
			return nil, toks[i].line, fmt.Errorf("more than %d INCLUDE commands: does a script include itself?",
				maxIncludes)
		}
		name, end := "", i+1
		for end < len(toks) && toks[end].line == toks[i].line && toks[end].text != ";" { // a path is several words here
			name += toks[end].text
			end++
		}
		text, err := include(name)
		if err != nil {
			return nil, toks[i].line, err
		}
		inner, _, err := tokensOf(text)
		if err != nil {
			return nil, toks[i].line, fmt.Errorf("INCLUDE %s: %w", name, err)
		}
		for k := range inner {
			inner[k].line = toks[i].line
		}
		toks = slices.Concat(toks[:i], inner, toks[end:])
		i--
	}
	return toks, 0, nil
}

type token struct {
	text   string
	line   int
	quoted bool
}

// tokensOf splits a script into words, numbers and signs, without comments.
func tokensOf(text string) ([]token, int, error) {
	var out []token
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if end < 0 {
				return nil, line, fmt.Errorf("a comment that is not closed")
			}
			line += strings.Count(text[i:i+end], "\n")
			i += end + 2
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				return nil, line, fmt.Errorf("a quote that is not closed")
			}
			out = append(out, token{text[i+1 : i+1+end], line, true})
			i += end + 2
		case wordByte(c):
			j := i
			for j < len(text) && wordByte(text[j]) {
				j++
			}
			out = append(out, token{text: text[i:j], line: line})
			i = j
		default:
			n := 1
			for _, op := range []string{"<<=", ">>=", "+=", "-=", "*=", "/=", "&=", "|=", "<<", ">>", "==", "!=", "<=",
				">=", "&&", "||"} {
				if strings.HasPrefix(text[i:], op) {
					n = len(op)
					break
				}
			}
			out = append(out, token{text: text[i : i+n], line: line})
			i += n
		}
	}
	return out, line, nil
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
