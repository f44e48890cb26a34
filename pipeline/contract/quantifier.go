package contract

import (
	"fmt"
	"strings"
)

// quantifier is __CPROVER_forall { T i; body } or exists, in one of two meanings:
//
//	(Q1) what is asserted of every value is asserted of one that nobody chose, and what
//	     is assumed to exist is such a value, where no negation stands around it;
//	(Q2) elsewhere a loop over the bounds that the body begins with, exactly.
func (r *rewriter) quantifier(i int) (string, int) {
	open := i + 1
	if open >= len(r.toks) || r.toks[open].text != "{" || r.mate[open] < 0 {
		r.fail(i, "%s is not followed by { declaration; expression }", r.toks[i].text)
		return "0", i + 1
	}
	end := r.mate[open]
	semi := r.find(open+1, end, ";")
	if semi < 0 {
		r.fail(i, "%s has no declaration", r.toks[i].text)
		return "0", end + 1
	}
	last := r.bodyEnd(open)
	declaration, v, exists := r.plain(open+1, semi), r.toks[semi-1].text, r.toks[i].text == "__CPROVER_exists"
	if p := r.positive[i]; p == asserted && !exists || p == assumed && exists {
		return fmt.Sprintf("({ %s; firmproof_contract_havoc(&%s, sizeof %s); (_Bool)(%s); })", declaration, v, v,
			r.inline(semi+1, last)), end + 1
	}
	from, while, ok := r.domain(semi+1, last, v, exists)
	if !ok {
		form := "%s <= %s && %s < upper && ..."
		if !exists {
			form = "%s <= %s && %s < upper ==> ..."
		}
		r.fail(i, "%s over %s: the body does not begin with bounds of %s ("+strings.Replace(form, "%s <=", "lower <=",
			1)+")",
			r.toks[i].text, v, v, v, v)
		return "0", end + 1
	}
	result, start, step := r.name("all"), "1", "&"
	if exists {
		start, step = "0", "|"
	}
	if r.facts[i] != noFact {
		return r.fact(i, result, declaration, v, from, while, [2]int{semi + 1, last}), end + 1
	}
	return fmt.Sprintf("({ _Bool %s = %s; for (%s = (%s); %s; %s++) %s = %s %s (_Bool)(%s); %s; })", result, start,
		declaration, from, while, v, result, result, step, r.inline(semi+1, last), result), end + 1
}

// fact is a quantifier that is assumed: a loop, or its body once, for any value, where the engine takes it as a fact
// about all of them.
func (r *rewriter) fact(i int, result, declaration, v, from, while string, body [2]int) string {
	last := result
	if r.facts[i] == outermostFact {
		last = "firmproof_contract_for_all(" + result + ")"
	}
	return fmt.Sprintf("({ _Bool %[1]s = 1; %[2]s = (%[4]s); if (firmproof_contract_as_facts()) %[3]s = (__typeof__(%[3]s))firmproof_contract_index(); for (; %[5]s; %[3]s++) { %[1]s = %[1]s & (_Bool)(%[6]s); if (firmproof_contract_as_facts()) break; } %[7]s; })",
		result, declaration, v, from, while, r.inline(body[0], body[1]), last)
}

// mark notes how the formula of tokens lo..hi-1 is used from here on: asserted, or assumed.
func (r *rewriter) mark(lo, hi int, p polarity) {
	for i := lo; i < hi; i++ {
		delete(r.positive, i) // of an earlier use of the same clause
		delete(r.facts, i)
	}
	r.markPositive(lo, hi, p)
}

// markPositive notes the quantifiers around which there is no negation.
func (r *rewriter) markPositive(lo, hi int, p polarity) {
	r.unnegated(lo, hi, func(i int) bool {
		r.positive[i] = p
		forall := r.toks[i].text == "__CPROVER_forall"
		if p == assumed && forall {
			r.markFact(i)
		}
		return forall == (p == asserted)
	})
}

