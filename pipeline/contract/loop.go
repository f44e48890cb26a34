package contract

import (
	"fmt"
	"strings"
)

// loop is a loop with clauses.
type loop struct {
	at      int    // its keyword
	open    int    // the parenthesis of its condition
	body    [2]int // its statement
	end     int    // behind the loop
	clauses clausesByKind
}

// findLoops finds the loops with clauses, and takes the clauses off where loops are
// not seen through them.
func (r *rewriter) findLoops() {
	dos := map[int]int{} // do, by the while of do ... while
	for i := 0; i < len(r.toks); i++ {
		switch t := r.toks[i].text; {
		case t == "do":
			if end := r.statement(i + 1); end < len(r.toks) && r.toks[end].text == "while" {
				dos[end] = i
			}
		case (t == "while" || t == "for") && i+1 < len(r.toks) && r.toks[i+1].text == "(" && r.mate[i+1] > 0:
			first := r.mate[i+1] + 1
			clauses, end := r.loopClauses(first)
			if end == first {
				continue
			}
			r.loops = append(r.loops, clauses)
			if !r.o.Loops && !r.o.Plain {
				r.at[first] = &region{end: end, text: func() string { return r.lines(first, end) }}
				continue
			}
			l := &loop{at: i, open: i + 1, body: [2]int{end, r.statement(end)}, clauses: clauses}
			l.end = l.body[1]
			if do, ok := dos[i]; ok {
				l.at, l.body, l.end = do, [2]int{do + 1, i}, min(end+1, len(r.toks))
			}
			r.at[l.at] = &region{end: l.end, text: func() string { return r.contracted(l) }}
		}
	}
}

func (r *rewriter) loopClauses(i int) (clausesByKind, int) {
	out := clausesByKind{}
	for i+1 < len(r.toks) && loopClauses[r.toks[i].text] != "" && r.toks[i+1].text == "(" && r.mate[i+1] > 0 {
		kind := loopClauses[r.toks[i].text]
		out[kind] = append(out[kind], clause{i, i + 2, r.mate[i+1]})
		i = r.mate[i+1] + 1
	}
	return out, i
}

// statement is where the statement that begins at i ends (C17 6.8): behind i, and not behind the last token.
func (r *rewriter) statement(i int) int {
	if i >= len(r.toks) {
		return i
	}
	paren := func(k int) int {
		if k < len(r.toks) && r.toks[k].text == "(" && r.mate[k] > 0 {
			return r.mate[k] + 1
		}
		return k
	}
	switch t := r.toks[i].text; t {
	case "{":
		if m := r.mate[i]; m > i {
			return m + 1
		}
		return len(r.toks)
	case "if":
		end := r.statement(paren(i + 1))
		if end < len(r.toks) && r.toks[end].text == "else" {
			return r.statement(end + 1)
		}
		return end
	case "while", "for", "switch":
		_, body := r.loopClauses(paren(i + 1))
		return r.statement(body)
	case "do":
		end := r.statement(i + 1)
		_, end = r.loopClauses(paren(end + 1))
		return min(end+1, len(r.toks))
	case "case", "default":
		if colon := r.find(i, len(r.toks), ":"); colon >= 0 {
			return r.statement(colon + 1)
		}
		return len(r.toks)
	}
	if i+1 < len(r.toks) && r.toks[i].isWord() && r.toks[i+1].text == ":" {
		return r.statement(i + 2)
	}
	if end := r.find(i, len(r.toks), ";"); end >= 0 {
		return end + 1
	}
	return len(r.toks)
}

