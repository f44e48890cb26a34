package termination

import (
	"context"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// Phases that need not be nested: functions without bound that fall again and again fall below every number, and what
// the loop does from then on may be ranked. `x += y; y += z; z--` while x >= 0: first z falls, then y, then x.

// surroundings are facts about the locations of a component, each expression at least 0.
type surroundings struct {
	facts map[its.Loc][]exact.Lin // at every location that the run comes to
	kept  map[its.Loc][]exact.Lin // where the run goes on in the component
}

// rows lists what they say of the states before and after e.
func (s surroundings) rows(e *edge) []linear.Row {
	var out []linear.Row
	for _, l := range s.facts[e.from] {
		out = append(out, linear.AtLeast(l))
	}
	for _, of := range []map[its.Loc][]exact.Lin{s.facts, s.kept} {
		for _, l := range of[e.to] {
			out = append(out, linear.AtLeast(e.after(l)))
		}
	}
	return out
}

// knowing returns a ranker that knows more of the locations, and has the effort that r has left.
func (r *ranker) knowing(s surroundings, phases int) *ranker {
	return &ranker{p: r.p, rows: map[*edge][]linear.Row{}, vars: r.vars, effort: r.effort, narrow: r.narrow, known: s,
		phased: r.phased, phases: phases}
}

// byPhase looks for a ranking step that needs to know how the run goes on, or for a phase.
func (r *ranker) byPhase(ctx context.Context, comp []*edge) (strict []*edge, rank certify.Rank) {
	if len(comp) > policy.LoosePhaseEdges || r.phases > policy.LoosePhases {
		return nil, rank
	}
	var kept map[its.Loc][]exact.Lin
	if r.p.on(byOnward) {
		kept = r.keptBy(ctx, comp)
	}
	if len(kept) > 0 {
		k := r.knowing(surroundings{r.known.facts, kept}, max(1, r.phases))
		strict, rank.Funcs = k.find(ctx, comp)
		if r.effort = k.effort; len(strict) > 0 {
			rank.Kept = kept
			return strict, rank
		}
	}
	if r.phases == policy.LoosePhases || !r.p.on(byPhases) {
		return nil, rank
	}
	return r.phase(ctx, comp, kept)
}

// keptBy returns what all edges of comp that leave a location say of the state there, where the invariants do not.
func (r *ranker) keptBy(ctx context.Context, comp []*edge) map[its.Loc][]exact.Lin {
	from := map[its.Loc][]*edge{}
	for _, e := range comp {
		from[e.from] = append(from[e.from], e)
	}
	out := map[its.Loc][]exact.Lin{}
	for l, es := range from {
		var candidates []exact.Lin
		for _, row := range r.lean(ctx, es[0]) {
			if candidates = append(candidates, row.Lin); row.EQ {
				candidates = append(candidates, row.Lin.Neg())
			}
		}
		known := append(slices.Clone(r.p.inv[l]), r.known.facts[l]...)
		for _, c := range candidates {
			if r.inState(c) && !slices.ContainsFunc(known, c.Equal) &&
				!slices.ContainsFunc(es[1:], func(e *edge) bool { return !r.implied(ctx, e, c) }) {
				out[l] = append(out[l], c)
			}
		}
	}
	return out
}

// inState reports whether l speaks of variables alone, and of one at least.
func (r *ranker) inState(l exact.Lin) bool {
	return len(l.Terms) > 0 && !slices.ContainsFunc(l.Terms, func(t exact.Term) bool { return int(t.Var) >= r.p.n })
}

// implied reports whether l is at least 0 where e is taken.
func (r *ranker) implied(ctx context.Context, e *edge, l exact.Lin) bool {
	tb := linear.NewTableau(true)
	for _, row := range r.lean(ctx, e) {
		tb.Add(row)
	}
	m, kind := tb.Maximise(ctx, l.Neg())
	return kind == linear.Empty || kind == linear.Attained && m.Sign() <= 0
}

// falling is a function that no edge of a component raises.
type falling struct {
	f      exact.Lin
	strict []*edge // that lower it
	before bool    // it is low by an earlier phase
}

// phase looks for functions that fall for ever on some edges, and for a proof of what happens then.
func (r *ranker) phase(ctx context.Context, comp []*edge, kept map[its.Loc][]exact.Lin) (strict []*edge,
	rank certify.Rank) {
	all := r.knowing(surroundings{r.known.facts, kept}, r.phases).fallingOn(ctx, comp)
	var tried [][]*edge
	for _, by := range all {
		if by.before || len(tried) == policy.LoosePhaseTries || slices.ContainsFunc(tried, func(t []*edge) bool {
			return slices.Equal(t, by.strict)
		}) {
			continue
		}
		tried = append(tried, by.strict)
		below := surroundings{facts: map[its.Loc][]exact.Lin{}}
		var funcs []map[its.Loc]exact.Lin
		for l, facts := range r.known.facts {
			below.facts[l] = slices.Clone(facts)
		}
		for _, x := range all {
			if x.before || slices.ContainsFunc(by.strict, func(e *edge) bool { return !slices.Contains(x.strict, e) }) {
				continue
			}
			at := map[its.Loc]exact.Lin{}
			for _, e := range comp {
				at[e.from] = x.f
			}
			for l := range maps.Keys(at) {
				below.facts[l] = append(below.facts[l], x.f.Neg().AddInt(-certify.Floor))
			}
			funcs = append(funcs, at)
		}
		next := r.knowing(below, max(1, r.phases)+1)
		ended := next.removeAll(ctx, comp)
		if r.effort = next.effort; ended {
			return by.strict, certify.Rank{Funcs: funcs, Kept: kept, Phase: next.ranks}
		}
	}
	return nil, rank
}

// fallingOn lists templates that no edge of comp raises and some lower, those first that more edges lower.
func (r *ranker) fallingOn(ctx context.Context, comp []*edge) []falling {
	tableaus := make([]*linear.Tableau, len(comp))
	for i, e := range comp {
		tableaus[i] = linear.NewTableau(true)
		for _, row := range r.lean(ctx, e) {
			tableaus[i].Add(row)
		}
	}
	var out []falling
	for _, f := range r.p.templates() {
		if ctx.Err() != nil {
			return nil
		}
		x, rises := falling{f: f}, false
		for i, e := range comp {
			m, kind := tableaus[i].Maximise(ctx, e.after(f).Sub(f))
			if kind == linear.Empty || kind == linear.Attained && m.Cmp(exact.R(-1)) <= 0 {
				x.strict = append(x.strict, e)
			} else if kind != linear.Attained || m.Sign() > 0 {
				rises = true
				break
			}
		}
		if rises || len(x.strict) == 0 {
			continue
		}
		low := f.Neg().AddInt(-certify.Floor)
		x.before = slices.ContainsFunc(r.known.facts[comp[0].from], func(l exact.Lin) bool { return l.Equal(low) })
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b falling) int { return len(b.strict) - len(a.strict) })
	return out
}
