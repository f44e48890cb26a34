package ellipse

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Loop is a loop with the floating-point numbers that it has in turns.
type Loop struct {
	Vars  []ilr.Term   // at the start of a turn
	First []ilr.Term   // on entry
	Turns [][]ilr.Term // what ways through a turn make of them
	Roots []ilr.Term   // all that is said of them
}

// system is a linear loop: what a turn makes of variables, and what limits are known of some.
type system struct {
	l      *Loop
	x      *reader
	rows   map[int]form
	limits map[int]exact.Rat // of variables that depend on bounded ones alone
}

// Find returns ellipses that turns may keep, for each part of the loop's numbers that depend on each other. Of those of
// one part, the first ones say most, and the last ones are kept most easily. None of that is certain.
func Find(s *ilr.Store, l *Loop) (parts [][]*Ellipse) {
	around := survey(s, l.Roots, l.Vars)
	x := &reader{surroundings: around, limits: map[ilr.Term]exact.Rat{}}
	for _, v := range l.Vars {
		x.limits[v] = exact.R(1)
	}
	var best *system
	for _, turn := range l.Turns {
		x.with().rows(turn, func(x *reader, rows map[int]form) {
			y := &system{l: l, x: x, rows: rows, limits: map[int]exact.Rat{}}
			if best == nil || y.moving() > best.moving() {
				best = y
			}
		})
	}
	if best == nil || !best.bounded() {
		return nil
	}
	for _, part := range best.parts() {
		if es := best.ellipses(part); len(es) > 0 {
			parts = append(parts, es)
		}
	}
	return parts
}

// rows calls f in each case of what the terms are chosen by, with those that are linear.
func (x *reader) rows(ts []ilr.Term, f func(*reader, map[int]form)) {
	out := map[int]form{}
	for i, t := range ts {
		n := x.read(t, 0)
		if n == nil && x.open != 0 && len(x.chosen) < policy.EllipseConditions {
			c := x.open
			x.with(choice{c, true}).rows(ts, f)
			x.with(choice{c, false}).rows(ts, f)
			return
		}
		if n != nil && n.poly.linear() {
			out[i] = n.poly
		}
	}
	f(x, out)
}

// moving counts the variables that a turn makes something else of.
func (y *system) moving() int {
	n := 0
	for i, r := range y.rows {
		if _, number := r.number(); !number && !r.same(form{{one, y.l.Vars[i]}: exact.R(1)}) {
			n++
		}
	}
	return n
}

// uses reports whether row i has the variable j.
func (y *system) uses(i, j int) bool { return !y.rows[i][[2]ilr.Term{one, y.l.Vars[j]}].IsZero() }

// bounded drops the variables that no limit is known for, and finds the limits of those that depend on bounded ones
// alone. It reports whether others are left.
func (y *system) bounded() bool {
	for i := range y.l.Vars {
		if _, ok := y.rows[i]; !ok {
			y.drop(i)
		}
	}
	for found := true; found; {
		found = false
		for i := range y.rows {
			_, done := y.limits[i]
			if done || slices.ContainsFunc(y.left(), func(j int) bool { return y.uses(i, j) }) {
				continue
			}
			y.limits[i], found = y.most(y.rows[i], i), true
		}
	}
	for _, i := range y.left() {
		if _, ok := y.rows[i]; ok && y.matrix(y.component(i), y.component(i)).growth() >= 1 {
			y.drop(i)
		}
	}
	for found := true; found; { // what no turn reads is no state
		found = false
		for _, i := range y.left() {
			if !slices.ContainsFunc(y.left(), func(j int) bool { return y.uses(j, i) }) {
				delete(y.rows, i)
				found = true
			}
		}
	}
	return len(y.left()) > 0
}

// left lists the variables without a limit.
func (y *system) left() []int {
	var out []int
	for i := range y.l.Vars {
		_, linear := y.rows[i]
		if _, done := y.limits[i]; linear && !done {
			out = append(out, i)
		}
	}
	return out
}

// most returns what a turn makes of variable i at most, and what it is on entry.
func (y *system) most(row form, i int) exact.Rat {
	limits := map[ilr.Term]exact.Rat{}
	for v, k := range y.x.limits {
		limits[v] = k
	}
	for j, k := range y.limits {
		limits[y.l.Vars[j]] = k
	}
	k := row.most(limits)
	if c, ok := y.x.s.ConstVal(y.l.First[i]); ok {
		if v, ok := valueOf(c); ok {
			k = larger(k, abs(v))
		}
	}
	if v, ok := above(y.x.s.Width(y.l.Vars[i]), k); ok {
		k, _ = valueOf(v)
	}
	return k
}

// drop takes variable i away, and those that depend on it.
func (y *system) drop(i int) {
	delete(y.rows, i)
	delete(y.limits, i)
	for j := range y.l.Vars {
		if _, ok := y.rows[j]; ok && j != i && y.uses(j, i) {
			y.drop(j)
		}
	}
}

// component lists the variables that depend on i and that i depends on.
func (y *system) component(i int) []int {
	to := y.closure(i, y.uses)
	from := y.closure(i, func(a, b int) bool { return y.uses(b, a) })
	return slices.DeleteFunc(to, func(j int) bool { return !slices.Contains(from, j) })
}

// closure lists the variables without a limit that steps lead to from i.
func (y *system) closure(i int, step func(a, b int) bool) []int {
	out := []int{i}
	for n := 0; n < len(out); n++ {
		for _, j := range y.left() {
			if step(out[n], j) && !slices.Contains(out, j) {
				out = append(out, j)
			}
		}
	}
	slices.Sort(out)
	return out
}

// parts lists the sets of variables without a limit that have nothing to do with each other.
func (y *system) parts() [][]int {
	var out [][]int
	for _, i := range y.left() {
		part := y.closure(i, func(a, b int) bool { return y.uses(a, b) || y.uses(b, a) })
		if part[0] == i && len(part) <= policy.EllipseVars {
			out = append(out, part)
		}
	}
	return out
}

// matrix returns the coefficients in the rows of some variables of others.
func (y *system) matrix(rows, columns []int) matrix {
	out := newMatrix(len(rows), len(columns))
	for a, i := range rows {
		for b, j := range columns {
			out[a][b], _ = y.rows[i][[2]ilr.Term{one, y.l.Vars[j]}].Big().Float64()
		}
	}
	return out
}

// inputs returns the coefficients of all else in the rows of part, with limits.
func (y *system) inputs(part []int) (b matrix, limits []float64) {
	var terms []ilr.Term
	own := map[ilr.Term]exact.Rat{one: exact.R(1)}
	for _, i := range part {
		for m := range y.rows[i] {
			j := slices.Index(y.l.Vars, m[1])
			if slices.Contains(terms, m[1]) || j >= 0 && slices.Contains(part, j) {
				continue
			}
			terms = append(terms, m[1])
			if k, ok := y.limits[j]; ok {
				own[m[1]] = k
			} else if m[1] != one {
				own[m[1]] = y.x.limits[m[1]]
			}
		}
	}
	slices.Sort(terms)
	b = newMatrix(len(part), len(terms))
	for k, t := range terms {
		u, _ := own[t].Big().Float64()
		limits = append(limits, u)
		for a, i := range part {
			b[a][k], _ = y.rows[i][[2]ilr.Term{one, t}].Big().Float64()
		}
	}
	return b, limits
}
