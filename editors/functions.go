package editors

import (
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// function is one that a text in C defines.
type function struct {
	name    string
	at, end int // bytes: of its name, behind the brace that closes its body
	list    int // behind the parenthesis that closes its parameters
	head    int // of the brace that opens its body
	params  []parameter
}

type parameter struct {
	name string
	end  int // behind its name
}

// token is a piece of C as it is written.
type token struct {
	kind ctoken.Kind
	text string
	at   int
}

// tokensOf cuts a text into tokens, without comments and directives.
func tokensOf(text string) []token {
	var out []token
	lineBegins := true
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := rest[0]; {
		case c == '\n':
			lineBegins = true
			i++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || strings.HasPrefix(rest, "\\\n"):
			i++
		case strings.HasPrefix(rest, "//"), c == '#' && lineBegins:
			i += lineEnd(rest)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return out
			}
			i += n + 4
		default:
			lineBegins = false
			kind, n := ctoken.Next([]byte(rest[:min(len(rest), 1<<16)]))
			out = append(out, token{kind: kind, text: rest[:n], at: i})
			i += n
		}
	}
	return out
}

// lineEnd is the length of a line that goes on behind a backslash.
func lineEnd(s string) int {
	for n := 0; ; {
		i := strings.IndexByte(s[n:], '\n')
		if i < 0 {
			return len(s)
		}
		if n += i; n == 0 || s[n-1] != '\\' && !strings.HasSuffix(s[:n], "\\\r") {
			return n
		}
		n++
	}
}

// notFunctions are words in front of a parenthesis that name no function.
var notFunctions = map[string]bool{"__attribute__": true, "_Alignas": true, "alignas": true, "__declspec": true, "typeof": true,
	"__typeof__": true, "_Static_assert": true, "static_assert": true, "__asm__": true, "asm": true, "if": true, "while": true,
	"for": true, "switch": true, "return": true, "sizeof": true}

// functionsOf lists the functions that a text defines, as far as that is seen without its headers.
func functionsOf(text string) []function {
	tokens := tokensOf(text)
	var out []function
	begin := 0 // of what stands at the top
	var f *function
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; t.text {
		case ";", "=", "}":
			if f = nil; t.text != "=" {
				begin = i + 1
			}
		case "(":
			end := closing(tokens, i)
			if name := tokens[max(0, i-1)]; f == nil && i-1 > begin && name.kind == ctoken.Name && !notFunctions[name.text] &&
				(tokens[i-2].kind == ctoken.Name || tokens[i-2].text == "*" || tokens[i-2].text == ")" || tokens[i-2].text == "}") {
				f = &function{name: name.text, at: name.at, params: parametersOf(tokens[i+1 : min(end, len(tokens))])}
				if end < len(tokens) {
					f.list = tokens[end].at + 1
				}
			}
			i = end
		case "[":
			i = closing(tokens, i)
		case "{":
			end := closing(tokens, i)
			if f != nil {
				f.head, f.end = t.at, len(text)
				if end < len(tokens) {
					f.end = tokens[end].at + 1
				}
				out = append(out, *f)
				begin = end + 1
			}
			f, i = nil, end
		}
	}
	return out
}

// closing is the index of the bracket that closes the one at i.
func closing(tokens []token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// parametersOf lists the parameters that have a name.
func parametersOf(tokens []token) []parameter {
	var out []parameter
	depth, last, pointer := 0, token{}, false
	end := func() {
		if last.kind == ctoken.Name && last.text != "void" {
			out = append(out, parameter{last.text, last.at + len(last.text)})
		}
		last, pointer = token{}, false
	}
	for i, t := range tokens {
		switch {
		case t.text == "(" || t.text == "[" || t.text == "{":
			depth++
		case t.text == ")" || t.text == "]" || t.text == "}":
			depth--
		case depth == 0 && t.text == ",":
			end()
		case t.kind == ctoken.Name && depth == 1 && i > 0 && tokens[i-1].text == "*" && !pointer: // (*f)(int)
			last, pointer = t, true
		case t.kind == ctoken.Name && depth == 0 && !pointer:
			last = t
		}
	}
	end()
	return out
}

// wordAt is the name at a place of a text, with its bytes; empty if there is none.
func wordAt(text string, at int) (word string, from, to int) {
	if at > len(text) {
		return "", at, at
	}
	for from = at; from > 0 && ctoken.IsWord(text[from-1]); from-- {
	}
	for to = at; to < len(text) && ctoken.IsWord(text[to]); to++ {
	}
	return text[from:to], from, to
}

// names reports whether a piece of C has a name in it.
func names(text, word string) bool {
	for _, t := range tokensOf(text) {
		if t.kind == ctoken.Name && t.text == word {
			return true
		}
	}
	return false
}
