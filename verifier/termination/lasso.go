package termination

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// relation is a path of the system's own transitions as a linear relation, with
// every temporary kept: the i-th temporary along the path is variable n+i.
type relation struct {
	from, to its.Loc
	steps    []certify.Step
	temps    int
	rows     []linear.Row
	upd      []exact.Lin
}

// compose is the relation of a path; false when it is not linear or not exact.
func (p *problem) compose(from its.Loc, steps []certify.Step) (*relation, bool) {
	r := &relation{from: from, to: from, steps: steps, upd: make([]exact.Lin, p.n)}
	for v := range r.upd {
		r.upd[v] = exact.V(exact.Var(v))
	}
	for _, s := range steps {
		t := &p.sys.Trans[s.Trans]
		if !t.Exact {
			return nil, false
		}
		put := func(v exact.Var) exact.Lin {
			if int(v) < p.n {
				return r.upd[v]
			}
			return exact.V(v + exact.Var(r.temps))
		}
		for _, a := range t.Guard {
			l, ok := a.Lin()
			if !ok {
				return nil, false
			}
			r.rows = append(r.rows, linear.Row{Lin: l.Subst(put), EQ: a.Rel == its.EQ})
		}
		target := t.Targets()[s.Target]
		next := make([]exact.Lin, p.n)
		for v, u := range target.Update {
			l, ok := u.Lin()
			if !ok {
				return nil, false
			}
			next[v] = l.Subst(put)
		}
		r.upd, r.to = next, target.To
		r.temps += t.Temps
	}
	return r, true
}

// lassos searches runs that never end through a component.
type lassos struct {
	p     *problem
	stems map[its.Loc][]*relation // feasible runs from the start, by where they end
	work  []*relation             // all found so far; those before done are in stems
	done  int
}

// refute looks for a certified infinite run through one of the components.
func (p *problem) refute(ctx context.Context, comps [][]*edge) *certify.Recurrence {
	z := &lassos{p: p, stems: map[its.Loc][]*relation{}}
	for _, t := range []struct {
		name              string
		shortest, longest int
		again             bool
	}{{byCycles, 1, policy.CycleEdges, false}, {byWalks, 2, policy.WalkEdges, true}} {
		for length := t.shortest; length <= t.longest && p.on(t.name); length++ {
			for _, comp := range comps {
				if cert := z.tryCycles(ctx, cyclesOf(comp, length, t.again)); cert != nil {
					p.did(t.name, true)
					return cert
				}
			}
		}
	}
	if !p.on(bySeries) {
		return nil
	}
	cert := z.geometric(ctx, comps)
	p.did(bySeries, cert != nil)
	return cert
}

func (z *lassos) tryCycles(ctx context.Context, cycles [][]*edge) *certify.Recurrence {
	for _, cycle := range cycles {
		if ctx.Err() != nil {
			return nil
		}
		if cert := z.tryCycle(ctx, cycle); cert != nil {
			return cert
		}
	}
	return nil
}

// turn returns the relation of a cycle, nil if it is not linear or not exact.
func (p *problem) turn(cycle []*edge) *relation {
	var steps []certify.Step
	for _, e := range cycle {
		if !e.exact {
			return nil
		}
		steps = append(steps, e.path...)
	}
	r, ok := p.compose(cycle[0].from, steps)
	if !ok {
		return nil
	}
	return r
}

