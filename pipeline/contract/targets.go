package contract

import (
	"fmt"
	"strings"
)

// What becomes of the targets of an assigns clause.
type targetUse uint8

const (
	inFrame  targetUse = iota // they are what may be written
	inCaller                  // they must be allowed already, and get any value
	inLoop                    // both
)

// maxTargets is the number of targets that a frame has room for.
const maxTargets = 64

// wholes are targets that are not lvalues, with the function that notes them.
var wholes = map[string]string{
	"__CPROVER_object_whole":   "firmproof_contract_add_whole",
	"__CPROVER_POINTER_OBJECT": "firmproof_contract_add_whole",
	"__CPROVER_object_from":    "firmproof_contract_add_from", "__CPROVER_object_upto": "firmproof_contract_add",
}

// target is an object that a clause allows to be written.
type target struct {
	at, hi int    // its place, that of the clause
	cond   string // it counts where this is true; "": always
	expr   string
	whole  string // the function that notes what expr leads to; "": expr is the lvalue itself
}

// listed are the targets of assigns clauses.
func (r *rewriter) listed(list []clause) (out []target) {
	for _, c := range list {
		for _, g := range r.split(c.lo, c.hi, ";") {
			cond, lo := "", g[0]
			if colon := r.condition(g[0], g[1]); colon > 0 {
				cond, lo = r.text(g[0], colon), colon+1
			}
			for _, t := range r.split(lo, g[1], ",") {
				if t[0] == t[1] {
					continue
				}
				expr, whole := r.target(t[0], t[1])
				if out = append(out, target{c.at, c.hi, cond, expr, whole}); len(out) > maxTargets {
					r.fail(t[0], "an assigns clause has more than %d targets", maxTargets)
				}
			}
		}
	}
	return out
}

// targets gives what notes targets in a frame, and what gives them any value, unless they are only allowed.
func (r *rewriter) targets(list []target, frame string, use targetUse) (string, string) {
	var note, write strings.Builder
	for n, t := range list {
		add := fmt.Sprintf("%s(%s, %s);", t.whole, frame, t.expr)
		if t.whole == "" {
			add = fmt.Sprintf("firmproof_contract_add(%s, (const volatile void *)&(%s), sizeof(%s));", frame, t.expr,
				t.expr)
		}
		if t.cond != "" {
			add = fmt.Sprintf("if (%s) { %s } else firmproof_contract_skip(%s);", t.cond, add, frame)
		}
		note.WriteString(r.placed(t.at, t.hi, add))
		check := fmt.Sprintf(
			"firmproof_contract_assert(firmproof_contract_valid(%s, %d), \"target of an assigns clause is null or can be written\");", frame, n)
		if use != inFrame {
			check += fmt.Sprintf(
				" firmproof_contract_assert(firmproof_contract_included(%s, %d), \"target of an assigns clause is allowed by the one around it\");", frame, n)
		}
		note.WriteString(r.placed(t.at, t.hi, check))
		if use == inFrame {
			continue
		}
		fmt.Fprintf(&write, " firmproof_contract_havoc_target(%s, %d);", frame, n)
		if t.whole == "" { // a truth value is 0 or 1
			fmt.Fprintf(&write,
				" if (__builtin_types_compatible_p(__typeof__(((void)0, (%s))), _Bool)) firmproof_contract_truth(%s, %d);",
				t.expr, frame, n)
		}
	}
	return note.String(), write.String()
}

// target is the expression of one target, and the function that notes what it leads to if it is no lvalue.
func (r *rewriter) target(lo, hi int) (expr, whole string) {
	if r.toks[lo].isWord() && lo+1 < hi && r.toks[lo+1].text == "(" && r.mate[lo+1] == hi-1 {
		name := r.toks[lo].text
		if fn := wholes[name]; fn != "" {
			return r.inline(lo+2, hi-1), fn
		}
		if name == "__CPROVER_typed_target" {
			return r.target(lo+2, hi-1)
		}
		r.fail(lo, "the target %s(...) of an assigns clause is not followed", name)
		return "", ""
	}
	return r.inline(lo, hi), ""
}

// split cuts tokens at a separator of this level.
func (r *rewriter) split(lo, hi int, sep string) [][2]int {
	var out [][2]int
	for lo <= hi {
		i := r.find(lo, hi, sep)
		if i < 0 {
			i = hi
		}
		out = append(out, [2]int{lo, i})
		lo = i + 1
	}
	return out
}

// condition is the colon behind the condition of targets, or -1.
func (r *rewriter) condition(lo, hi int) int {
	if r.find(lo, hi, "?") >= 0 {
		return -1
	}
	return r.find(lo, hi, ":")
}

// freed notes the pointers of frees clauses: what the function may free. In the place
// of a function that may free, there is no telling what it freed.
func (r *rewriter) freed(list []clause, frame string, use targetUse) string {
	var b strings.Builder
	n := 0
	for _, c := range list {
		for _, t := range r.split(c.lo, c.hi, ",") {
			switch {
			case t[0] == t[1]:
			case use != inFrame:
				r.fail(c.at, "a frees clause of a contract that stands for its function is not followed")
			case r.condition(t[0], t[1]) > 0 || r.find(t[0], t[1], ";") > 0 || n == 8:
				r.fail(c.at, "a frees clause with conditions, or more than 8 pointers, is not followed")
			default:
				b.WriteString(r.placed(c.at, c.hi, fmt.Sprintf("firmproof_contract_may_be_freed(%s, %s);", frame,
					r.inline(t[0], t[1]))))
				n++
			}
		}
	}
	return b.String()
}
