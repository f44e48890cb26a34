package its

import (
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
)

// Targets are the successors of a transition, To first.
func (t *Transition) Targets() []Target {
	return append([]Target{{t.To, t.Update}}, t.Also...)
}

// SCCs are the strongly connected components of the locations that from
// reaches over the transitions in use (all if use is nil), in topological
// order: a component comes after those that enter it. Locations are ascending
// inside a component.
func (s *System) SCCs(from Loc, use func(i int) bool) [][]Loc {
	succ := make([][]Loc, len(s.Locs))
	for i := range s.Trans {
		if use != nil && !use(i) {
			continue
		}
		t := &s.Trans[i]
		for _, target := range t.Targets() {
			succ[t.From] = append(succ[t.From], target.To)
		}
	}
	return tarjan(len(s.Locs), []Loc{from}, succ)
}

type tarjanFrame struct {
	loc  Loc
	next int
}

// tarjan is the algorithm of that name without recursion; components come out
// in reverse topological order and are turned round.
func tarjan(n int, roots []Loc, succ [][]Loc) [][]Loc {
	index, low := make([]int, n), make([]int, n)
	onStack := make([]bool, n)
	var stack []Loc
	var frames []tarjanFrame
	var out [][]Loc
	counter := 0
	push := func(l Loc) {
		counter++
		index[l], low[l], onStack[l] = counter, counter, true
		stack = append(stack, l)
		frames = append(frames, tarjanFrame{loc: l})
	}
	for _, root := range roots {
		if index[root] == 0 {
			push(root)
		}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.next < len(succ[f.loc]) {
				m := succ[f.loc][f.next]
				f.next++
				if index[m] == 0 {
					push(m)
				} else if onStack[m] {
					low[f.loc] = min(low[f.loc], index[m])
				}
				continue
			}
			l := f.loc
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].loc
				low[p] = min(low[p], low[l])
			}
			if low[l] != index[l] {
				continue
			}
			var comp []Loc
			for {
				m := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[m] = false
				comp = append(comp, m)
				if m == l {
					break
				}
			}
			sort.Slice(comp, func(i, j int) bool { return comp[i] < comp[j] })
			out = append(out, comp)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// Chain is the transition that does a, then b; a must have one successor, the
// location where b starts. Its cost is the sum, it is exact if both are. The
// result is false when the guard is constantly false.
func (s *System) Chain(a, b *Transition) (Transition, bool) {
	n := len(s.Vars)
	shift := func(v exact.Var) exact.Poly {
		if int(v) < n {
			return a.Update[v]
		}
		return exact.PolyOf(exact.V(v + exact.Var(a.Temps)))
	}
	sub := func(p exact.Poly) exact.Poly { return p.Subst(shift) }
	t := Transition{
		From: a.From, To: b.To, Temps: a.Temps + b.Temps,
		Guard:  append([]Atom(nil), a.Guard...),
		Update: mapAll(b.Update, sub),
		Cost:   a.Cost.Add(sub(b.Cost)),
		Exact:  a.Exact && b.Exact,
		Tag:    a.Tag + ";" + b.Tag,
	}
	for _, g := range b.Guard {
		t.Guard = append(t.Guard, Atom{sub(g.Poly), g.Rel})
	}
	for _, e := range b.Also {
		t.Also = append(t.Also, Target{e.To, mapAll(e.Update, sub)})
	}
	ok := simplify(n, &t)
	return t, ok
}

// Relevant reports which variables can matter for the transitions in use (all
// if use is nil): those in a guard or a cost, and those that flow into one.
// Dropping the others changes neither termination nor bounds.
func (s *System) Relevant(use func(i int) bool) []bool {
	n := len(s.Vars)
	rel := make([]bool, n)
	mark := func(p exact.Poly) bool {
		changed := false
		p.Vars(func(v exact.Var) {
			if int(v) < n && !rel[v] {
				rel[v], changed = true, true
			}
		})
		return changed
	}
	for changed := true; changed; {
		changed = false
		for i := range s.Trans {
			if use != nil && !use(i) {
				continue
			}
			changed = s.relevantIn(&s.Trans[i], rel, mark) || changed
		}
	}
	return rel
}

func (s *System) relevantIn(t *Transition, rel []bool, mark func(exact.Poly) bool) bool {
	changed := mark(t.Cost)
	for _, a := range t.Guard {
		changed = mark(a.Poly) || changed
	}
	for _, target := range t.Targets() {
		for v, p := range target.Update {
			if rel[v] {
				changed = mark(p) || changed
			}
		}
	}
	return changed
}

// Sliced is the system without the variables that Relevant rules out. The names
// of the kept variables stay.
func (s *System) Sliced() *System {
	rel := s.Relevant(nil)
	n := len(s.Vars)
	out := &System{Name: s.Name, Locs: s.Locs, Start: s.Start, Goal: s.Goal}
	to := make([]exact.Var, n)
	for v, keep := range rel {
		if keep {
			to[v] = exact.Var(len(out.Vars))
			out.Vars = append(out.Vars, s.Vars[v])
		}
	}
	shift := exact.Var(len(out.Vars) - n)
	rename := func(p exact.Poly) exact.Poly {
		return p.Rename(func(v exact.Var) exact.Var {
			if int(v) < n {
				return to[v]
			}
			return v + shift
		})
	}
	keep := func(us []exact.Poly) []exact.Poly {
		var kept []exact.Poly
		for v, p := range us {
			if rel[v] {
				kept = append(kept, p)
			}
		}
		return kept
	}
	for i := range s.Trans {
		t := s.Trans[i]
		t.Update = keep(t.Update)
		also := make([]Target, len(t.Also))
		for j, a := range t.Also {
			also[j] = Target{a.To, keep(a.Update)}
		}
		t.Also = also
		t.mapPolys(rename)
		compactTemps(len(out.Vars), &t)
		out.Trans = append(out.Trans, t)
	}
	return out
}