// unnegated visits the quantifiers around which there is no negation: under && and ||, on the right of ==>, and
// within those for which visit returns true.
func (r *rewriter) unnegated(lo, hi int, visit func(i int) bool) {
	lo, hi = r.peel(lo, hi)
	if hi-lo >= 2 && (r.toks[lo].text == "__CPROVER_forall" || r.toks[lo].text == "__CPROVER_exists") &&
		r.mate[lo+1] == hi-1 {
		if semi := r.find(lo+2, hi-1, ";"); visit(lo) && semi > 0 {
			r.unnegated(semi+1, r.bodyEnd(lo+1), visit)
		}
		return
	}
	if r.find(lo, hi, "<==>") >= 0 || r.find(lo, hi, "?") >= 0 {
		return
	}
	if i := r.find(lo, hi, "==>"); i >= 0 {
		r.unnegated(i+1, hi, visit)
		return
	}
	for _, op := range []string{"||", "&&"} {
		if parts := r.split(lo, hi, op); len(parts) > 1 {
			for _, c := range parts {
				r.unnegated(c[0], c[1], visit)
			}
			return
		}
	}
}

// bodyEnd is where the body of the quantifier with the brace at open ends.
func (r *rewriter) bodyEnd(open int) int {
	if end := r.mate[open]; r.toks[end-1].text != ";" {
		return end
	}
	return r.mate[open] - 1
}

// markFact notes the assumed forall at i and those within it, if evaluating it only reads and none of them is negated.
func (r *rewriter) markFact(i int) {
	var all []int
	r.unnegated(i, r.mate[i+1]+1, func(k int) bool {
		all = append(all, k)
		return true
	})
	named := 0
	for k := i; k < r.mate[i+1]; k++ {
		if r.toks[k].text == "__CPROVER_forall" {
			named++
		}
	}
	if named != len(all) || !r.onlyReads(i+1, r.mate[i+1]) {
		return
	}
	for _, k := range all {
		r.facts[k] = innerFact
	}
	r.facts[i] = outermostFact
}

// onlyReads reports whether evaluating the tokens lo..hi-1 plainly changes nothing, and asks nothing of the environment:
// they hold no assignment, no call but of CBMC's predicates over memory, and no exists.
func (r *rewriter) onlyReads(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		t := r.toks[i].text
		switch {
		case t == "__CPROVER_old" || t == "__CPROVER_loop_entry":
			i = r.over(i + 1) // a value that was kept
		case t == "__CPROVER_exists" || assignments[t] || t == "++" || t == "--":
			return false
		case i+1 >= hi || r.toks[i+1].text != "(":
		case t == "]" || t == "}" || t == ")" && !r.cast(i):
			return false
		case r.toks[i].isWord() && !readers[t]:
			return false
		}
	}
	return true
}

// readers list what may stand in front of a parenthesis in a fact.
var readers = map[string]bool{"sizeof": true, "__typeof__": true, "__CPROVER_r_ok": true, "__CPROVER_w_ok": true,
	"__CPROVER_rw_ok": true, "__CPROVER_same_object": true, "__CPROVER_POINTER_OFFSET": true,
	"__CPROVER_OBJECT_SIZE": true}

// arithmetic are the keywords of C's types.
var arithmetic = map[string]bool{"char": true, "short": true, "int": true, "long": true, "signed": true,
	"unsigned": true, "_Bool": true, "const": true, "struct": true}

// cast reports whether the parenthesis that ends at i holds the name of a type: words and stars, none of which is a
// function's.
func (r *rewriter) cast(i int) bool {
	for k := r.mate[i] + 1; k < i; k++ {
		if t := r.toks[k]; t.text == "*" && k == r.mate[i]+1 || t.text != "*" && !arithmetic[t.text] && (!t.isWord() ||
			r.called()[t.text]) {
			return false
		}
	}
	return true
}

// called are the words that a parenthesis follows somewhere in the unit: every function is among them.
func (r *rewriter) called() map[string]bool {
	if r.calls == nil {
		r.calls = map[string]bool{}
		for i := range max(0, len(r.toks)-1) {
			if r.toks[i].isWord() && r.toks[i+1].text == "(" {
				r.calls[r.toks[i].text] = true
			}
		}
	}
	return r.calls
}

