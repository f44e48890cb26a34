package termination

import (
	"context"
	"math/rand"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// orbitSeed begins the sampled values, which are the same in each run.
const orbitSeed int64 = 1

// orbit runs the system from sampled values and looks for a state that repeats
// on the variables that matter: then the run can go round for ever.
type orbit struct {
	p        *problem
	out      [][]int // location -> exact transitions from it
	relevant []bool
	rng      *rand.Rand
}

// repeat is the certificate of a run that repeats a state, or nil.
func (p *problem) repeat(ctx context.Context) *certify.Recurrence {
	o := &orbit{p: p, out: make([][]int, len(p.sys.Locs)), relevant: p.sys.Relevant(nil),
		rng: rand.New(rand.NewSource(orbitSeed))}
	for i := range p.sys.Trans {
		if t := &p.sys.Trans[i]; t.Exact {
			o.out[t.From] = append(o.out[t.From], i)
		}
	}
	for trial := 0; trial < policy.OrbitTrials && ctx.Err() == nil; trial++ {
		if cert := o.trial(ctx, o.sample(trial)); cert != nil {
			return cert
		}
	}
	return nil
}

// sample is a start vector; the spans grow and shrink over the trials.
func (o *orbit) sample(trial int) []exact.Int {
	spans := []int64{1, 3, 10, 40, 200}
	span := spans[trial%len(spans)]
	out := make([]exact.Int, o.p.n)
	for v := range out {
		low := -span
		if trial%2 == 0 {
			low = 0
		}
		out[v] = exact.I(low + o.rng.Int63n(span-low+1))
	}
	return out
}

func (o *orbit) key(loc its.Loc, state []exact.Int) string {
	var b strings.Builder
	b.WriteString(o.p.sys.Locs[loc])
	for v, c := range state {
		if o.relevant[v] {
			b.WriteByte(' ')
			b.WriteString(c.String())
		}
	}
	return b.String()
}

func (o *orbit) trial(ctx context.Context, start []exact.Int) *certify.Recurrence {
	cert := &certify.Recurrence{Start: start}
	loc, state := o.p.sys.Start, start
	seen := map[string]int{}
	states := [][]exact.Int{}
	for n := 0; n < policy.OrbitSteps && ctx.Err() == nil; n++ {
		k := o.key(loc, state)
		if first, ok := seen[k]; ok {
			return o.close(cert, first, states[first])
		}
		seen[k] = n
		states = append(states, state)
		step, temps, ok := o.step(ctx, loc, state)
		if !ok {
			return nil
		}
		cert.Stem = append(cert.Stem, step)
		cert.StemTemps = append(cert.StemTemps, temps)
		loc, state = o.apply(step, state, temps)
		for _, c := range state {
			if c.BitLen() > 128 {
				return nil
			}
		}
	}
	return nil
}

// step picks an enabled transition at random, with values for its temporaries.
func (o *orbit) step(ctx context.Context, loc its.Loc, state []exact.Int) (certify.Step, []exact.Int, bool) {
	order := o.rng.Perm(len(o.out[loc]))
	for _, i := range order {
		trans := o.out[loc][i]
		t := &o.p.sys.Trans[trans]
		temps, ok := o.enable(ctx, t, state)
		if ok {
			return certify.Step{Trans: trans, Target: o.rng.Intn(len(t.Targets()))}, temps, true
		}
	}
	return certify.Step{}, nil, false
}

// enable finds temporaries that satisfy the guard.
func (o *orbit) enable(ctx context.Context, t *its.Transition, state []exact.Int) ([]exact.Int, bool) {
	var rows []linear.Row
	fill := func(v exact.Var) exact.Poly {
		if int(v) < o.p.n {
			return exact.PolyOf(exact.Lin{Const: state[v]})
		}
		return exact.PolyOf(exact.V(v))
	}
	for _, a := range t.Guard {
		l, ok := a.Poly.Subst(fill).Lin()
		if !ok {
			return nil, false
		}
		if l.IsConst() {
			if s := l.Const.Sign(); s < 0 || s > 0 && a.Rel == its.EQ {
				return nil, false
			}
			continue
		}
		rows = append(rows, linear.Row{Lin: l, EQ: a.Rel == its.EQ})
	}
	temps := make([]exact.Int, t.Temps)
	if t.Temps == 0 {
		return temps, true
	}
	if o.guess(rows, temps) {
		return temps, true
	}
	m := o.p.model(ctx, rows)
	if m == nil {
		return nil, false
	}
	for i := range temps {
		temps[i] = m[exact.Var(o.p.n+i)]
	}
	return temps, true
}

func (o *orbit) guess(rows []linear.Row, temps []exact.Int) bool {
	value := func(v exact.Var) exact.Int { return temps[int(v)-o.p.n] }
	for k := 0; k < policy.OrbitGuesses; k++ {
		for i := range temps {
			temps[i] = exact.I(o.rng.Int63n(int64(4*(k+1)*(k+1))) - int64(k))
		}
		good := true
		for _, r := range rows {
			s := r.Lin.Eval(value).Sign()
			good = good && (s == 0 || s > 0 && !r.EQ)
		}
		if good {
			return true
		}
	}
	return false
}

func (o *orbit) apply(step certify.Step, state, temps []exact.Int) (its.Loc, []exact.Int) {
	target := o.p.sys.Trans[step.Trans].Targets()[step.Target]
	next := make([]exact.Int, len(state))
	for v, p := range target.Update {
		next[v] = p.Eval(func(w exact.Var) exact.Int {
			if int(w) < o.p.n {
				return state[w]
			}
			return temps[int(w)-o.p.n]
		})
	}
	return target.To, next
}

// close cuts the run into stem and cycle; the set is the one repeated state.
func (o *orbit) close(cert *certify.Recurrence, first int, state []exact.Int) *certify.Recurrence {
	cert.Cycle = cert.Stem[first:]
	if len(cert.Cycle) > policy.OrbitCycle {
		return nil
	}
	for _, temps := range cert.StemTemps[first:] {
		for _, c := range temps {
			cert.Choice = append(cert.Choice, exact.Lin{Const: c})
		}
	}
	cert.Stem, cert.StemTemps = cert.Stem[:first:first], cert.StemTemps[:first:first]
	for v, c := range state {
		if o.relevant[v] {
			l := exact.V(exact.Var(v))
			cert.Set = append(cert.Set, exact.Lin{Terms: l.Terms, Const: c.Neg()}, exact.Lin{Terms: l.Neg().Terms,
				Const: c})
		}
	}
	return cert
}
