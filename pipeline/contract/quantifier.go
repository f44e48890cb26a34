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
	last := end
	if r.toks[last-1].text == ";" {
		last--
	}
	declaration, v, exists := r.plain(open+1, semi), r.toks[semi-1].text, r.toks[i].text == "__CPROVER_exists"
	if p := r.positive[i]; p == asserted && !exists || p == assumed && exists {
		return fmt.Sprintf("({ %s; firmproof_contract_havoc(&%s, sizeof %s); (_Bool)(%s); })", declaration, v, v,
			strings.TrimSpace(r.text(semi+1, last))), end + 1
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
	return fmt.Sprintf("({ _Bool %s = %s; for (%s = (%s); %s; %s++) %s = %s %s (_Bool)(%s); %s; })", result, start,
		declaration, from, while, v, result, result, step, strings.TrimSpace(r.text(semi+1, last)), result), end + 1
}

// mark notes how the formula of tokens lo..hi-1 is used from here on: asserted, or assumed.
func (r *rewriter) mark(lo, hi int, p polarity) {
	for i := lo; i < hi; i++ {
		delete(r.positive, i) // of an earlier use of the same clause
	}
	r.markPositive(lo, hi, p)
}

// markPositive notes the quantifiers around which there is no negation: under && and ||, and on the right of ==>.
func (r *rewriter) markPositive(lo, hi int, p polarity) {
	for hi-lo >= 2 && r.toks[lo].text == "(" && r.mate[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if hi-lo >= 2 && (r.toks[lo].text == "__CPROVER_forall" || r.toks[lo].text == "__CPROVER_exists") &&
		r.mate[lo+1] == hi-1 {
		r.positive[lo] = p
		if semi := r.find(lo+2, hi-1, ";"); semi > 0 && (r.toks[lo].text == "__CPROVER_forall") == (p == asserted) {
			r.markPositive(semi+1, hi-1, p)
		}
		return
	}
	if r.find(lo, hi, "<==>") >= 0 || r.find(lo, hi, "?") >= 0 {
		return
	}
	if i := r.find(lo, hi, "==>"); i >= 0 {
		r.markPositive(i+1, hi, p)
		return
	}
	for _, op := range []string{"||", "&&"} {
		if parts := r.split(lo, hi, op); len(parts) > 1 {
			for _, c := range parts {
				r.markPositive(c[0], c[1], p)
			}
			return
		}
	}
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
		return strings.TrimSpace(r.text(lo, hi))
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
