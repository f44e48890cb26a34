package invariant

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// What recursive functions give back for single arguments (tabling: Tamaki and Sato, OLD resolution with tabulation,
// 1986). Where a goal is possible by what some call gives back, the solver says what the body gives back for those
// arguments, after the calls that it makes were looked at likewise. A result that is the only one is a lemma.
//
// Worked example, `int f(int n) { return n ? f(n - 1) + 1 : 0; }` and a goal after f(2): what f(2) gives back depends on
// f(1), that on f(0), and f(0) is 0 by the body alone: "n != 0 or result == 0", then "n != 1 or result == 1", ...

// tabulator finds results.
type tabulator struct {
	p       *Prover
	asked   map[string]bool // calls, by header and arguments
	learned []result
	most    policy.Tabulation
	deep    bool // more calls were within each other
}

// result says what a lemma is about: number v at Formula.Headers[header], after calls where no condition holds.
type result struct {
	header, v int
	unless    []lemma.Literal
}

// invocation is a call of the function of Formula.Headers[header], with a value for each number of argumentsOf.
type invocation struct {
	header int
	args   []bits.Vec
}

// tabulate adds what calls give back for single arguments, if some goal is excluded by that.
func (p *Prover) tabulate(ctx context.Context, goals []goal, most policy.Tabulation) {
	part, cancel := budget.Share(ctx, policy.TabulatePercent)
	defer cancel()
	if !p.f.ComesBack() || !p.cut.p.On(MakeTables) || p.exclude(part, bads(goals)) {
		return
	}
	defer p.cut.LimitConflicts(0)
	p.cut.LimitConflicts(policy.TabulateConflicts)
	open := slices.DeleteFunc(slices.Clone(goals), func(g goal) bool {
		ans, _ := p.cut.Check(part, []ilr.Term{p.hold}, g.bad)
		return ans == solve.Unsat
	})
	before := slices.Clone(p.alive)
	p.assumeAlive() // what is learned is assumed with it
	t := &tabulator{p: p, asked: map[string]bool{}, most: most}
	enough := false
	for _, g := range open {
		enough = t.exclude(part, g) || enough
	}
	if !enough {
		p.keep(before)
		p.assumeAlive()
	}
}

// exclude reports whether the results that it finds exclude g.
func (t *tabulator) exclude(ctx context.Context, g goal) bool {
	t.deep = false
	for ctx.Err() == nil {
		ans, ev := t.p.cut.Check(ctx, []ilr.Term{t.p.hold}, g.bad)
		if ans != solve.Sat {
			return ans == solve.Unsat
		}
		if !t.any(ctx, t.invocations(ev, g.after), 0) {
			return false
		}
	}
	return false
}

// invocations lists the calls that the model comes back from among the first sites of the walk.
func (t *tabulator) invocations(ev *ilr.Evaluator, sites int) []invocation {
	var out []invocation
	for _, x := range t.p.f.Sites[:sites] {
		h := &t.p.f.Headers[x.Header]
		if site := h.Sites[x.Site]; h.Calls && ev.Holds(site.Guard) {
			c := invocation{header: x.Header}
			args, _ := argumentsOf(h)
			for _, v := range args {
				c.args = append(c.args, ev.Value(site.Values[v]))
			}
			out = append(out, c)
		}
	}
	return out
}

// argumentsOf lists the numbers at h that are of before the call: first what it is given, then what it changes, of which
// there are changed.
func argumentsOf(h *encode.Header) (args []int, changed int) {
	before := map[int]bool{}
	for _, x := range h.Vars {
		before[x.Before-1] = true
	}
	var last []int
	for v, x := range h.Vars {
		switch {
		case x.Moves || x.Ghost:
		case before[v]:
			last = append(last, v)
		default:
			args = append(args, v)
		}
	}
	return append(args, last...), len(last)
}

// any looks at the calls until one gives a lemma, and reports whether one does.
func (t *tabulator) any(ctx context.Context, calls []invocation, nested int) bool {
	return slices.ContainsFunc(calls, func(c invocation) bool { return t.results(ctx, c, nested) })
}

// results adds what c gives back and changes, and reports whether there is such a lemma. Nested is how many calls led
// to c.
func (t *tabulator) results(ctx context.Context, c invocation, nested int) bool {
	h := &t.p.f.Headers[c.header]
	if t.deep = t.deep || nested > t.most.Nested; t.deep || len(h.Arrivals) != 1 {
		return false
	}
	left, found := t.open(c), false
	if len(left) == 0 || !t.first(c) {
		return false
	}
	for len(left) > 0 {
		is, _ := t.given(c)
		ans, ev := t.body(ctx, h, is)
		if ans != solve.Sat {
			break
		}
		for i := range left {
			left[i].k = left[i].in(ev, h.Arrivals[0].Values)
		}
		var inner []invocation
		for _, q := range slices.Clone(left) {
			conditions, calls := t.only(ctx, c, q)
			inner = append(inner, calls...)
			if conditions != nil && slices.ContainsFunc(left, func(x quantity) bool { return x.v == q.v }) {
				t.learn(c.header, conditions, q)
				left, found = slices.DeleteFunc(left, func(x quantity) bool { return x.v == q.v }), true
			}
		}
		if len(left) > 0 && !t.any(ctx, inner, nested+1) {
			break
		}
	}
	return found
}

