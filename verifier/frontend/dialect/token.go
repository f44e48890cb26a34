package dialect

import "strings"

type kind uint8

const (
	invalid kind = iota
	word         // a keyword, a number, a type such as i32
	local        // %name
	global       // @name
	node         // !name, !7, or a lone !
	other        // #0, $comdat
	text         // "string"
	label        // name: at the begin of a block, field: of a specialised node
	punct        // one character, or ...
	comment
)

// token is a token of LLVM's text with the white space before it.
type token struct {
	kind   kind
	before string
	text   string
}

func (t token) is(text string) bool { return t.text == text && (t.kind == word || t.kind == punct) }

// lex splits a line; what its tokens hold, joined, is the line (LangRef: Identifiers, String constants).
func lex(line string) []token {
	out := make([]token, 0, len(line)/5+2)
	for i := 0; i < len(line); {
		from := i
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		before := line[from:i]
		if i == len(line) {
			return append(out, token{comment, before, ""})
		}
		k, n := next(line[i:])
		out = append(out, token{k, before, line[i : i+n]})
		i += n
	}
	return out
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// next returns the kind and the length of the token that s begins with.
func next(s string) (kind, int) {
	switch c := s[0]; {
	case c == ';':
		return comment, len(s)
	case c == '"':
		n := quoted(s)
		if n < len(s) && s[n] == ':' {
			return label, n + 1
		}
		return text, n
	case c == '%' || c == '@' || c == '$':
		n := 1
		if len(s) > 1 && s[1] == '"' {
			n += quoted(s[1:])
		} else {
			n += name(s[1:])
		}
		return map[byte]kind{'%': local, '@': global, '$': other}[c], n
	case c == '!':
		n := 1
		for n < len(s) && (isName(s[n]) || s[n] == '\\') {
			n++
		}
		return node, n
	case c == '#':
		return other, 1 + name(s[1:])
	case strings.HasPrefix(s, "..."):
		return punct, 3
	case isName(c):
		n := name(s)
		if n < len(s) && s[n] == ':' {
			return label, n + 1
		}
		return word, n
	}
	return punct, 1
}

// quoted returns the length of the string that s begins with; one without an end takes the rest.
func quoted(s string) int {
	if n := strings.IndexByte(s[1:], '"'); n >= 0 {
		return n + 2
	}
	return len(s)
}

func name(s string) int {
	n := 0
	for n < len(s) && isName(s[n]) {
		n++
	}
	return n
}

func isName(c byte) bool {
	return c|32 >= 'a' && c|32 <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '$' || c == '-' || c == '+'
}

// join returns the text of tokens.
func join(ts []token) string {
	var b strings.Builder
	for _, t := range ts {
		b.WriteString(t.before)
		b.WriteString(t.text)
	}
	return b.String()
}

// bare is join without the white space around.
func bare(ts []token) string { return strings.TrimSpace(join(ts)) }

// closing returns the index of the bracket that closes ts[open]; len(ts)-1 if none does.
func closing(ts []token, open int) int {
	depth := 0
	for i := open; i < len(ts); i++ {
		if ts[i].kind != punct {
			continue
		}
		switch ts[i].text {
		case "(", "[", "{", "<":
			depth++
		case ")", "]", "}", ">":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(ts) - 1
}

// find returns the index of the first token from `from` on that is one of words; -1 if there is none.
func find(ts []token, from int, words ...string) int {
	for i := from; i < len(ts); i++ {
		for _, w := range words {
			if ts[i].is(w) {
				return i
			}
		}
	}
	return -1
}

// split cuts ts at commas outside of brackets.
func split(ts []token) (parts [][]token) {
	from := 0
	for i := 0; i < len(ts); i++ {
		if ts[i].kind != punct {
			continue
		}
		switch ts[i].text {
		case "(", "[", "{", "<":
			i = closing(ts, i)
		case ",":
			parts = append(parts, ts[from:i])
			from = i + 1
		}
	}
	if from < len(ts) {
		parts = append(parts, ts[from:])
	}
	return parts
}

// skipType returns the index behind the type that begins at i; i if none does (LangRef: Type System).
func skipType(ts []token, i int) int {
	if i >= len(ts) {
		return i
	}
	from := i
	switch t := ts[i]; {
	case t.kind == local, t.kind == word && isType(t.text):
		i++
	case t.is("target") && i+1 < len(ts) && ts[i+1].is("("):
		i = closing(ts, i+1) + 1
	case t.is("["), t.is("<"), t.is("{"):
		i = closing(ts, i) + 1
	default:
		return from
	}
	for i < len(ts) {
		switch {
		case ts[i].is("addrspace") && i+1 < len(ts):
			i = closing(ts, i+1) + 1
		case ts[i].is("*"):
			i++
		case ts[i].is("(") && ts[from].kind != punct || ts[i].is("("): // of a function
			i = closing(ts, i) + 1
		default:
			return i
		}
	}
	return i
}

func isType(w string) bool {
	switch w {
	case "void", "ptr", "half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128", "x86_mmx", "x86_amx",
		"label", "token", "metadata":
		return true
	}
	return len(w) > 1 && w[0] == 'i' && strings.Trim(w[1:], "0123456789") == ""
}
