package dialect

import (
	"fmt"
	"slices"
	"strings"
)

// signatures notes the types of functions and aliases, and those that have names.
func (n *normaliser) signatures(lines []string) {
	for _, l := range lines {
		if !n.opaque && strings.Contains(l, "ptr") {
			n.opaque = find(lex(l), 0, "ptr") >= 0
		}
		switch {
		case strings.HasPrefix(l, "define "), strings.HasPrefix(l, "declare "):
			ts := lex(l)
			at := slices.IndexFunc(ts, func(t token) bool { return t.kind == global })
			if at < 0 || at+1 >= len(ts) || !ts[at+1].is("(") {
				continue
			}
			n.known[ts[at].text] = true
			if from := typeBefore(ts, at); from >= 0 {
				n.types[ts[at].text] = signature(spaced(ts[from:at]), ts, at+1)
			}
		case strings.HasPrefix(l, "%") && strings.Contains(l, " = type "):
			if ts := lex(l); len(ts) > 3 {
				n.named[ts[0].text] = ts[3:skipType(ts, 3)]
			}
		case strings.HasPrefix(l, "@") && strings.Contains(l, " alias "):
			ts := lex(l)
			if at := find(ts, 2, "alias"); at > 0 {
				n.types[ts[0].text] = spaced(ts[at+1 : skipType(ts, at+1)])
			}
		}
	}
}

// typeBefore returns where the type of the result begins that ends at `end`: behind linkage, conventions and
// attributes; -1 if there is none.
func typeBefore(ts []token, end int) int {
	for i := 1; i < end; i++ {
		if at := skipType(ts, i); at == end {
			return i
		} else if at > i && !ts[i].is("metadata") {
			return -1
		}
		if i+1 < end && ts[i+1].is("(") {
			i = closing(ts, i+1)
		}
	}
	return -1
}

// signature returns the type of a function from its result and the list of parameters or arguments at open.
func signature(result string, ts []token, open int) string {
	var params []string
	for _, p := range split(ts[open+1 : closing(ts, open)]) {
		if len(p) > 0 && p[0].is("...") {
			params = append(params, "...")
		} else if end := skipType(p, 0); end > 0 {
			params = append(params, spaced(p[:end]))
		}
	}
	return result + " (" + strings.Join(params, ", ") + ")"
}

// spaced returns a type in one form.
func spaced(ts []token) string {
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && t.kind == word && ts[i-1].kind == word || t.is("(") || i > 0 && ts[i-1].is(",") {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return strings.ReplaceAll(b.String(), "( ", "(")
}

// call rewrites a call or an invoke whose instruction is at op.
func (n *normaliser) call(ts []token, result string, op int) ([]token, bool) {
	at := op + 1
	ranged := -1
	for at < len(ts) && skipType(ts, at) == at { // flags, convention, attributes of the result
		if ts[at].is("range") {
			ranged = at
		}
		if at+1 < len(ts) && (ts[at+1].is("(") || ts[at].is("align") || ts[at].is("cc")) {
			at = max(at+1, closingIf(ts, at+1))
		}
		at++
	}
	end := skipType(ts, at)
	if end >= len(ts) {
		return ts, false
	}
	if ts[end].kind != global && ts[end].kind != local {
		return ts, false // assembly, an expression
	}
	open := end + 1
	if open >= len(ts) || !ts[open].is("(") {
		return ts, false
	}
	callee := ts[end].text
	switch {
	case strings.HasPrefix(callee, "@llvm.threadlocal.address."):
		return n.threadLocal(ts, result, open), true
	case callee == "@llvm.is.fpclass.f32", callee == "@llvm.is.fpclass.f64":
		return n.fpclass(ts, result, open)
	case callee == "@llvm.lifetime.start.p0", callee == "@llvm.lifetime.end.p0":
		return lifetime(ts)
	case ranged >= 0 && ts[op].is("call"):
		return n.ranged(ts, result, op, ranged, spaced(ts[at:end]))
	case ranged >= 0:
		n.refuse("the attribute range of an invoke")
	case rangeAt(ts[open:closing(ts, open)]) > 0:
		return n.rangedArguments(ts, result, op, open), true
	}
	kind := ts[at:end]
	typed := spaced(kind)
	explicit := kind[len(kind)-1].is(")") && (len(kind) < 4 || !kind[len(kind)-4].is("addrspace"))
	if !explicit {
		typed = signature(spaced(kind), ts, open)
	}
	if ts[end].kind == global {
		if known, ok := n.types[callee]; !ok || known == typed || strings.HasPrefix(callee, "@llvm.") {
			return ts, false
		}
		cast := fmt.Sprintf("%s%s bitcast (ptr %s to %s*)", ts[at].before, typed, callee, typed)
		return slices.Replace(ts, at, end+1, lex(cast)...), true
	}
	if !explicit || !n.opaque { // a typed pointer says the type itself
		return ts, false
	}
	name := n.name(CalleePrefix)
	ts[end].text = name
	cast := lex(fmt.Sprintf("%s%s = bitcast ptr %s to %s*  ", ts[0].before, name, callee, typed))
	ts[0].before = ""
	return append(cast, ts...), true
}

func closingIf(ts []token, at int) int {
	if ts[at].is("(") {
		return closing(ts, at)
	}
	return at
}

// threadLocal makes a cast of a call of llvm.threadlocal.address, which returns its argument in the thread at hand: there
// is one.
func (n *normaliser) threadLocal(ts []token, result string, open int) []token {
	end := closing(ts, open)
	argument := split(ts[open+1 : end])[0]
	_, notes := behind(ts, end)
	kind := skipType(argument, 0)
	return lex(fmt.Sprintf("%s%s = bitcast %s %s to %s%s", ts[0].before, result, bare(argument[:kind]),
		argument[len(argument)-1].text, bare(argument[:kind]), notes))
}
