// Package extensions makes C for clang of C with the words of other compilers: IAR, Arm Compiler 5 and TI.
package extensions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/ctoken"
)

// plainNames maps words of IAR, Arm Compiler 5 and TI to what clang has for them. "" are words that change nothing of
// what a program without these compilers' code generator computes: where code lies, how it is called, who calls it.
var plainNames = map[string]string{
	"__irq": "", "__fiq": "", "__interrupt": "", "__nested": "", "__task": "", "__monitor": "", "__ramfunc": "",
	"__stackless": "", "__intrinsic": "", "__arm": "", "__thumb": "", "__value_in_regs": "", "__softfp": "",
	"__pure": "", "__root": "__attribute__((used))", "__weak": "__attribute__((weak))",
	"__noreturn": "__attribute__((noreturn))", "__no_init": noInit,
	"__forceinline": "__inline__ __attribute__((always_inline))",
}

// noInit puts a variable where no start-up code gives it a value.
const noInit = `__attribute__((section(".noinit")))`

// argumentNames maps words that are followed by an argument.
var argumentNames = map[string]string{
	"__svc": "", "__swi": "", "__svc_indirect": "", "__align": "__attribute__((aligned(%s)))",
}

// Fault is a word that has no meaning here, and where it stands.
type Fault struct {
	File    string // as the line markers have it; empty where there is none
	Line    int
	Message string
}

// Rewrite makes C for clang of preprocessed text with words of IAR, Arm Compiler 5 and TI, at the same lines. Where a
// word has no meaning here, the fault says which, and where.
func Rewrite(text []byte) ([]byte, *Fault) {
	text, kept := wordsOfPragmas(text)
	v := &rewriter{tokens: tokensOf(text), placed: map[string]string{}, kept: kept}
	for i := 0; i < len(v.tokens) && v.fault == nil; {
		i = v.token(i)
	}
	var out bytes.Buffer
	for _, t := range v.tokens {
		out.WriteString(t.before)
		out.WriteString(t.text)
	}
	return out.Bytes(), v.fault
}

// token is a token, white space, or a line of the preprocessor's.
type token struct {
	kind   ctoken.Kind
	blank  bool
	before string // put in front of it
	text   string
}

func tokensOf(text []byte) []token {
	var out []token
	for l := range bytes.Lines(text) {
		if l[0] == '#' {
			out = append(out, token{blank: true, text: string(l)})
			continue
		}
		for len(l) > 0 {
			n := len(l) - len(bytes.TrimLeft(l, " \t\n\r\f\v"))
			if n > 0 {
				out, l = append(out, token{blank: true, text: string(l[:n])}), l[n:]
				continue
			}
			kind, n := ctoken.Next(l)
			n = max(1, len(bytes.TrimRight(l[:n], "\r\n"))) // a quote that is not closed takes the end of its line
			out, l = append(out, token{kind: kind, text: string(l[:n])}), l[n:]
		}
	}
	return out
}

// rewriter rewrites tokens in place.
type rewriter struct {
	tokens []token
	depth  int               // of brackets
	start  int               // token that the declaration at file scope begins with
	types  int               // that were made
	placed map[string]string // objects at addresses of their own, and the accesses that they stand for
	kept   map[string]bool   // variables that no start-up code gives a value
	before int               // the last token that is not blank
	fault  *Fault
}

