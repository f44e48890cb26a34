package contract

import (
	"fmt"
	"slices"
	"strings"
)

// text returns what stands for the tokens lo..hi-1: regions replaced, the operators and
// predicates of clauses in C.
func (r *rewriter) text(lo, hi int) string {
	var b strings.Builder
	start := lo
	for i := lo; i < hi; i++ {
		if reg := r.at[i]; reg != nil && reg.end <= hi {
			i = reg.end - 1
			continue
		}
		t := r.toks[i].text
		if m := r.mate[i]; m > i && m < hi {
			i = m
			continue
		}
		if separates(t) {
			b.WriteString(r.implication(start, i))
			b.WriteString(r.toks[i].pre + t)
			start = i + 1
		}
	}
	b.WriteString(r.implication(start, hi))
	return b.String()
}

// inline is the text of an expression, without the line markers in front of it: it may stand behind other text.
func (r *rewriter) inline(lo, hi int) string {
	text := strings.TrimSpace(r.text(lo, hi))
	for strings.HasPrefix(text, "#") {
		_, behind, _ := strings.Cut(text, "\n")
		text = strings.TrimSpace(behind)
	}
	return text
}

// separates reports whether no operator of CBMC's has operands on both sides of t.
func separates(t string) bool {
	switch t {
	case ",", ";", "?", ":", "=", "return":
		return true
	}
	return false
}

// implication is an expression that may have <==> (weakest) and ==>, which groups to
// the right.
func (r *rewriter) implication(lo, hi int) string {
	for _, op := range []string{"<==>", "==>"} {
		i := r.find(lo, hi, op)
		switch {
		case i < 0:
		case op == "==>":
			return fmt.Sprintf("(!(%s)%s|| (%s))", r.plain(lo, i), r.toks[i].pre+" ", r.implication(i+1, hi))
		default:
			return fmt.Sprintf("(!(%s)%s== !(%s))", r.implication(lo, i), r.toks[i].pre+" ", r.implication(i+1, hi))
		}
	}
	return r.plain(lo, hi)
}

// find is the first token at this level that is text, or -1.
func (r *rewriter) find(lo, hi int, text string) int {
	for i := lo; i < hi; i++ {
		if reg := r.at[i]; reg != nil && reg.end <= hi {
			i = reg.end - 1
			continue
		}
		if r.toks[i].text == text {
			return i
		}
		if m := r.mate[i]; m > i && m < hi {
			i = m
		}
	}
	return -1
}

// plain has none of CBMC's operators at its own level.
func (r *rewriter) plain(lo, hi int) string {
	var b strings.Builder
	for i := lo; i < hi; i++ {
		t := r.toks[i]
		if reg := r.at[i]; reg != nil && reg.end <= hi {
			b.WriteString(t.pre + reg.text())
			i = reg.end - 1
			continue
		}
		if m := r.mate[i]; m > i && m < hi {
			b.WriteString(t.pre + t.text + r.text(i+1, m) + r.toks[m].pre + r.toks[m].text)
			i = m
			continue
		}
		if !t.isWord() {
			b.WriteString(t.pre + t.text)
			continue
		}
		text, next := r.word(i, hi)
		b.WriteString(t.pre + text)
		i = next - 1
	}
	return b.String()
}

// word returns what stands for the identifier at i, and where to go on.
func (r *rewriter) word(i, hi int) (string, int) {
	t := r.toks[i].text
	member := i > 0 && (r.toks[i-1].text == "." || r.toks[i-1].text == "->")
	call := i+1 < hi && r.toks[i+1].text == "(" && r.mate[i+1] > 0 && r.mate[i+1] < hi
	switch {
	case member:
	case t == "__CPROVER_return_value":
		return "firmproof_ret", i + 1
	case r.ctx.rename[t]:
		return "(*firmproof_at_" + t + ")", i + 1
	case t == "__CPROVER_forall" || t == "__CPROVER_exists":
		return r.quantifier(i)
	case !call:
	case t == "__CPROVER_old" || t == "__CPROVER_loop_entry" || t == "__CPROVER_loop_old":
		return r.earlier(i), r.mate[i+1] + 1
	case predicates[t] != nil:
		return r.memoryPredicate(i), r.mate[i+1] + 1
	case r.preds[t] != nil && r.preds[t].lifts() && (r.ctx.olds != nil || r.ctx.rename != nil):
		return r.liftedCall(i), r.mate[i+1] + 1
	}
	return t, i + 1
}

// earlier names the value that the argument had, and notes that it is needed.
func (r *rewriter) earlier(i int) string {
	if r.ctx.olds == nil {
		r.fail(i, "%s stands outside of a clause", r.toks[i].text)
		return "0"
	}
	lo, hi := i+2, r.mate[i+1]
	for _, h := range *r.ctx.olds {
		if slices.EqualFunc(r.toks[h.lo:h.hi], r.toks[lo:hi], func(a, b token) bool { return a.text == b.text }) {
			return h.name
		}
	}
	h := history{r.name("old"), lo, hi}
	*r.ctx.olds = append(*r.ctx.olds, h)
	return h.name
}

// snapshots declares the earlier values and takes them, as far as what they are read
// through can be read (as CBMC does; any value otherwise).
func (r *rewriter) snapshots(list []history) (declare, take string) {
	var d, t strings.Builder
	for _, h := range list {
		e := r.text(h.lo, h.hi)
		fmt.Fprintf(&d, "__typeof__(((void)0, (%s))) %s; ", e, h.name)
		fmt.Fprintf(&t, "if (%s) %s = (%s); ", r.readable(h.lo, h.hi), h.name, e)
	}
	return d.String(), t.String()
}

// readable is the condition under which an expression of an earlier state has a
// value: all that it is read through can be read.
func (r *rewriter) readable(lo, hi int) string {
	cond, deref := []string{"1"}, false
	for i := lo; i < hi; i++ {
		switch t := r.toks[i].text; {
		case t == "->":
			cond = append(cond, fmt.Sprintf("firmproof_contract_r_ok((%s), sizeof *(%s))", r.text(lo, i),
				r.text(lo, i)))
			deref = true
		case t == "[" || t == "*" && (i == lo || !operand(r.toks[i-1])):
			deref = true
		}
		if m := r.mate[i]; m > i {
			i = m
		}
	}
	if deref {
		e := r.text(lo, hi)
		cond = append(cond, fmt.Sprintf("firmproof_contract_r_ok(&(%s), sizeof(%s))", e, e))
	}
	return strings.Join(cond, " && ")
}

// operand reports whether an operator behind t has t as its left operand.
func operand(t token) bool {
	return t.isWord() && t.text != "return" && t.text != "sizeof" || t.text == ")" || t.text == "]" ||
		t.text[0] >= '0' && t.text[0] <= '9'
}
