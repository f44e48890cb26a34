package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// summary holds what is known of the runs of a recursive function that come back:
// bounds of its result, its parameters, and their sums and differences (MO-47,
// MO-48, MO-50). Runs that called the function again are kept apart from those
// that did not. A call that no run comes back from goes on nowhere (MO-49).
type summary struct {
	cases [2]summaryCase
	back  *cutPoint   // the values and the memory that they come back with
	users []*cutPoint // expanded with the summary as it was
}

// summaryCase is a set of runs.
type summaryCase struct {
	reached bool
	bounds  []ival // by template
	grown   int
}

// returnRun is a run that comes back from a recursive function entered without callers.
type returnRun struct {
	sum  *summary
	n    int // of the case
	know *know
	dirs []exact.Lin // values of the templates
}

// summaryUse holds what a call was told of the runs that come back.
type summaryUse struct {
	sum   *summary
	cases [2]summaryCase
	back  *state // nil: the call forgot what the callee may change
}

// left is the generalised state that runs come back in, if calls go by it.
func (b *builder) left(sum *summary) *state {
	if sum.back == nil || b.unframed {
		return nil
	}
	return sum.back.st
}

// ghosts are the numeric parameters of fn with the values that they have at its
// entry, kept under names of their own in the frame (variable identities, MO-50).
func (b *builder) ghosts(fn *ir.Func) []*ir.Param {
	f := b.factsOf(fn)
	if f.ghosts == nil {
		f.ghosts = []*ir.Param{}
		for _, p := range fn.Params {
			if p.T.Kind == ir.KindInt && p.T.Width > 1 && len(f.ghosts) < policy.SummaryParams {
				f.ghosts = append(f.ghosts, &ir.Param{Index: ghostIndex + p.Index, Name: p.Name + " at entry", T: p.T})
			}
		}
	}
	return f.ghosts
}

// ghostIndex keeps the places of ghosts behind those of parameters.
const ghostIndex int = 500

func isGhost(v ir.Value) bool {
	p, ok := v.(*ir.Param)
	return ok && p.Index >= ghostIndex
}

func (b *builder) summaryOf(fn *ir.Func) *summary {
	s := b.summaries[fn]
	if s == nil {
		s = &summary{}
		b.summaries[fn] = s
	}
	return s
}

// templates are the directions over the values of ghosts and result; ok is false
// where one of these is no number.
func (b *builder) templates(s *state, fn *ir.Func, ghost func(*ir.Param) value, result value) ([]exact.Lin, bool) {
	var out, ps []exact.Lin
	for _, g := range b.ghosts(fn) {
		e, ok := b.read(s, ghost(g), g.T.Width, reading(b.paramRep(fn, fn.Params[g.Index-ghostIndex])))
		if !ok {
			return nil, false
		}
		ps = append(ps, e)
	}
	out = append(out, ps...)
	for i := range ps {
		for j := 0; j < i; j++ {
			out = append(out, ps[i].Sub(ps[j]))
		}
	}
	if !numeric(fn) {
		return out, true
	}
	as, _ := signOf(fn.DRet)
	r, ok := b.read(s, result, fn.Ret.Width, reading(as))
	if !ok {
		return nil, false
	}
	out = append(out, r)
	for _, p := range ps {
		out = append(out, r.Sub(p), r.Add(p))
	}
	return out, true
}

// reading is r, or signed where any will do.
func reading(r rep) rep {
	if r == anyRep {
		return signed
	}
	return r
}

// numeric reports whether fn returns a number.
func numeric(fn *ir.Func) bool { return fn.Ret.Kind == ir.KindInt && fn.Ret.Width > 1 }