// contracted is a loop seen through its contract.
func (r *rewriter) contracted(l *loop) string {
	old := r.ctx
	defer func() { r.ctx = old }()
	r.ctx = &context{olds: &[]history{}, rename: old.rename, params: old.params}
	initial, cond, step := "", [2]int{l.open + 1, r.mate[l.open]}, [2]int{}
	if r.toks[l.at].text == "for" {
		parts := r.split(l.open+1, r.mate[l.open], ";")
		if len(parts) != 3 {
			r.fail(l.at, "a for loop of this form cannot have a contract")
			return ""
		}
		initial, cond, step = r.text(parts[0][0], parts[0][1])+";", parts[1], parts[2]
	}
	if !r.o.Loops {
		return r.assertedLoop(l, old, initial, cond, step)
	}
	frame, turn := r.name("frame"), r.name("turn")
	declareMeasure, take, fell := r.measure(l)
	declareBase, atFirst, base := r.firstInvariant(l)
	kept, assume := r.invariant(l), r.assumedInvariant(l)
	note, havoc := r.targets(r.assigned(l, cond, step, l.body), "&"+frame, inLoop)
	if len(l.clauses["frees"]) > 0 {
		r.fail(l.clauses["frees"][0].at, "a frees clause of a loop is not followed")
	}
	declare, snapshot := r.snapshots(*r.ctx.olds)
	test := "1"
	if cond[0] < cond[1] {
		test = r.text(cond[0], cond[1])
	}
	test = "(" + test + ")"
	enter := fmt.Sprintf(
		"({ if (%[1]s == 0) { %[1]s = 1; %[3]s%[4]s%[5]s firmproof_contract_enter(&%[2]s); } else if (%[1]s == 1) { %[1]s = 2; %[6]s%[7]s%[8]s%[9]s } else { %[10]s%[11]s firmproof_contract_assume(0); } %[12]s 1; })",
		turn, frame, snapshot, atFirst, note, base, havoc, assume, take, kept, fell, r.back(l.at))
	head := enter + " && " + test
	if r.toks[l.at].text == "do" { // the condition is asked behind each turn
		head = fmt.Sprintf("(%s == 0 || %s%s) && %s", turn, r.back(cond[0]), test, enter)
	}
	if old.olds != nil { // a statement expression within a clause
		r.fail(l.at, "a loop with a contract stands inside of a clause")
	}
	return fmt.Sprintf("{ %s struct firmproof_frame %s __attribute__((cleanup(firmproof_contract_leave))); firmproof_contract_open(&%s); int %s = 0; %s%s%s for (; %s; %s) %s }",
		initial, frame, frame, turn, declare, declareBase, declareMeasure, head, r.text(step[0], step[1]),
		r.outside(old, l.body[0], l.body[1]))
}

// outside is the text of a loop's body, which is no clause.
func (r *rewriter) outside(ctx *context, lo, hi int) string {
	inner := r.ctx
	r.ctx = ctx
	defer func() { r.ctx = inner }()
	return r.resume(lo) + r.text(lo, hi)
}

// firstInvariant takes the invariant's value in front of the loop; it is asserted when
// a turn was made.
func (r *rewriter) firstInvariant(l *loop) (declare, take, check string) {
	for _, c := range l.clauses["invariant"] {
		r.mark(c.lo, c.hi, asserted)
		name := r.name("base")
		declare += "_Bool " + name + "; "
		take += r.placed(c.at, c.hi, fmt.Sprintf("%s = (%s);", name, r.inline(c.lo, c.hi)))
		check += r.placed(c.at, c.hi,
			fmt.Sprintf("firmproof_contract_assert(%s, \"loop invariant at the begin of the loop\");", name))
	}
	return declare, take, check
}

// invariant asserts the invariant after a turn.
func (r *rewriter) invariant(l *loop) string {
	var b strings.Builder
	for _, c := range l.clauses["invariant"] {
		r.mark(c.lo, c.hi, asserted)
		b.WriteString(r.placed(c.at, c.hi,
			fmt.Sprintf("firmproof_contract_assert((%s), \"loop invariant after a turn of the loop\");",
				r.inline(c.lo, c.hi))))
	}
	return b.String()
}

func (r *rewriter) assumedInvariant(l *loop) string {
	var b strings.Builder
	for _, c := range l.clauses["invariant"] {
		r.mark(c.lo, c.hi, assumed)
		b.WriteString(r.placed(c.at, c.hi, fmt.Sprintf("firmproof_contract_assume((%s));",
			r.inline(c.lo, c.hi))))
	}
	return b.String()
}

// measure is the tuple of the decreases clause, compared lexicographically.
func (r *rewriter) measure(l *loop) (declare, take, fell string) {
	list := l.clauses["decreases"]
	if len(list) == 0 {
		return "", "", ""
	}
	c := list[0]
	less, equal := "0", "1"
	for _, t := range r.split(c.lo, c.hi, ",") {
		e, name := r.inline(t[0], t[1]), r.name("measure")
		declare += fmt.Sprintf("__typeof__(((void)0, (%s))) %s; ", e, name)
		take += fmt.Sprintf(" %s = (%s);", name, e)
		less = fmt.Sprintf("%s || %s && (%s) < %s", less, equal, e, name)
		equal = fmt.Sprintf("%s && (%s) == %s", equal, e, name)
	}
	return declare, r.placed(c.at, c.hi, take),
		r.placed(c.at, c.hi, fmt.Sprintf("firmproof_contract_assert((%s), \"decreases clause of the loop\");", less))
}

// assigned are the targets of a loop: those of its assigns clauses, else those that its text writes.
func (r *rewriter) assigned(l *loop, parts ...[2]int) []target {
	list := r.listed(l.clauses["assigns"])
	if len(l.clauses["assigns"]) == 0 {
		list = r.inferred(l, parts)
	}
	if len(list) > maxTargets {
		r.fail(l.at, "a loop writes more than %d targets", maxTargets)
	}
	return list
}