func (z *lassos) tryCycle(ctx context.Context, cycle []*edge) *certify.Recurrence {
	r := z.p.turn(cycle)
	if r == nil {
		return nil
	}
	for _, c := range z.p.choices(ctx, r) {
		sets := &setSearch{p: z.p, r: r, c: c, budget: policy.CandidateSets}
		sets.accept = func(set []exact.Lin) bool { return z.reach(ctx, r.from, set) != nil }
		if sets.run(ctx) {
			return z.found(ctx, r, c, sets.result)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// stem is a run to a location.
type stem struct {
	r     *relation
	model map[exact.Var]exact.Int
}

// reach finds a run into the set, whose constraints may also speak of the
// parameters of a choice.
func (z *lassos) reach(ctx context.Context, at its.Loc, set []exact.Lin) *stem {
	for i := 0; ; i++ {
		for i >= len(z.stems[at]) {
			if !z.grow(ctx) {
				return nil
			}
		}
		s := z.stems[at][i]
		rows := append([]linear.Row(nil), s.rows...)
		for _, l := range set {
			rows = append(rows, linear.AtLeast(s.after(l)))
		}
		if m := z.p.model(ctx, rows); m != nil {
			return &stem{s, m}
		}
	}
}

// after returns l, which may speak of the parameters of a choice, of the state that r leads to.
func (r *relation) after(l exact.Lin) exact.Lin {
	return l.Subst(func(v exact.Var) exact.Lin {
		if int(v) < len(r.upd) {
			return r.upd[v]
		}
		return exact.V(v + paramBase)
	})
}

// paramBase keeps the parameters of a choice apart from the stem's temporaries.
const paramBase exact.Var = 1 << 20

// model is an integer solution of the rows, or nil.
func (p *problem) model(ctx context.Context, rows []linear.Row) map[exact.Var]exact.Int {
	tb := linear.NewTableau(true)
	for _, r := range rows {
		tb.Add(r)
	}
	out := map[exact.Var]exact.Int{}
	switch tb.CheckInt(ctx, policy.StemBranch) {
	case linear.Sat:
		for _, r := range rows {
			for _, t := range r.Lin.Terms {
				out[t.Var] = tb.Value(t.Var).Num()
			}
		}
		return out
	case linear.Unsat:
		return nil
	}
	z := p.ladder.Solver()
	if z == nil {
		return nil
	}
	ps := make([]linear.PolyRow, len(rows))
	for i, r := range rows {
		ps[i] = linear.PolyRow{Poly: exact.PolyOf(r.Lin), EQ: r.EQ}
	}
	if st, m := z.Sat(ps, nil); st == linear.Sat {
		return m
	}
	return nil
}

// grow expands one more run from the start, breadth first; false when there is
// none, or enough have been.
func (z *lassos) grow(ctx context.Context) bool {
	if z.work == nil {
		first, _ := z.p.compose(z.p.sys.Start, nil)
		z.work = []*relation{first}
	}
	if z.done == len(z.work) || z.done >= policy.SystemStems || ctx.Err() != nil {
		return false
	}
	r := z.work[z.done]
	z.done++
	z.stems[r.to] = append(z.stems[r.to], r)
	if len(z.work) > 2*policy.SystemStems {
		return true
	}
	for _, e := range z.p.edges {
		if e.from != r.to || !e.exact {
			continue
		}
		next, ok := z.p.compose(z.p.sys.Start, append(append([]certify.Step(nil), r.steps...), e.path...))
		if !ok {
			continue
		}
		tb := linear.NewTableau(true)
		for _, row := range next.rows {
			tb.Add(row)
		}
		if tb.Check(ctx) != linear.Unsat {
			z.work = append(z.work, next)
		}
	}
	return true
}

// found builds the certificate: parameters take the values of the stem's model.
func (z *lassos) found(ctx context.Context, r *relation, c choice, set []exact.Lin) *certify.Recurrence {
	s := z.reach(ctx, r.from, set)
	if s == nil {
		return nil
	}
	param := func(v exact.Var) exact.Lin {
		if int(v) < z.p.n {
			return exact.V(v)
		}
		return exact.Lin{Const: s.model[v+paramBase]}
	}
	cert := &certify.Recurrence{Stem: s.r.steps, Cycle: r.steps}
	for v := 0; v < z.p.n; v++ {
		cert.Start = append(cert.Start, s.model[exact.Var(v)])
	}
	next := exact.Var(z.p.n)
	for _, step := range s.r.steps {
		var temps []exact.Int
		for i := 0; i < z.p.sys.Trans[step.Trans].Temps; i++ {
			temps = append(temps, s.model[next])
			next++
		}
		cert.StemTemps = append(cert.StemTemps, temps)
	}
	for i := 0; i < r.temps; i++ {
		cert.Choice = append(cert.Choice, c.value(exact.Var(z.p.n+i)).Subst(param))
	}
	for _, l := range set {
		if l = l.Subst(param); !l.IsConst() {
			cert.Set = append(cert.Set, l)
		}
	}
	return cert
}
