package contract

import (
	"fmt"
	"slices"
	"strings"
)

// predicates are those of CBMC's that, where they are assumed, give a pointer its
// value; the number is that of the pointer among the arguments.
var predicates = map[string]*struct {
	name    string
	pointer int
	args    int
}{
	"__CPROVER_is_fresh":              {"firmproof_contract_is_fresh", 0, 2},
	"__CPROVER_pointer_in_range_dfcc": {"firmproof_contract_in_range", 1, 3},
	"__CPROVER_pointer_equals":        {"firmproof_contract_equals", 0, 2},
}

// predicate is a function that contracts use and that passes a parameter on to a
// predicate: where that gives it a value, the caller's pointer must get it.
type predicate struct {
	name         string
	head, params int // tokens: where the definition begins; the parenthesis of the parameters
	body         int // the brace
	names        []string
	lifted       map[string]bool
}

func (p *predicate) lifts() bool { return len(p.lifted) > 0 }

// arguments splits the inside of a parenthesis at its commas.
func (r *rewriter) arguments(open int) [][2]int {
	var out [][2]int
	start, end := open+1, r.mate[open]
	if start == end {
		return nil
	}
	for i := start; i < end; i++ {
		if m := r.mate[i]; m > i {
			i = m
		} else if r.toks[i].text == "," {
			out = append(out, [2]int{start, i})
			start = i + 1
		}
	}
	return append(out, [2]int{start, end})
}

// single is the identifier that an argument consists of, parentheses taken off.
func (r *rewriter) single(arg [2]int) string {
	lo, hi := arg[0], arg[1]
	for hi-lo >= 3 && r.toks[lo].text == "(" && r.mate[lo] == hi-1 {
		lo, hi = lo+1, hi-1
	}
	if hi-lo == 1 && r.toks[lo].isWord() {
		return r.toks[lo].text
	}
	return ""
}

// memoryPredicate is a call of one of CBMC's predicates: the pointer goes by address.
func (r *rewriter) memoryPredicate(i int) string {
	p := predicates[r.toks[i].text]
	args := r.arguments(i + 1)
	if len(args) != p.args {
		r.fail(i, "%s has %d arguments, want %d", r.toks[i].text, len(args), p.args)
		return "0"
	}
	var out []string
	for k, a := range args {
		e := r.inline(a[0], a[1])
		if k == p.pointer {
			e = "(void **)&(" + e + ")"
			if r.ctx.params[r.single(a)] {
				e = "(firmproof_contract_copied(), " + e + ")"
			}
		}
		out = append(out, e)
	}
	return r.failing(i, p.name+"("+strings.Join(out, ", ")+")")
}

// failing is a call of a predicate. Assumed, it gives its pointer a value and holds;
// where a formula can be true without it, it may also fail.
func (r *rewriter) failing(i int, call string) string {
	if !r.decides(i) {
		return call
	}
	return "({ firmproof_contract_may_fail++; _Bool firmproof_contract_held = " + call +
		"; firmproof_contract_may_fail--; firmproof_contract_held; })"
}

// decides reports whether more than the truth of a conjunction hangs on the operand at
// i: it stands under a negation, in front of ||, in a condition or a comparison, or
// its value is kept.
func (r *rewriter) decides(i int) bool {
	lo, hi := i, r.mate[i+1]
	for {
		if compares(r.toks[max(lo-1, 0)].text) || compares(r.toks[min(hi+1, len(r.toks)-1)].text) {
			return true
		}
		for k := lo; k > 0 && !boundary(r.toks[k-1].text); k-- {
			if r.toks[k-1].text == "=" {
				return true
			}
		}
		end := hi
		for end+1 < len(r.toks) && !boundary(r.toks[end+1].text) {
			end++
			switch r.toks[end].text {
			case "||", "|", "?", "==>", "<==>":
				return true
			}
			end = r.over(end)
		}
		open := r.opening(lo)
		if open < 0 {
			return false
		}
		if r.mate[open] != end+1 && r.toks[min(end+1, len(r.toks)-1)].text != ":" {
			return true // its value is an index, or the like
		}
		switch before := r.toks[max(open-1, 0)]; {
		case functionClauses[before.text] != "" || loopClauses[before.text] != "":
			return false
		case before.isWord() && before.text != "return":
			return true
		}
		lo, hi = open, r.mate[open]
	}
}

