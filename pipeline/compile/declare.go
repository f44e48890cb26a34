package compile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// harmlessAttributes make no IR where nothing uses what they are about.
var harmlessAttributes = map[string]bool{
	"packed": true, "aligned": true, "nothrow": true, "leaf": true, "pure": true, "const": true, "nonnull": true,
	"format": true, "format_arg": true, "noreturn": true, "malloc": true, "warn_unused_result": true,
	"deprecated": true, "unused": true, "returns_nonnull": true, "alloc_size": true, "access": true, "printf": true,
	"scanf": true, "gnu_printf": true, "always_inline": true, "noinline": true, "cold": true, "hot": true,
	"may_alias": true, "sentinel": true, "returns_twice": true, "attribute": true,
}

// unreadWords stand in declarations that are not read further.
var unreadWords = map[string]bool{
	"_Static_assert": true, "static_assert": true, "sizeof": true, "_Alignof": true, "__alignof__": true,
	"__alignof": true,
	"_Alignas":  true, "typeof": true, "__typeof__": true, "__typeof": true, "asm": true, "__asm__": true,
	"__asm":   true,
	"_Pragma": true, "__pragma": true, "__auto_type": true, "_Generic": true, "__attribute__": true,
	"__attribute": true,
	"__declspec":  true, "_Thread_local": true, "__thread": true, "_Noreturn": true, "__builtin_offsetof": true,
}

func isTagWord(t *ppToken) bool { return t.is("struct") || t.is("union") || t.is("enum") }

// read finds out whether the chunk is a declaration that makes no IR by itself, and what it declares: a function, an
// extern variable, a type. All else is code. Expressions are: the compiler may have something to say of them.
func (c *chunk) read() {
	c.code = true
	if !c.tokens[len(c.tokens)-1].is(";") {
		return
	}
	list, ok := withoutAttributes(c.tokens)
	if !ok || len(list) < 3 {
		return
	}
	for i := range list {
		t := &list[i]
		if t.kind == ctoken.Text || t.kind == pragmaToken || t.kind == ctoken.Name && unreadWords[string(t.text)] ||
			t.kind == ctoken.Punctuator && !strings.ContainsAny(string(t.text), "*,;()[]{}:=-.") {
			return
		}
	}
	list = list[:len(list)-1]
	typedef := list[0].is("typedef")
	if at := slices.IndexFunc(list, func(t ppToken) bool { return t.is("{") }); at >= 0 {
		if list, ok = c.readTagged(list, at, typedef); !ok {
			return
		}
		if !typedef {
			c.code = len(list) > 1 // a variable
			return
		}
	} else if len(list) == 2 && isTagWord(&list[0]) {
		c.code, c.declares = false, append(c.declares, string(list[1].text))
		return
	}
	if name, ok := declared(list, typedef || list[0].is("extern")); ok {
		c.code, c.declares = false, append(c.declares, name)
	}
}

// withoutAttributes leaves out attributes that matter only with what they stand at; ok is false if there are others.
func withoutAttributes(list []ppToken) (out []ppToken, ok bool) {
	if !slices.ContainsFunc(list, func(t ppToken) bool { return t.kind == ctoken.Name && t.text[0] == '_' }) {
		return list, true
	}
	for i := 0; i < len(list); i++ {
		t := &list[i]
		switch {
		case t.is("__extension__"):
		case (t.is("__attribute__") || t.is("__attribute")) && i+1 < len(list) && list[i+1].is("("):
			depth := 0
			for i++; i < len(list); i++ {
				if list[i].is("(") {
					depth++
				} else if list[i].is(")") {
					if depth--; depth == 0 {
						break
					}
				} else if list[i].kind == ctoken.Name && !harmlessAttributes[strings.Trim(string(list[i].text), "_")] {
					return nil, false
				}
			}
		default:
			out = append(out, *t)
		}
	}
	return out, true
}

// readTagged reads `struct TAG { ... }` and the like, whose brace is list[at], and returns its first word and what
// follows. Before it there may be typedef and qualifiers.
func (c *chunk) readTagged(list []ppToken, at int, typedef bool) (rest []ppToken, ok bool) {
	word := at - 1
	if word > 0 && !isTagWord(&list[word]) {
		c.declares = append(c.declares, string(list[word].text))
		word--
	}
	if word < 0 || !isTagWord(&list[word]) || word > 0 && !typedef {
		return nil, false
	}
	end := slices.IndexFunc(list[at:], closes())
	if end < 0 {
		return nil, false
	}
	body, rest := list[at+1:at+end], slices.Concat(list[word:word+1], list[at+end+1:])
	if list[word].is("enum") {
		return rest, c.readEnumerators(body)
	}
	for i := range body {
		t := &body[i]
		if t.is("=") || t.is("-") || t.is("enum") && i+1 < len(body) && body[i+1].is("{") ||
			isTagWord(t) && i+2 < len(body) && body[i+2].is("{") {
			return nil, false // its names are in scope behind it
		}
	}
	return rest, true
}

