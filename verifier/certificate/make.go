package certificate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Unwound is the evidence of claims that hold in a formula of so many turns per loop, in which executions go on behind
// violations of past. Loops, by name, have more turns there, as constants count them. Ordered: they may rest
// on the order of products.
type Unwound struct {
	Turns   int
	Loops   map[string]int
	Ordered bool
	Past    ir.Past
}

// Ended is the evidence that every run ends: all paths were followed, and nothing is violated on them.
type Ended struct {
	Turns   int // per loop, at most; 0: the only execution was
	Loops   map[string]int
	Ordered bool
	Past    ir.Past
}

// Inductive is the evidence of claims that hold in a cut program, or that every run ends: what the certificate is to
// say, without the answers about paths.
type Inductive struct {
	Cut  Cut
	Past ir.Past
}

// maker makes one certificate.
type maker struct {
	ctx  context.Context
	part *ir.Module
	plan problem.Plan
	path func(file string) string // of a file of the certificate
	c    *Certificate

	listed []encode.Claim // of part, once they were asked for
}

// Make writes down why the claims of res hold, the answer about plan on part. Files of proofs go where path says. What
// could not be certified has its reason in Claim.Why.
func Make(ctx context.Context, part *ir.Module, plan problem.Plan, res *verdict.Result,
	path func(file string) string) *Certificate {
	m := &maker{ctx: ctx, part: part, plan: plan, path: path, c: &Certificate{Format: Format, Target: res.Target,
		Entry: res.Entry, Plan: plan, Rest: verdict.TextsOf(res.Assumptions), Claims: []Claim{}, Proofs: []Evidence{}}}
	for i := range res.Claims {
		c := &res.Claims[i]
		m.c.Claims = append(m.c.Claims, Claim{ID: c.ID, Check: c.Check, Status: c.Status, Message: c.Message,
			Pos: c.Pos})
	}
	groups := map[string][]int{} // claims that share evidence, by what it says
	var order []string
	shared := func(i int, says ...any) {
		key := fmt.Sprint(says...)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	var last []int // they may rest on others
	for i := range res.Claims {
		c := &res.Claims[i]
		switch e := c.Evidence.(type) {
		case input.Execution:
			m.keep(m.run(c, e), nil, i)
		case Unwound:
			shared(i, "unwound", e.Turns, e.Loops, e.Ordered, m.names(e.Past))
		case *Inductive:
			shared(i, "inductive", fmt.Sprintf("%p", e))
		case input.Sealed:
			shared(i, "only", m.names(e.Past))
		case input.Endless:
			m.keep(Evidence{Lasso: &Lasso{Steps: e.Steps, Inputs: runOf("", nil, e.Inputs).Inputs}}, nil, i)
		case *Recurrent:
			m.keep(Evidence{Recurrent: e}, nil, i)
		case *Safe:
			shared(i, "safe", fmt.Sprintf("%p", e))
		case *Ranking, Ended:
			last = append(last, i)
		default:
			m.c.Claims[i].Why = whyBare(c)
		}
	}
	for _, key := range order {
		claims := groups[key]
		switch e := res.Claims[claims[0]].Evidence.(type) {
		case Unwound:
			m.refutation(&Refutation{Turns: e.Turns, Loops: e.Loops, Ordered: e.Ordered, Past: m.names(e.Past)}, claims)
		case input.Sealed:
			m.keep(Evidence{Only: &Only{Past: m.names(e.Past)}}, nil, claims...)
		case *Safe:
			m.keep(Evidence{Safe: e}, nil, claims...)
		case *Inductive:
			m.refutation(&Refutation{Cut: &e.Cut, Past: m.names(e.Past)}, claims)
		}
	}
	for _, i := range last {
		switch e := res.Claims[i].Evidence.(type) {
		case *Ranking:
			m.keep(Evidence{Ranking: e}, nil, i)
		case Ended:
			m.ended(e, i)
		}
	}
	return m.c
}

// whyBare says why there is no evidence for c.
func whyBare(c *verdict.Claim) string {
	switch {
	case c.Reason != nil:
		return c.Reason.Detail
	case c.Status == verdict.Unknown:
		return "it is unknown"
	case c.Check == verdict.Unwinding:
		return "it says under which bound others hold"
	case c.Certificate != nil:
		return "there are no certificates for " + c.Certificate.Method
	}
	return "there are no certificates for how it was decided"
}

// keep adds a piece of evidence for the claims, or the reason why there is none. What is no refutation is held to the
// program at once: what does not pass is none.
func (m *maker) keep(e Evidence, err error, claims ...int) {
	for _, i := range claims {
		m.c.Claims[i].Evidence, m.c.Claims[i].Why = len(m.c.Proofs)+1, ""
	}
	m.c.Proofs = append(m.c.Proofs, e)
	if err == nil && e.Refutation == nil {
		_, err = checkOne(m.ctx, m.c, len(m.c.Proofs)-1, m.part, nil)
	}
	if err == nil {
		return
	}
	m.c.Proofs = m.c.Proofs[:len(m.c.Proofs)-1]
	for _, i := range claims {
		m.c.Claims[i].Evidence, m.c.Claims[i].Why = 0, err.Error()
	}
}

// ended writes down that every run ends, if all claims about paths have certificates.
func (m *maker) ended(e Ended, claim int) {
	if e.Turns == 0 {
		m.keep(Evidence{Only: &Only{Past: m.names(e.Past)}}, nil, claim)
		return
	}
	if err := m.c.endsUnviolated(nil); err != nil {
		m.c.Claims[claim].Why = err.Error()
		return
	}
	m.refutation(&Refutation{Turns: e.Turns, Loops: e.Loops, Ordered: e.Ordered, Past: m.names(e.Past), Ends: true},
		[]int{claim})
}

// names lists the IDs of claims.
func (m *maker) names(past ir.Past) []string {
	if len(past) == 0 {
		return nil
	}
	if m.listed == nil {
		m.listed = encode.ListClaims(m.part, m.plan.Checks, m.plan.Leaks, func(*ir.Block) bool { return true })
	}
	var out []string
	for _, c := range m.listed {
		if past[ir.At{Instr: c.Instr, Check: c.Check}] {
			out = append(out, c.ID)
		}
	}
	return out
}

// run writes down the execution that violates c.
func (m *maker) run(c *verdict.Claim, e input.Execution) Evidence {
	past := ir.Past{}
	for _, at := range e.Past {
		past[at] = true
	}
	return Evidence{Run: runOf(c.ID, m.names(past), e.Inputs)}
}

// refutation proves again what holds, with the steps of the proof on file.
func (m *maker) refutation(r *Refutation, claims []int) {
	wanted := map[string]bool{}
	for _, i := range claims {
		wanted[m.c.Claims[i].ID] = true
	}
	r.Proof = fmt.Sprintf("proof-%d", len(m.c.Proofs)+1)
	found, err := m.refute(r, wanted)
	if err == nil && r.Ends {
		err = m.c.endsUnviolated(found.Claims)
	}
	var good []int
	for _, i := range claims {
		c := &m.c.Claims[i]
		switch {
		case err != nil:
			c.Why = "no refutation: " + err.Error()
		case suffices(found.Shown[c.ID], c.Status):
			good = append(good, i)
		default:
			c.Why = found.Open[c.ID]
		}
	}
	switch {
	case len(good) == 0:
	case len(good) < len(claims): // a proof of these alone
		m.refutation(r, good)
	default:
		m.keep(Evidence{Refutation: r}, nil, good...)
		g := &Group{Finding: found}
		for _, i := range good {
			g.Claims = append(g.Claims, &m.c.Claims[i])
		}
		m.c.learn(g)
	}
}

// refute fills in r.
func (m *maker) refute(r *Refutation, wanted map[string]bool) (*Finding, error) {
	p, err := surround(m.part, m.plan, !r.runs())
	if err == nil {
		err = r.prepare(p)
	}
	if err != nil {
		return nil, err
	}
	if err := r.probe(m.ctx, p); err != nil {
		return nil, err
	}
	// the solver that answered has added terms of its own: the walk is repeated without it
	f, facts, goals, err := r.question(m.ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	var holds []bool
	if r.Clauses, holds, err = prove(m.ctx, f.Store, facts, goals, m.path(r.Proof)); err != nil {
		return nil, err
	}
	st, err := os.Stat(m.path(r.Proof))
	if err != nil {
		return nil, err
	}
	r.Bytes = st.Size()
	return r.shown(p, f, goals, holds, wanted), nil
}

// probe walks the program and has a solver answer about paths.
func (r *Refutation) probe(ctx context.Context, p *program) error {
	ask := func(store *ilr.Store) *prober {
		solver := p.OpenOwn(store)
		return &prober{solver: &problem.Prober{Solver: solver, Store: store}, done: solver.Close}
	}
	var err error
	if r.Cut == nil {
		store := ilr.NewStore(nil)
		pr := ask(store)
		defer pr.close()
		_, err = p.walk(ctx, r, store, pr)
		r.Probes = string(pr.kept)
	} else {
		var all []*prober
		var f *encode.Formula
		var last *prober
		f, last, err = p.walkCut(ctx, r.Cut, func(_ int, store *ilr.Store) (*prober, error) {
			all = append(all, ask(store))
			return all[len(all)-1], nil
		})
		r.Cut.Walks = nil
		for _, pr := range all {
			r.Cut.Walks = append(r.Cut.Walks, string(pr.kept))
		}
		if err == nil && r.Cut.Trap != nil {
			err = r.Cut.Trap.fill(ctx, p, f, last)
		}
	}
	if ctx.Err() != nil {
		return errors.New("time is up")
	}
	return err
}