// compares reports whether more than the truth of its operands hangs on operator t.
func compares(t string) bool {
	switch t {
	case "!", "=", "==", "!=", "<", ">", "<=", ">=", "^", "~", ",", "<==>":
		return true
	}
	return false
}

// over is the bracket that closes the one at i, or i.
func (r *rewriter) over(i int) int { return max(i, r.mate[i]) }

// opening is the parenthesis around i, or -1 at the level of statements.
func (r *rewriter) opening(i int) int {
	for i--; i >= 0; i-- {
		switch t := r.toks[i].text; {
		case t == "(":
			return i
		case t == ";" || t == "{" || t == "}" || t == "return":
			return -1
		case r.mate[i] >= 0 && r.mate[i] < i:
			i = r.mate[i]
		}
	}
	return -1
}

// boundary reports whether an expression ends at t.
func boundary(t string) bool {
	switch t {
	case ";", "{", "}", ")", "]", ",", "return", ":":
		return true
	}
	return false
}

// liftedCall is a call of a predicate whose parameters get values: they go by address.
func (r *rewriter) liftedCall(i int) string {
	p := r.preds[r.toks[i].text]
	var out []string
	for k, a := range r.arguments(i + 1) {
		e := r.inline(a[0], a[1])
		if k < len(p.names) && p.lifted[p.names[k]] {
			e = "&(" + e + ")"
		}
		out = append(out, e)
	}
	return r.failing(i, "firmproof_lifted_"+p.name+"("+strings.Join(out, ", ")+")")
}

// findPredicates finds out which parameters are passed on to predicates, through
// calls too (dfcc: lifting of memory predicates).
func (r *rewriter) findPredicates() {
	for changed := true; changed; {
		changed = false
		for _, p := range r.ordered() {
			for i := p.body; i < r.mate[p.body]; i++ {
				for _, name := range r.passedOn(i) {
					if slices.Contains(p.names, name) && !p.lifted[name] {
						p.lifted[name] = true
						changed = true
					}
				}
			}
		}
	}
	for _, p := range r.ordered() {
		if p.lifts() { // the function itself has copies
			p := p
			r.at[p.body] = &region{end: r.mate[p.body] + 1, text: func() string {
				old := r.ctx
				r.ctx = &context{params: p.lifted}
				defer func() { r.ctx = old }()
				return "{" + r.text(p.body+1, r.mate[p.body]) + r.toks[r.mate[p.body]].pre + "}"
			}}
		}
	}
}

// passedOn lists the identifiers that the call at i passes to a place that gives values.
func (r *rewriter) passedOn(i int) []string {
	if i+1 >= len(r.toks) || r.toks[i+1].text != "(" || r.mate[i+1] < 0 {
		return nil
	}
	t := r.toks[i].text
	args := r.arguments(i + 1)
	if p := predicates[t]; p != nil && p.pointer < len(args) {
		return []string{r.single(args[p.pointer])}
	}
	var out []string
	if p := r.preds[t]; p != nil {
		for k, a := range args {
			if k < len(p.names) && p.lifted[p.names[k]] {
				out = append(out, r.single(a))
			}
		}
	}
	return out
}

func (r *rewriter) ordered() []*predicate {
	out := make([]*predicate, 0, len(r.preds))
	for _, p := range r.preds {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *predicate) int { return a.head - b.head })
	return out
}

// liftedCopies are the predicates with their parameters passed by address.
func (r *rewriter) liftedCopies() string {
	var heads, bodies strings.Builder
	for _, p := range r.ordered() {
		if !p.lifts() {
			continue
		}
		old := r.ctx
		r.ctx = &context{rename: p.lifted}
		var head strings.Builder
		for i := p.head; i < p.params; i++ {
			switch t := r.toks[i].text; t {
			case "static", "extern", "inline", "__inline", "__inline__":
			case p.name:
				head.WriteString(" firmproof_lifted_" + t)
			default:
				head.WriteString(" " + t)
			}
		}
		fmt.Fprintf(&head, "(%s)", r.text(p.params+1, r.mate[p.params]))
		fmt.Fprintf(&heads, "\nstatic %s;", head.String())
		fmt.Fprintf(&bodies, "\nstatic %s %s", head.String(), r.placed(p.body, r.mate[p.body],
			"{"+r.text(p.body+1, r.mate[p.body])+"}"))
		r.ctx = old
	}
	return heads.String() + bodies.String()
}