// closes finds the bracket that closes the first one.
func closes() func(ppToken) bool {
	depth := 0
	return func(t ppToken) bool {
		switch {
		case t.is("{"), t.is("("), t.is("["):
			depth++
		case t.is("}"), t.is(")"), t.is("]"):
			depth--
			return depth == 0
		}
		return false
	}
}

// readEnumerators reads `A, B = 1, C = -1`.
func (c *chunk) readEnumerators(body []ppToken) bool {
	for len(body) > 0 {
		if body[0].kind != ctoken.Name {
			return false
		}
		c.declares = append(c.declares, string(body[0].text))
		body = body[1:]
		if len(body) > 0 && body[0].is("=") {
			body = body[1:]
			if len(body) > 0 && body[0].is("-") {
				body = body[1:]
			}
			if len(body) == 0 || body[0].kind != ctoken.Number {
				return false
			}
			body = body[1:]
		}
		if len(body) > 0 {
			if !body[0].is(",") {
				return false
			}
			body = body[1:]
		}
	}
	return true
}

// declared returns the name that a declaration without initialiser declares: `T name`, `T name[2]` and `T (*name)(...)`
// if object is set, `T name(...)` in any case.
func declared(list []ppToken, object bool) (string, bool) {
	name, names, at, depth := "", 0, 0, 0
	var groups []int // where those brackets open that no other is around
	for i := range list {
		t := &list[i]
		switch {
		case t.is("(") || t.is("["):
			if depth == 0 {
				groups = append(groups, i)
			}
			depth++
		case t.is(")") || t.is("]"):
			depth--
		case t.is("{") || t.is("}") || t.is("=") || t.is("-") || t.is(":"), depth == 0 && (t.is(",") || t.is(".")):
			return "", false
		case depth == 0 && t.kind == ctoken.Name:
			name, at = string(t.text), i
			names++
		case depth == 0 && t.kind == ctoken.Number:
			return "", false
		}
	}
	switch {
	case depth != 0 || len(groups) > 0 && groups[0] < at || names == 0:
		return "", false
	case len(groups) == 0:
		return name, object && names > 1
	case list[groups[0]].is("[") && groups[0] == at+1: // name[...]
		return name, object && names > 1
	case !list[groups[0]].is("("):
		return "", false
	case len(groups) == 1: // name(...)
		return name, groups[0] == at+1 && names > 1
	case len(groups) != 2 || !object || !list[groups[0]+1].is("*"):
		return "", false
	}
	end := slices.IndexFunc(list[groups[0]:], closes())
	for i := groups[0] + end - 1; i > groups[0]; i-- { // (*name), (*name[2])
		if t := &list[i]; t.kind == ctoken.Name {
			return string(t.text), true
		} else if !t.is("]") && !t.is("[") && t.kind != ctoken.Number {
			break
		}
	}
	return "", false
}

// markUnused marks the declarations that nothing else leads to. A declaration stays if what it declares is named by
// something that stays; the first that names a struct, union or enum declares it, too.
func markUnused(chunks []*chunk) {
	tags, by := map[string]bool{}, map[string][]*chunk{}
	var open []*chunk
	for _, c := range chunks {
		c.read()
		for i := range c.tokens[:len(c.tokens)-1] {
			if next := &c.tokens[i+1]; isTagWord(&c.tokens[i]) && next.kind == ctoken.Name && !tags[string(next.text)] {
				tags[string(next.text)] = true
				c.declares = append(c.declares, string(next.text))
			}
		}
		if c.code {
			open = append(open, c)
			continue
		}
		c.unused = true
		for _, n := range c.declares {
			by[n] = append(by[n], c)
		}
	}
	for len(open) > 0 {
		c := open[len(open)-1]
		open = open[:len(open)-1]
		use := func(name []byte) {
			for _, d := range by[string(name)] {
				if d.unused {
					d.unused = false
					open = append(open, d)
				}
			}
		}
		for i := range c.tokens {
			switch t := &c.tokens[i]; t.kind {
			case ctoken.Name:
				use(t.text)
			case pragmaToken:
				for _, word := range bytes.FieldsFunc(t.text, func(r rune) bool {
					return r < 0x80 &&
						!ctoken.IsWord(byte(r))
				}) {
					use(word)
				}
			}
		}
	}
}