// markCalls does so for the calls of CBMC's assert and assume.
func (r *rewriter) markCalls() {
	for i := 0; i+1 < len(r.toks); i++ {
		p := map[string]polarity{"__CPROVER_assert": asserted, "__CPROVER_precondition": asserted,
			"__CPROVER_postcondition": asserted, "__CPROVER_assume": assumed}[r.toks[i].text]
		if p == plainCode || r.toks[i+1].text != "(" || r.mate[i+1] < 0 {
			continue
		}
		if args := r.arguments(i + 1); len(args) > 0 {
			r.mark(args[0][0], args[0][1], p)
		}
	}
}

// domain finds the bounds of v that a quantifier's body begins with: conjuncts
// lower <= v, v < upper and the like, of a forall in front of ==>, of an exists among
// those of &&. Only so does the loop over them decide the quantifier: the body has the
// whole condition, and outside of the bounds it is true or, of exists, false.
func (r *rewriter) domain(lo, hi int, v string, exists bool) (from, while string, ok bool) {
	lo, hi = r.peel(lo, hi)
	i := r.find(lo, hi, "==>")
	if exists != (i < 0) || r.find(lo, hi, "<==>") >= 0 {
		return "", "", false
	}
	if i >= 0 {
		lo, hi = r.peel(lo, i)
	}
	if r.find(lo, hi, "||") >= 0 || r.find(lo, hi, "?") >= 0 {
		return "", "", false
	}
	var upper []string
	for _, c := range r.conjuncts(lo, hi) {
		left, op, right := r.comparison(c[0], c[1], v)
		if right == v {
			left, op, right = right, mirrored[op], left
		}
		if left != v || op == "" {
			continue
		}
		switch op {
		case "<", "<=":
			upper = append(upper, v+" "+op+" ("+right+")")
		case ">=":
			from = right
		case ">":
			from = "(" + right + ") + 1"
		}
	}
	return from, strings.Join(upper, " && "), from != "" && len(upper) > 0
}

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// peel takes parentheses off an expression.
func (r *rewriter) peel(lo, hi int) (int, int) {
	for hi-lo >= 2 && r.toks[lo].text == "(" && r.mate[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	return lo, hi
}

// conjuncts are the parts of &&, those in parentheses too.
func (r *rewriter) conjuncts(lo, hi int) (out [][2]int) {
	parts := r.split(lo, hi, "&&")
	if len(parts) == 1 {
		return parts
	}
	for _, c := range parts {
		a, b := r.peel(c[0], c[1])
		if r.find(a, b, "||") >= 0 || r.find(a, b, "==>") >= 0 || r.find(a, b, "?") >= 0 {
			continue
		}
		out = append(out, r.conjuncts(a, b)...)
	}
	return out
}

// comparison takes an expression apart that is one comparison by order, with the same
// value on one side in every turn of a loop.
func (r *rewriter) comparison(lo, hi int, v string) (left, op, right string) {
	lo, hi = r.peel(lo, hi)
	at := -1
	for i := lo; i < hi; i++ {
		switch t := r.toks[i].text; {
		case mirrored[t] != "" && at >= 0:
			return "", "", ""
		case mirrored[t] != "":
			at = i
		case t == "==" || t == "!=" || t == "^" || t == "|" || t == "," || t == "=",
			t == "&" && i > lo && operand(r.toks[i-1]):
			return "", "", "" // binds weaker than the comparison
		}
		if m := r.mate[i]; m > i && m < hi {
			i = m
		}
	}
	if at < 0 {
		return "", "", ""
	}
	side := func(lo, hi int) string {
		if a, b := r.peel(lo, hi); b == a+1 {
			lo, hi = a, b
		}
		return r.inline(lo, hi)
	}
	left, right = side(lo, at), side(at+1, hi)
	bound := [2]int{at + 1, hi}
	if left != v {
		bound = [2]int{lo, at}
	}
	for i := bound[0]; i < bound[1]; i++ {
		if r.toks[i].text == v || r.toks[i].text == "++" || r.toks[i].text == "--" {
			return "", "", ""
		}
	}
	return left, r.toks[at].text, right
}
