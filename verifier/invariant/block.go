package invariant

import (
	"context"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve"
)

// passed lists the sites on the path of ev among the first after, the last first:
// the only one that matters, unless calls come back.
func (r *reach) passed(ev *ilr.Evaluator, after int) []encode.Passage {
	var out []encode.Passage
	for i := after - 1; i >= 0; i-- {
		p := r.p.f.Sites[i]
		if !ev.Holds(r.hs[p.Header].sites[p.Site].guard) {
			continue
		}
		out = append(out, p)
		if !r.calls {
			break
		}
	}
	return out
}

// cubeOf returns the state of site p in ev.
func (r *reach) cubeOf(ev *ilr.Evaluator, p encode.Passage) []int {
	var cube []int
	for i, t := range r.hs[p.Header].sites[p.Site].vals {
		if ev.Holds(t) {
			cube = append(cube, i+1)
		} else {
			cube = append(cube, -i-1)
		}
	}
	return cube
}

// excluded returns the term: at no site does the state lie in cube.
func (r *reach) excluded(header int, cube []int) ilr.Term {
	s := r.p.f.Store
	var ts []ilr.Term
	for _, x := range r.hs[header].sites {
		ts = append(ts, s.Implies(x.guard, s.Not(s.And(r.literals(cube, x.vals)...))))
	}
	return s.And(ts...)
}

func (r *reach) literals(cube []int, vals []ilr.Term) []ilr.Term {
	out := make([]ilr.Term, len(cube))
	for i, x := range cube {
		if x > 0 {
			out[i] = vals[x-1]
		} else {
			out[i] = r.p.f.Store.Not(vals[-x-1])
		}
	}
	return out
}

// blockOne excludes the state of a site on the path of ev from frame level.
func (r *reach) blockOne(ctx context.Context, ev *ilr.Evaluator, after, level int) (ok, late bool) {
	type state struct {
		header int
		cube   []int
	}
	var states []state // before the solver is asked again
	for _, p := range r.passed(ev, after) {
		states = append(states, state{p.Header, r.cubeOf(ev, p)})
	}
	for _, x := range states {
		if ok, late = r.block(ctx, x.header, x.cube, level); ok || late {
			break
		}
	}
	return ok, late
}

// block excludes cube from header h up to frame level. ok is false when the
// program's start leads there, as far as the atoms can tell.
func (r *reach) block(ctx context.Context, h int, cube []int, level int) (ok, late bool) {
	key := fmt.Sprint(h, level, cube)
	for !r.open[key] {
		short, ev, after, late := r.leads(ctx, h, cube, level)
		if late {
			return false, true
		}
		if ev == nil {
			short, late = r.shorten(ctx, h, short, level)
			if late {
				return false, true
			}
			r.add(&clause{header: h, cube: short, level: level})
			return true, false
		}
		if ok, late = r.blockOne(ctx, ev, after, level-1); late {
			return false, true
		}
		if !ok {
			r.open[key] = true
		}
	}
	return false, false
}

// leads asks whether some way leads to cube at h from the frame below level,
// other than from cube itself. If not, ev is nil and short the part of cube that
// was needed; else after is how many sites are before that way.
func (r *reach) leads(ctx context.Context, h int, cube []int, level int) (short []int, ev *ilr.Evaluator, after int,
	late bool) {
	s, rh := r.p.f.Store, r.hs[h]
	not := r.excluded(h, cube)
	need := map[int]bool{}
	for _, w := range rh.ways {
		if s.IsFalse(w.guard) {
			continue
		}
		lits := r.literals(cube, w.vals)
		with := append(append(r.frame(level-1), not, w.guard), lits...)
		if slices.Contains(lits, s.False()) { // one literal is enough
			need[cube[slices.Index(lits, s.False())]] = true
			continue
		}
		ans, model := r.p.cut.Ask(ctx, with...)
		switch ans {
		case solve.Sat:
			return nil, model, w.after, false
		case solve.Unknown:
			return nil, nil, 0, true
		}
		core := r.p.cut.core
		for i, l := range lits {
			if slices.Contains(core, l) {
				need[cube[i]] = true
			}
		}
	}
	for _, x := range cube {
		if need[x] {
			short = append(short, x)
		}
	}
	return short, nil, 0, false
}

// shorten leaves literals out of cube as long as nothing leads to it.
func (r *reach) shorten(ctx context.Context, h int, cube []int, level int) ([]int, bool) {
	tried := 0
	for i := len(cube) - 1; i >= 0 && tried < policy.MaxDropped; i-- {
		if i >= len(cube) {
			continue
		}
		tried++
		less := slices.Delete(slices.Clone(cube), i, i+1)
		short, ev, _, late := r.leads(ctx, h, less, level)
		if late {
			return nil, true
		}
		if ev == nil {
			cube = short
		}
	}
	return cube, false
}

// add makes c part of its frame.
func (r *reach) add(c *clause) {
	r.clauses = append(r.clauses, c)
	r.enter(c)
}

func (r *reach) enter(c *clause) {
	r.p.cut.assert(r.p.f.Store.Implies(r.acts[c.level], r.excluded(c.header, c.cube)))
}
