package solve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
)

// ErrEngine wraps what went wrong with an external solver.
var ErrEngine = errors.New("solver: external engine")

// Names returns the values that Open accepts.
func Names() []string { return []string{"auto", "cadical", "z3", "cvc5", "bitwuzla"} }

// Open makes the solver that --solver names: cadical is New; z3, cvc5 and bitwuzla
// are processes that get the whole question as SMT-LIB; auto is New, joined after
// a first slice of time by the best installed one of those.
func Open(name string, s *ilr.Store, opts Options) (Solver, error) {
	switch name {
	case "", "auto":
		p := &portfolio{Own: NewOwn(s, opts), slice: policy.OwnSolverTime, most: policy.PrintedTerms}
		for _, n := range smtlib.Names() {
			if e, err := smtlib.Find(n); err == nil {
				e.Memory = policy.PartnerBytes
				if opts.Memory > 0 {
					e.Memory = min(e.Memory, opts.Memory)
				}
				p.partner = &external{s: s, engine: e}
				break
			}
		}
		return p, nil
	case "cadical":
		return New(s, opts), nil
	}
	e, err := smtlib.Find(name)
	if err != nil {
		return nil, err
	}
	e.Memory = opts.Memory
	return &external{s: s, engine: e}, nil
}

// external asks a process anew at each Check.
type external struct {
	s        *ilr.Store
	engine   smtlib.Engine
	asserted []ilr.Term
	model    ilr.Model
	stats    Stats
}

func (x *external) Assert(t ilr.Term)  { x.asserted = append(x.asserted, t) }
func (x *external) Model() ilr.Model   { return x.model }
func (x *external) Close()             {}
func (x *external) LimitConflicts(int) {}
func (x *external) Learn(ilr.Term)     {}
func (x *external) Stats() Stats       { x.stats.Terms = x.s.Len(); return x.stats }

func (x *external) Check(ctx context.Context, assumptions ...ilr.Term) (Answer, error) {
	script, err := smtlib.Print(x.s, x.asserted, assumptions)
	if err != nil {
		return Unknown, fmt.Errorf("%w: %w", ErrEngine, err)
	}
	start := time.Now()
	answer, m, err := x.run(ctx, script)
	x.stats.Calls++
	x.stats.Solve += time.Since(start).Seconds()
	if answer != Sat {
		return answer, err
	}
	return x.accept(m, assumptions)
}

// run does not touch the store: it may run beside another solver.
func (x *external) run(ctx context.Context, script *smtlib.Script) (Answer, ilr.Model, error) {
	status, m, err := x.engine.Run(ctx, script)
	switch {
	case ctx.Err() != nil:
		return Unknown, m, reason(ctx)
	case err != nil:
		return Unknown, m, fmt.Errorf("%w: %w", ErrEngine, err)
	case status == smtlib.Sat:
		return Sat, m, nil
	case status == smtlib.Unsat:
		return Unsat, m, nil
	}
	return Unknown, m, fmt.Errorf("%w: %s answered unknown", ErrEngine, x.engine.Name)
}

// accept takes a foreign model only if the evaluator agrees.
func (x *external) accept(m ilr.Model, assumptions []ilr.Term) (Answer, error) {
	e := x.s.NewEvaluator(m, nil)
	for _, ts := range [2][]ilr.Term{x.asserted, assumptions} {
		for _, t := range ts {
			if !e.Holds(t) {
				return Unknown, fmt.Errorf("%w: the model of %s does not satisfy the question", ErrEngine,
					x.engine.Name)
			}
		}
	}
	x.model = m
	return Sat, nil
}

// portfolio is the own solver, joined by a partner when a question takes long.
// Models are always the own solver's if it has one, so that traces do not depend
// on who is faster; a partner's Sat is used only when the own solver gives up.
type portfolio struct {
	*Own
	partner *external
	slice   time.Duration
	most    int  // terms of the store that are printed for the partner
	foreign bool // the model is the partner's
}

func (p *portfolio) Assert(t ilr.Term) {
	p.Own.Assert(t)
	if p.partner != nil {
		p.partner.Assert(t)
	}
}

func (p *portfolio) Model() ilr.Model {
	if p.foreign {
		return p.partner.Model()
	}
	return p.Own.Model()
}

func (p *portfolio) Check(ctx context.Context, assumptions ...ilr.Term) (Answer, error) {
	p.foreign = false
	if p.partner == nil {
		return p.Own.Check(ctx, assumptions...)
	}
	alone, cancel := budget.WithTimeout(ctx, p.slice)
	a, err := p.Own.Check(alone, assumptions...)
	cancel()
	if a != Unknown || ctx.Err() != nil || !errors.Is(err, ErrTimeout) {
		return a, err
	}
	return p.race(ctx, assumptions)
}

func (p *portfolio) race(ctx context.Context, assumptions []ilr.Term) (Answer, error) {
	if p.s.Len() > p.most {
		return p.Own.Check(ctx, assumptions...)
	}
	script, err := smtlib.Print(p.s, p.partner.asserted, assumptions)
	if err != nil { // not expressible: go on alone
		return p.Own.Check(ctx, assumptions...)
	}
	type result struct {
		a   Answer
		m   ilr.Model
		err error
	}
	both, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan result, 1)
	go func() {
		a, m, err := p.partner.run(both, script)
		done <- result{a, m, err}
		if a == Unsat || a == Sat {
			stop() // the own solver need not go on
		}
	}()
	a, err := p.Own.Check(both, assumptions...)
	if a != Unknown {
		stop()
		<-done
		return a, err
	}
	if errors.Is(err, ErrLimit) { // the partner has no such limit and may take for ever
		stop()
	}
	switch r := <-done; r.a {
	case Unsat:
		return Unsat, nil
	case Sat:
		b, err2 := p.partner.accept(r.m, assumptions)
		p.foreign = b == Sat
		return b, err2
	}
	return a, err
}
