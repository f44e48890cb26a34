package contract

import (
	"fmt"
	"slices"
	"strings"
)

// Refusal is a clause that nobody follows: what it says is not known to hold.
type Refusal struct {
	Function     string // as the source names it
	Clause       string // CBMC's word
	File         string
	Line, Column int
}

// Refused lists the clauses of a text that Rewrite does not follow with Options.Plain: those of contracts of functions
// that the text defines, what a loop assigns and frees, and all of the loops where some clause has no meaning here.
func Refused(file string, text []byte, o Options) []Refusal {
	o.Plain = true
	_, r, err := rewrite(file, text, o)
	var out []Refusal
	for _, f := range r.funcs {
		if p := r.preds[f.name]; p != nil {
			out = append(out, r.refusals(f.name, f.clauses, func(string) bool { return true })...)
		}
	}
	for _, l := range r.loops {
		out = append(out, r.refusals(r.around(l.any()), l, func(kind string) bool {
			return err != nil || kind != "invariant" && kind != "decreases"
		})...)
	}
	slices.SortStableFunc(out, func(a, b Refusal) int { return a.Line - b.Line })
	return out
}

// refusals lists those clauses whose kind is meant.
func (r *rewriter) refusals(fn string, list clausesByKind, meant func(kind string) bool) []Refusal {
	var out []Refusal
	for kind, clauses := range list {
		for _, c := range clauses {
			if t := r.toks[c.at]; meant(kind) {
				out = append(out, Refusal{Function: fn, Clause: t.text, File: t.file, Line: t.line, Column: t.col + 1})
			}
		}
	}
	slices.SortFunc(out, func(a, b Refusal) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}

// around returns the function that token i is in.
func (r *rewriter) around(i int) string {
	for name, p := range r.preds {
		if p.body <= i && i <= r.mate[p.body] {
			return name
		}
	}
	return ""
}

// assertedLoop is a loop that asserts its invariants, and that its measure falls, before it asks its condition: at each
// turn, for do ... while in front of the body. old is the context of what is no clause.
func (r *rewriter) assertedLoop(l *loop, old *context, initial string, cond, step [2]int) string {
	turn := r.name("turn")
	declareMeasure, take, fell := r.measure(l)
	kept := r.assertions(l)
	declare, snapshot := r.snapshots(*r.ctx.olds)
	if old.olds != nil { // a statement expression within a clause
		r.fail(l.at, "a loop with a contract stands inside of a clause")
	}
	enter := fmt.Sprintf("if (%[1]s == 0) { %[1]s = 1; %[2]s } else { %[3]s } %[4]s%[5]s", turn, snapshot, fell, kept, take)
	begin := fmt.Sprintf("{ %s int %s = 0; %s%s", initial, turn, declare, declareMeasure)
	if r.toks[l.at].text == "do" {
		return fmt.Sprintf("%s do { %s%s } while (%s); }", begin, enter, r.outside(old, l.body[0], l.body[1]),
			r.outside(old, cond[0], cond[1]))
	}
	test := "1"
	if cond[0] < cond[1] {
		test = r.outside(old, cond[0], cond[1])
	}
	return fmt.Sprintf("%s for (; ({ %s 1; }) && (%s); %s) %s }", begin, enter, test, r.text(step[0], step[1]),
		r.outside(old, l.body[0], l.body[1]))
}

// assertions asserts the invariants of a loop.
func (r *rewriter) assertions(l *loop) string {
	var b strings.Builder
	for _, c := range l.clauses["invariant"] {
		r.mark(c.lo, c.hi, asserted)
		b.WriteString(r.placed(c.at, c.hi, fmt.Sprintf("firmproof_contract_assert((%s), \"loop invariant\");",
			r.inline(c.lo, c.hi))))
	}
	return b.String()
}
