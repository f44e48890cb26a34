package contract

import (
	"slices"
	"strings"
)

// assigner finds what a loop without assigns clause writes, by the lvalues of its assignments: variables and members
// as they are, elements and what pointers lead to as the whole object. Calls are not followed. Soundness does not rest
// on it: each write of the loop is asserted to be allowed by what is found.
type assigner struct {
	*rewriter
	at       int             // of the loop, for errors
	declared map[string]bool // variables of the loop's own blocks
	found    []target
}

// inferred gives the targets of the writes in the parts of a loop: condition, step and body.
func (r *rewriter) inferred(l *loop, parts [][2]int) []target {
	a := &assigner{rewriter: r, at: l.at, declared: map[string]bool{}}
	for _, p := range parts {
		a.locals(p[0], p[1])
	}
	for _, p := range parts {
		a.writes(p[0], p[1])
	}
	for _, t := range a.found {
		if t.whole != "" && slices.ContainsFunc(a.found, func(w target) bool {
			return w.whole == "" && (t.expr == w.expr || strings.HasPrefix(t.expr, w.expr+"-") ||
				strings.HasPrefix(t.expr, w.expr+".") || strings.HasPrefix(t.expr, w.expr+"["))
		}) {
			a.unknown() // the pointer moves
		}
	}
	return a.found
}

func (a *assigner) unknown() {
	a.fail(a.at, "a loop with an invariant has no assigns clause, and what it writes is not plain")
}

// notTypes are words that begin a statement and no declaration.
var notTypes = map[string]bool{"return": true, "goto": true, "else": true, "do": true, "case": true, "sizeof": true}

// locals notes the variables that blocks in lo..hi-1 declare (C17 6.7): a type of words and stars, and a name.
func (a *assigner) locals(lo, hi int) {
	for i := lo; i < hi; i++ {
		before := a.toks[i-1].text
		if !a.toks[i].isWord() || !slices.Contains([]string{";", "{", "}", ":"}, before) &&
			(before != "(" || a.toks[i-2].text != "for") {
			continue
		}
		name := i
		for name < hi && (a.toks[name].isWord() || a.toks[name].text == "*") && !notTypes[a.toks[name].text] {
			name++
		}
		if name--; name <= i || name+1 >= hi || !a.toks[name].isWord() ||
			!slices.Contains([]string{"=", ";", ",", "["}, a.toks[name+1].text) {
			continue
		}
		for _, d := range a.split(name, max(a.find(name, hi, ";"), name+1), ",") {
			for d[0] < d[1] && a.toks[d[0]].text == "*" {
				d[0]++
			}
			if d[0] < d[1] {
				a.declared[a.toks[d[0]].text] = true
			}
		}
	}
}

var assignments = map[string]bool{"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "&=": true,
	"|=": true, "^=": true, "<<=": true, ">>=": true}

// writes notes what is assigned to in lo..hi-1, but for clauses.
func (a *assigner) writes(lo, hi int) {
	for i := lo; i < hi; i++ {
		switch t := a.toks[i].text; {
		case loopClauses[t] != "" && i+1 < hi:
			i = a.over(i + 1)
		case assignments[t]:
			a.before(i)
		case t != "++" && t != "--":
		case a.toks[i-1].isWord() && !notTypes[a.toks[i-1].text] || a.toks[i-1].text == "]" || a.toks[i-1].text == ")":
			a.before(i)
		case i+1 < hi:
			a.lvalue(i+1, a.postfix(i+1, hi))
		}
	}
}

// postfix is the end of the lvalue that begins with the name at i.
func (a *assigner) postfix(i, hi int) int {
	for i++; i < hi; {
		switch a.toks[i].text {
		case "[":
			i = a.over(i) + 1
		case ".", "->":
			i += 2
		default:
			return i
		}
	}
	return hi
}

// before notes the lvalue that ends at token end.
func (a *assigner) before(end int) {
	at := end - 1
	for {
		switch t := a.toks[at]; {
		case t.text == "]" && a.mate[at] > 0:
			at = a.mate[at] - 1
		case t.isWord() && (a.toks[at-1].text == "." || a.toks[at-1].text == "->"):
			at -= 2
		case at < end-1 && (t.text == "{" || t.text == ","):
			return // a designator of an initialiser
		default:
			a.lvalue(at, end)
			return
		}
	}
}

// lvalue notes the lvalue of the tokens lo..hi-1.
func (a *assigner) lvalue(lo, hi int) {
	if !a.toks[lo].isWord() {
		a.unknown()
		return
	}
	if a.declared[a.toks[lo].text] {
		return
	}
	t := target{at: a.at, hi: a.at + 1}
	last := -1 // the operator that goes to another object
	for i := lo; i < hi; i++ {
		if s := a.toks[i].text; s == "[" || s == "->" {
			last = i
			i = a.over(i)
		}
	}
	if a.toks[lo-1].text == "*" {
		if last >= 0 || a.toks[lo-2].text == "*" {
			a.unknown()
			return
		}
		last = hi
	}
	if t.expr = a.unindexed(lo, hi); last >= 0 {
		t.expr, t.whole = a.unindexed(lo, last), "firmproof_contract_add_whole"
	}
	if !slices.Contains(a.found, t) {
		a.found = append(a.found, t)
	}
}

// unindexed is the text of an lvalue with the first element of each array in it.
func (a *assigner) unindexed(lo, hi int) string {
	var b strings.Builder
	for i := lo; i < hi; i++ {
		if a.toks[i].text == "[" {
			b.WriteString("[0]")
			i = a.over(i)
			continue
		}
		b.WriteString(a.inline(i, i+1))
	}
	return b.String()
}
