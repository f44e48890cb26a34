package dialect

import (
	"slices"
	"strings"
)

// bounds is a `range(T low, high)` of a value of type T: modulo 2^w, from low on and below high (LangRef: range). The
// bounds are numbers as LLVM writes them.
type bounds struct{ kind, low, high string }

// rangeAt returns the index of a `range` among attributes; -1 if there is none.
func rangeAt(ts []token) int {
	return slices.IndexFunc(ts, func(t token) bool { return t.is("range") })
}

// takeRange takes `range(...)` at ts[at] out, an attribute of a value of type kind. A vector's is refused.
func (n *normaliser) takeRange(ts []token, at int, kind string) ([]token, bounds) {
	end := at + 1
	if end < len(ts) && ts[end].is("(") {
		end = closing(ts, end)
		if b := split(ts[at+2 : end]); len(b) == 2 && len(b[0]) == 2 && b[0][0].text == kind {
			return slices.Delete(slices.Clone(ts), at, end+1), bounds{kind, b[0][1].text, bare(b[1])}
		}
	}
	n.refuse("the attribute range of " + kind)
	return ts, bounds{kind, "0", "0"}
}

// within makes result: value, and poison where it is out of bounds.
func (e *expansion) within(b bounds, result, value string) {
	off, width, in := e.n.name("firmproof."), e.n.name("firmproof."), e.n.name("firmproof.")
	e.line(off, "sub %s %s, %s", b.kind, value, b.low) // modulo 2^w: in [0, high-low)
	e.line(width, "sub %s %s, %s", b.kind, b.high, b.low)
	e.line(in, "icmp ult %s %s, %s", b.kind, off, width)
	e.line(result, "select i1 %s, %s %s, %s poison", in, b.kind, value, b.kind)
}

// operands takes the ranges out of the list of parameters or arguments at ts[open]. Of each, value gets what the operand
// is, and returns what is to be written instead.
func (n *normaliser) operands(ts []token, open int, value func(operand token, b bounds) string) ([]token, bool) {
	end := closing(ts, open)
	if rangeAt(ts[open:end]) < 0 {
		return ts, false
	}
	out := slices.Clone(ts[:open+1])
	for i, p := range split(ts[open+1 : end]) {
		if i > 0 {
			out = append(out, token{punct, "", ","})
		}
		if at := rangeAt(p); at > 0 {
			var b bounds
			p, b = n.takeRange(p, at, spaced(p[:skipType(p, 0)]))
			last := &p[len(p)-1]
			if len(p) < 2 || last.kind != local && last.kind != word {
				n.refuse("the attribute range of an operand that is an expression or has no name")
			}
			last.text = value(*last, b)
		}
		out = append(out, p...)
	}
	return append(out, ts[end:]...), true
}

// ranged writes out that the result of a call of type kind is poison out of the bounds at ts[at].
func (n *normaliser) ranged(ts []token, result string, op, at int, kind string) ([]token, bool) {
	if result == "" {
		n.refuse("the attribute range of a result without a name")
		return ts, false
	}
	kind, _, _ = strings.Cut(kind, " (")
	plain, b := n.takeRange(ts, at, kind)
	if plain[len(plain)-1].kind == comment {
		plain = plain[:len(plain)-1]
	}
	called := n.name("firmproof.")
	plain[0].text = called
	e := expansion{n: n}
	_, e.notes = behind(plain, op)
	plain, _ = n.call(plain, called, op)
	e.WriteString(join(plain))
	e.within(b, result, called)
	return lex(e.String()), true
}

// rangedArguments writes out in front of a call that its arguments are poison out of their bounds.
func (n *normaliser) rangedArguments(ts []token, result string, op, open int) []token {
	e := expansion{n: n}
	_, e.notes = behind(ts, closing(ts, open))
	before := ts[0].before
	ts, _ = n.operands(ts, open, func(argument token, b bounds) string {
		name := n.name("firmproof.")
		e.within(b, name, argument.text)
		return name
	})
	if n.err != nil {
		return ts
	}
	ts, _ = n.call(ts, result, op)
	return lex(before + e.String() + "  " + bare(ts))
}

// body holds what the ranges in the head of a function ask of the lines of its body.
type body struct {
	params map[string]string // parameter -> what stands for it: poison out of bounds
	begin  string            // instructions that make those; "" once they were put in front of the first one
	result *bounds
}

// head takes the ranges out of the head of a function. A value that is out of them is made poison in the body: a
// parameter at the begin, a result where it is returned.
func (n *normaliser) head(ts []token) ([]token, bool) {
	at := slices.IndexFunc(ts, func(t token) bool { return t.kind == global })
	if rangeAt(ts) < 0 || at < 0 || at+1 >= len(ts) || !ts[at+1].is("(") {
		return ts, false
	}
	b := &body{params: map[string]string{}}
	e := expansion{n: n}
	ts, _ = n.operands(ts, at+1, func(parameter token, r bounds) string {
		name := n.name("firmproof.")
		e.within(r, name, parameter.text)
		b.params[parameter.text] = name
		return parameter.text
	})
	if i := rangeAt(ts[:at]); i >= 0 {
		from := typeBefore(ts, at)
		if from < 0 {
			n.refuse("the attribute range of a result")
			return ts, false
		}
		var r bounds
		ts, r = n.takeRange(ts, i, spaced(ts[from:at]))
		b.result = &r
	}
	last := len(ts) - 1
	if ts[last].kind == comment && last > 0 {
		last--
	}
	if !ts[last].is("{") {
		n.refuse("the attribute range of a function whose body begins on the same line")
	}
	b.begin, n.body = e.String(), b
	return ts, true
}

// inBody rewrites a line of a body whose function has ranges: parameters have other names, and a result that is out of
// bounds is poison.
func (n *normaliser) inBody(l string) string {
	ts := lex(l)
	for i := range ts {
		if to, ok := n.body.params[ts[i].text]; ok && ts[i].kind == local {
			ts[i].text = to
		}
	}
	if ts[0].is("}") {
		n.body = nil
		return l
	}
	if ts[0].kind == label {
		if len(ts) > 1 && ts[1].kind != comment {
			n.refuse("the attribute range of a function that has an instruction beside a label")
		}
		return l
	}
	switch at := find(ts, 0, "ret"); {
	case n.body.result == nil || at < 0:
	case at > 0:
		n.refuse("the attribute range of a function that has instructions beside a return")
	default:
		ts = n.returned(ts)
	}
	begin := n.body.begin
	if n.body.begin = ""; begin != "" {
		begin, ts[0].before = ts[0].before+begin, "  "
	}
	return begin + n.line(join(ts))
}

// returned rewrites `ret T value`.
func (n *normaliser) returned(ts []token) []token {
	b := *n.body.result
	operand, notes := behind(ts, 1)
	end := skipType(operand, 0)
	if end >= len(operand) || spaced(operand[:end]) != b.kind {
		n.refuse("the attribute range of a result")
		return ts
	}
	e := expansion{n: n, notes: notes}
	name := n.name("firmproof.")
	e.within(b, name, bare(operand[end:]))
	return lex(ts[0].before + e.String() + "  ret " + b.kind + " " + name + notes)
}