// token looks at the token at i, and returns where to go on.
func (v *rewriter) token(i int) int {
	t := &v.tokens[i]
	if t.blank {
		return i + 1
	}
	before, next := v.before, v.next(i)
	v.before = i
	argument, called := argumentNames[t.text]
	word, known := plainNames[t.text]
	switch {
	case t.kind == ctoken.Name && v.placed[t.text] != "":
		if !v.is(before, ".") && !v.is(before, ">") {
			t.text = v.placed[t.text]
		}
	case t.kind == ctoken.Name && v.depth == 0 && v.kept[t.text] && !v.is(before, "=", "&"):
		for v.tokens[v.start].blank {
			v.start++
		}
		v.tokens[v.start].before += noInit + " "
	case strings.ContainsAny(t.text, "([{") && t.kind == ctoken.Punctuator:
		v.depth++
	case strings.ContainsAny(t.text, ")]}") && t.kind == ctoken.Punctuator:
		v.depth--
		if v.depth == 0 && t.text == "}" {
			v.start = i + 1
		}
	case t.text == ";" && v.depth == 0:
		v.start = i + 1
	case known:
		t.text = word
	case called && v.is(next, "("):
		end := v.mate(next)
		value := v.take(next+1, end)
		v.take(next, end+1)
		if t.text = argument; argument != "" {
			t.text = fmt.Sprintf(argument, value)
		}
	case t.text == "__packed":
		v.packed(i)
	case t.text == "@" && t.kind == ctoken.Punctuator:
		v.place(before, i)
	case t.text == "__asm" || t.text == "asm":
		return v.assembly(i)
	case t.text == "interrupt" && v.depth == 0 && v.is(next, "void"),
		t.text == "cregister" && v.depth == 0 && next < len(v.tokens) && v.tokens[next].kind == ctoken.Name:
		t.text = ""
	}
	return i + 1
}

// next returns the token behind i that is not blank, or the number of tokens.
func (v *rewriter) next(i int) int {
	for i++; i < len(v.tokens) && (v.tokens[i].blank || v.tokens[i].text == ""); i++ {
	}
	return i
}

func (v *rewriter) is(i int, texts ...string) bool {
	return i < len(v.tokens) && slices.Contains(texts, v.tokens[i].text)
}

// mate returns the token that closes the bracket at i, or the last one.
func (v *rewriter) mate(i int) int {
	depth := 0
	for ; i < len(v.tokens); i++ {
		switch t := &v.tokens[i]; {
		case t.blank || t.kind != ctoken.Punctuator:
		case strings.ContainsAny(t.text, "([{"):
			depth++
		case strings.ContainsAny(t.text, ")]}"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(v.tokens) - 1
}

// take empties the tokens from lo to hi but for white space, and returns what they were, on one line.
func (v *rewriter) take(lo, hi int) string {
	var b strings.Builder
	for i := lo; i < hi && i < len(v.tokens); i++ {
		t := &v.tokens[i]
		if !t.blank {
			b.WriteString(t.text)
			t.text = ""
		} else if t.text[0] != '#' {
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// storage are words in front of the type of an object at an address.
var storage = []string{"static", "extern", "const", plainNames["__no_init"], plainNames["__root"]}

// place reads where IAR puts what is declared, behind the token name: into a section, or at an address. An object at an
// address is the memory there, which its uses then access, since no other object may lie there.
func (v *rewriter) place(name, i int) {
	at := v.next(i)
	end, depth := at, 0
	for ; end < len(v.tokens) && (depth > 0 || !v.is(end, "=", ";", ",", "{")); end = v.next(end) {
		if v.is(end, "(") {
			depth++
		} else if v.is(end, ")") {
			depth--
		}
	}
	function := v.is(end, "{")
	section := at < len(v.tokens) && v.tokens[at].kind == ctoken.Text
	where := v.take(at, end)
	v.tokens[i].text = ""
	if section {
		if !function {
			v.tokens[i].text = "__attribute__((section(" + where + ")))"
		}
		return
	}
	for j := v.start; j < name; j++ {
		if v.is(j, storage...) {
			v.tokens[j].text = ""
		}
	}
	object := v.tokens[name].text
	of := v.take(v.start, name)
	if v.depth > 0 || v.tokens[name].kind != ctoken.Name || strings.ContainsAny(of, "{}*,()[]") || of == "" ||
		!v.is(end, ";") {
		v.refuse(i, "`@ "+where+"` is followed behind the name of one object of a simple type: write "+
			"`(*(volatile T *)"+where+")` for what lies there, or `build.exclude` the file")
		return
	}
	v.tokens[name].text = ""
	v.placed[object] = fmt.Sprintf("(*(%s *)(%s))", of, where)
}

// refuse says of the token at i why the text is not followed.
func (v *rewriter) refuse(i int, why string) {
	d := &Fault{Line: 1, Message: why}
	for _, t := range v.tokens[:i] {
		if file, line, ok := ctoken.LineMarker([]byte(t.text)); t.blank && ok {
			d.File, d.Line = file, line
			continue
		}
		d.Line += strings.Count(t.text, "\n")
	}
	v.fault = d
}
