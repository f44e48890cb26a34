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
	from, while, ok := r.domain(semi+1, last, v)
	if !ok {
		r.fail(i, "%s over %s: the body does not begin with bounds of %s (lower <= %s && %s < upper)", r.toks[i].text,
			v, v, v, v)
		return "0", end + 1
	}
	result, start, step := r.name("all"), "1", "&"
	if exists {
		start, step = "0", "|"
	}
	return fmt.Sprintf("({ _Bool %s = %s; for (%s = (%s); %s; %s++) %s = %s %s (_Bool)(%s); %s; })", result, start,
		declaration, from, while, v, result, result, step, strings.TrimSpace(r.text(semi+1, last)), result), end + 1
}

// mark notes the quantifiers of an asserted or assumed formula around which there is
// no negation: under && and ||, and on the right of ==>.
func (r *rewriter) mark(lo, hi int, p polarity) {
	for hi-lo >= 2 && r.toks[lo].text == "(" && r.mate[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if hi-lo >= 2 && (r.toks[lo].text == "__CPROVER_forall" || r.toks[lo].text == "__CPROVER_exists") &&
		r.mate[lo+1] == hi-1 {
		r.positive[lo] = p
		if semi := r.find(lo+2, hi-1, ";"); semi > 0 && (r.toks[lo].text == "__CPROVER_forall") == (p == asserted) {
			r.mark(semi+1, hi-1, p)
		}
		return
	}
	if r.find(lo, hi, "<==>") >= 0 || r.find(lo, hi, "?") >= 0 {
		return
	}
	if i := r.find(lo, hi, "==>"); i >= 0 {
		r.mark(i+1, hi, p)
		return
	}
	for _, op := range []string{"||", "&&"} {
		if parts := r.split(lo, hi, op); len(parts) > 1 {
			for _, c := range parts {
				r.mark(c[0], c[1], p)
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

// domain finds the bounds of v at the begin of a quantifier's body: conjuncts
// lower <= v, v < upper and the like in front of ==> or among those of &&.
func (r *rewriter) domain(lo, hi int, v string) (from, while string, ok bool) {
	if i := r.find(lo, hi, "==>"); i >= 0 {
		hi = i
	}
	for hi-lo >= 2 && r.toks[lo].text == "(" && r.mate[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	for _, c := range r.split(lo, hi, "&&") {
		a, b := c[0], c[1]
		for b-a >= 2 && r.toks[a].text == "(" && r.mate[a] == b-1 {
			a, b = a+1, b-1
		}
		for _, part := range r.chain(a, b) {
			l, op, u := part[0], r.toks[part[1]].text, part[2]
			left, right := strings.TrimSpace(r.text(l, part[1])), strings.TrimSpace(r.text(part[1]+1, u))
			switch {
			case right == v && op == "<=":
				from = left
			case right == v && op == "<":
				from = "(" + left + ") + 1"
			case left == v && op == ">=":
				from = right
			case left == v && op == ">":
				from = "(" + right + ") + 1"
			case left == v && (op == "<" || op == "<=" || op == "!="):
				while = v + " " + op + " (" + right + ")"
			case right == v && (op == ">" || op == ">="):
				while = "(" + left + ") " + op + " " + v
			}
		}
	}
	return from, while, from != "" && while != ""
}

// chain gives the comparison that an expression consists of: where it begins, its
// operator and its end.
func (r *rewriter) chain(lo, hi int) [][3]int {
	for _, op := range []string{"<=", "<", ">=", ">", "!="} {
		if i := r.find(lo, hi, op); i > 0 {
			return [][3]int{{lo, i, hi}}
		}
	}
	return nil
}