// returned adds a run that comes back with v to the summary of its function.
func (b *builder) returned(s *state, v value) {
	f := s.top()
	sum := b.summaryOf(f.fn)
	n := 0
	if s.recursed {
		n = 1
	}
	c := &sum.cases[n]
	if s.know.bad || !b.ask.consistent(s.know) {
		return
	}
	dirs, ok := b.templates(s, f.fn, func(g *ir.Param) value { return f.vals[g] }, v)
	if !ok {
		dirs = nil
	}
	b.current.returns = append(b.current.returns, returnRun{sum, n, s.know, dirs})
	now := b.bounds(s.know, dirs)
	if !c.reached {
		c.reached, c.bounds = true, now
		b.touch(sum)
		return
	}
	changed := len(now) < len(c.bounds)
	out := make([]ival, min(len(now), len(c.bounds)))
	for i := range out {
		out[i] = c.bounds[i]
		if x, y := &out[i], now[i]; !(y.hasLo && x.hasLo && y.lo.Cmp(x.lo) >= 0) && x.hasLo {
			x.lo, x.hasLo, changed = y.lo, y.hasLo && c.grown < policy.SummaryWidening, true
		}
		if x, y := &out[i], now[i]; !(y.hasHi && x.hasHi && y.hi.Cmp(x.hi) <= 0) && x.hasHi {
			x.hi, x.hasHi, changed = y.hi, y.hasHi && c.grown < policy.SummaryWidening, true
		}
	}
	c.bounds = out
	if changed {
		c.grown++
		b.touch(sum)
	}
}

// touch has everybody who used the summary expanded again.
func (b *builder) touch(sum *summary) {
	for _, c := range sum.users {
		if !c.outdated {
			c.outdated, c.dirty = true, true
			b.outdated = append(b.outdated, c)
		}
	}
	sum.users = nil
}

// bounds are the least and greatest values of expressions.
func (b *builder) bounds(k *know, dirs []exact.Lin) []ival {
	tab := linear.NewTableau(true)
	seen := map[exact.Var]bool{}
	rows := append([]linear.Row(nil), k.rows...)
	for _, r := range k.rows {
		for _, t := range r.Lin.Terms {
			rows = k.unary(rows, seen, t.Var)
		}
	}
	for _, d := range dirs {
		for _, t := range d.Terms {
			rows = k.unary(rows, seen, t.Var)
		}
	}
	for _, r := range rows {
		tab.Add(r)
	}
	out := make([]ival, len(dirs))
	for n, d := range dirs {
		if v, kind := tab.Maximise(b.ctx, d); kind == linear.Attained {
			out[n].hi, out[n].hasHi = v.Floor(), true
		}
		if v, kind := tab.Maximise(b.ctx, d.Neg()); kind == linear.Attained {
			out[n].lo, out[n].hasLo = v.Floor().Neg(), true
		}
	}
	return out
}

// afterReturn gives the states behind a call whose callee reached some objects: one for each case of the summary.
func (b *builder) afterReturn(s *state, in *ir.Instr, fn *ir.Func, reach map[int]bool) []*state {
	sum := b.summaryOf(fn)
	sum.users = append(sum.users, b.current)
	b.current.uses = append(b.current.uses, summaryUse{sum, sum.cases, b.left(sum)})
	if sum.back == nil && !b.unframed {
		return nil // none came back so far
	}
	args := map[*ir.Param]value{}
	for _, g := range b.ghosts(fn) {
		args[g] = b.value(s, in.Args[g.Index-ghostIndex])
	}
	plain := len(in.Args) == len(fn.Params) && in.T.Equal(fn.Ret)
	for _, g := range b.ghosts(fn) {
		plain = plain && g.T.Equal(in.Args[g.Index-ghostIndex].Type())
	}
	e := b.effectsOf(fn)
	pure := !e.any && !e.frees && len(e.globals) == 0 && !in.T.IsPtr()
	switch {
	case pure:
		b.afterCall(s, in, fn)
	case b.left(sum) != nil && plain:
		b.takeBack(s, in, fn, reach)
	default:
		b.loseFrame(s)
		b.afterCall(s, in, fn)
	}
	var out []*state
	for _, c := range sum.cases {
		if !c.reached {
			continue
		}
		t := s.clone()
		t.recursed = t.recursed || !b.shared[fn]
		if plain {
			result := t.top().vals[in]
			dirs, ok := b.templates(t, fn, func(g *ir.Param) value { return args[g] }, result)
			for n, i := range c.bounds {
				if ok && i.hasLo {
					t.know.ge(exact.Lin{Terms: dirs[n].Terms, Const: dirs[n].Const.Sub(i.lo)})
				}
				if ok && i.hasHi {
					t.know.ge(exact.Lin{Terms: dirs[n].Neg().Terms, Const: i.hi.Sub(dirs[n].Const)})
				}
			}
		}
		if b.ask.consistent(t.know) {
			out = append(out, t)
		}
	}
	return out
}