// first notes c, and reports whether it was not asked about.
func (t *tabulator) first(c invocation) bool {
	key := fmt.Sprint(c.header)
	for _, k := range c.args {
		key += "," + k.Hex()
	}
	if t.asked[key] || len(t.asked) >= t.most.Calls {
		return false
	}
	t.asked[key] = true
	return true
}

// open lists the quantities of which nothing is known after c.
func (t *tabulator) open(c invocation) []quantity {
	h := &t.p.f.Headers[c.header]
	args, _ := argumentsOf(h)
	return slices.DeleteFunc(quantities(h), func(q quantity) bool {
		return slices.ContainsFunc(t.learned, func(x result) bool {
			return x.header == c.header && x.v == q.v && !slices.ContainsFunc(x.unless, func(l lemma.Literal) bool {
				return c.args[slices.Index(args, l.V)] != l.K
			})
		})
	})
}

// given lists the conditions that the arguments of c are what they are.
func (t *tabulator) given(c invocation) (is []lemma.Literal, changed int) {
	args, changed := argumentsOf(&t.p.f.Headers[c.header])
	for i, v := range args {
		is = append(is, lemma.Is(&lemma.Atom{Kind: lemma.Eq, V: v, K: c.args[i]}))
	}
	return is, changed
}

// body asks for a way through the body of the function of header h on which all of given hold.
func (t *tabulator) body(ctx context.Context, h *encode.Header, given []lemma.Literal) (solve.Answer, *ilr.Evaluator) {
	a := &h.Arrivals[0]
	with := []ilr.Term{t.p.hold}
	for _, l := range given {
		with = append(with, l.Term(t.p.f.Store, a.Values, a.Entry))
	}
	return t.p.cut.Check(ctx, with, a.Guard)
}

// only returns the opposites of conditions of c under which q is what it is on each way through the body; or the calls
// on another way.
func (t *tabulator) only(ctx context.Context, c invocation, q quantity) (unless []lemma.Literal, calls []invocation) {
	h := &t.p.f.Headers[c.header]
	is, changed := t.given(c)
	not := lemma.Not(q.atom())
	ans, ev := t.body(ctx, h, append(slices.Clone(is), not))
	switch ans {
	case solve.Unsat:
		need := t.used(h, is)
		if few := is[:len(is)-changed]; len(t.used(h, is[len(few):])) > 0 {
			if ans, _ := t.body(ctx, h, append(slices.Clone(few), not)); ans == solve.Unsat {
				need = t.used(h, few)
			}
		}
		unless = []lemma.Literal{}
		for _, l := range need {
			unless = append(unless, lemma.Not(l.Atom))
		}
	case solve.Sat:
		calls = t.invocations(ev, h.Arrivals[0].After)
	}
	return unless, calls
}

// used lists the conditions that the last answer of body rests on.
func (t *tabulator) used(h *encode.Header, conditions []lemma.Literal) []lemma.Literal {
	a := &h.Arrivals[0]
	return slices.DeleteFunc(slices.Clone(conditions), func(l lemma.Literal) bool {
		return !slices.Contains(t.p.cut.core, l.Term(t.p.f.Store, a.Values, a.Entry))
	})
}

// learn adds the lemma: q is what it is, unless some condition holds.
func (t *tabulator) learn(header int, unless []lemma.Literal, q quantity) {
	t.learned = append(t.learned, result{header, q.v, unless})
	p := t.p
	c := p.candidate(&lemma.Lemma{Header: header, Maker: MakeTables,
		Literals: append(slices.Clone(unless), lemma.Is(q.atom()))})
	p.alive = append(p.alive, c)
	p.cut.assert(p.f.Store.Implies(p.hold, c.selector))
}

// quantity is a number after a call, less what it was before if before is not 0, and its value.
type quantity struct {
	v, before int // before: 1 + the variable
	k         bits.Vec
}

// quantities lists those at h: where a number was something before, what it changed by and what it is.
func quantities(h *encode.Header) []quantity {
	var out []quantity
	for v, x := range h.Vars {
		if !x.Moves || x.Ghost || x.Cell || len(out) >= policy.MaxResults {
			continue
		}
		if x.Before > 0 && x.Width > 1 {
			out = append(out, quantity{v: v, before: x.Before})
		}
		out = append(out, quantity{v: v})
	}
	return out
}

// in returns the value of q in a model.
func (q quantity) in(ev *ilr.Evaluator, vals []ilr.Term) bits.Vec {
	k := ev.Value(vals[q.v])
	if q.before > 0 {
		k = bits.Sub(k, ev.Value(vals[q.before-1]))
	}
	return k
}

// atom returns the condition that q has its value.
func (q quantity) atom() *lemma.Atom {
	if q.before > 0 {
		return &lemma.Atom{Kind: lemma.Sum, V: q.v, K: q.k, Sum: []lemma.Summand{{Coef: 1, V: q.v}, {Coef: -1,
			V: q.before - 1}}}
	}
	return &lemma.Atom{Kind: lemma.Eq, V: q.v, K: q.k}
}
