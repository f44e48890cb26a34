package linear

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
)

// none marks a variable that is not basic, or no conflict.
const none = int32(-1)

type cell struct {
	col  int32
	coef exact.Int
}

// limit is a bound of a variable; set is false for an infinite one.
// tag names the constraint that it comes from, scale how many times that
// constraint's row gives it.
type limit struct {
	set   bool
	v     exact.Rat
	tag   int32
	scale exact.Rat
}

// simplex is the general simplex of Dutertre and de Moura: rows are equations
// sum a_j x_j = 0 with integer coefficients, one basic variable each; bounds are
// on variables. Rows are divided by their content after each pivot.
type simplex struct {
	rows   [][]cell
	basic  []int32   // row -> its basic variable
	rowOf  []int32   // variable -> its row, or none
	cols   [][]int32 // variable -> rows that may contain it
	lo, hi []limit
	val    []exact.Rat
	stamp  []int32 // per row, for cols
	tick   int32
	pivots int
	trail  []undo
	heap   varHeap // basic variables that may be out of bounds
	merged []cell  // scratch
}

type undo struct {
	v     int32
	upper bool
	old   limit
}

func (s *simplex) newVar() int32 {
	v := int32(len(s.val))
	s.val = append(s.val, exact.Rat{})
	s.lo, s.hi = append(s.lo, limit{}), append(s.hi, limit{})
	s.rowOf = append(s.rowOf, none)
	s.cols = append(s.cols, nil)
	s.heap.grow()
	return v
}

// define adds a basic variable that equals the sum of the terms (sorted by
// column, nonzero).
func (s *simplex) define(terms []cell) int32 {
	v := s.newVar()
	row := make([]cell, 0, len(terms)+1)
	row = append(row, terms...)
	row = append(row, cell{v, exact.I(-1)})
	r := int32(len(s.rows))
	s.rows = append(s.rows, row)
	s.basic = append(s.basic, v)
	s.stamp = append(s.stamp, 0)
	s.rowOf[v] = r
	// replace the basic variables among the terms
	for _, c := range terms {
		if q := s.rowOf[c.col]; q != none {
			s.eliminate(r, q, c.col)
		}
	}
	for _, c := range s.rows[r] {
		s.cols[c.col] = append(s.cols[c.col], r)
	}
	s.val[v] = s.rowValue(r)
	return v
}

func (s *simplex) coef(r, col int32) exact.Int {
	row := s.rows[r]
	lo, hi := 0, len(row)
	for lo < hi {
		m := (lo + hi) / 2
		if row[m].col < col {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(row) && row[lo].col == col {
		return row[lo].coef
	}
	return exact.Int{}
}

// rowValue is the value of the basic variable of r by its row.
func (s *simplex) rowValue(r int32) exact.Rat {
	b := s.basic[r]
	var sum exact.Rat
	var cb exact.Int
	for _, c := range s.rows[r] {
		if c.col == b {
			cb = c.coef
			continue
		}
		if !s.val[c.col].IsZero() {
			sum = sum.Add(s.val[c.col].Mul(exact.RatOf(c.coef)))
		}
	}
	return sum.Div(exact.RatOf(cb)).Neg()
}

// eliminate removes column col from row r with the help of row q.
func (s *simplex) eliminate(r, q, col int32) {
	a, b := s.coef(r, col), s.coef(q, col)
	if a.IsZero() {
		return
	}
	g := a.GCD(b)
	ka, kb := b.Quo(g), a.Quo(g).Neg()
	if ka.Sign() < 0 {
		ka, kb = ka.Neg(), kb.Neg()
	}
	s.combine(r, ka, q, kb)
}

// combine sets row r to ka*r + kb*q over its content.
func (s *simplex) combine(r int32, ka exact.Int, q int32, kb exact.Int) {
	x, y := s.rows[r], s.rows[q]
	out := s.merged[:0]
	i, j := 0, 0
	one := ka.IsOne()
	var g exact.Int
	for i < len(x) || j < len(y) {
		var c cell
		switch {
		case j == len(y) || i < len(x) && x[i].col < y[j].col:
			c = x[i]
			if !one {
				c.coef = c.coef.Mul(ka)
			}
			i++
		case i == len(x) || y[j].col < x[i].col:
			c = cell{y[j].col, y[j].coef.Mul(kb)}
			j++
		default:
			k := x[i].coef
			if !one {
				k = k.Mul(ka)
			}
			c = cell{x[i].col, k.Add(y[j].coef.Mul(kb))}
			i, j = i+1, j+1
			if c.coef.IsZero() {
				continue
			}
		}
		if !g.IsOne() {
			g = g.GCD(c.coef)
		}
		out = append(out, c)
	}
	if !g.IsOne() && !g.IsZero() {
		for k := range out {
			out[k].coef = out[k].coef.Quo(g)
		}
	}
	s.merged = out
	if cap(x) >= len(out) {
		s.rows[r] = x[:len(out)]
	} else {
		s.rows[r] = make([]cell, len(out), len(out)+len(out)/2+2)
	}
	copy(s.rows[r], out)
}

// pivot makes col basic in row r.
func (s *simplex) pivot(r, col int32) {
	s.pivots++
	old := s.basic[r]
	s.basic[r], s.rowOf[col], s.rowOf[old] = col, r, none
	users := s.cols[col]
	s.cols[col] = nil
	for _, q := range users {
		if q == r || s.coef(q, col).IsZero() {
			continue
		}
		s.eliminate(q, r, col)
		for _, c := range s.rows[r] {
			if c.col != col {
				s.cols[c.col] = append(s.cols[c.col], q)
			}
		}
	}
	s.cols[col] = append(s.cols[col], r)
	for _, c := range s.rows[r] {
		if c.col != col && len(s.cols[c.col]) > 2*len(s.rows)+8 {
			s.tidy(c.col)
		}
	}
}

// tidy removes repeated and stale entries of a column.
func (s *simplex) tidy(col int32) []int32 {
	s.tick++
	out := s.cols[col][:0]
	for _, r := range s.cols[col] {
		if s.stamp[r] != s.tick && !s.coef(r, col).IsZero() {
			s.stamp[r] = s.tick
			out = append(out, r)
		}
	}
	s.cols[col] = out
	return out
}

// move changes a nonbasic variable by delta and the basic ones with it.
func (s *simplex) move(col int32, delta exact.Rat) {
	for _, r := range s.tidy(col) {
		b := s.basic[r]
		k := exact.Frac(s.coef(r, col).Neg(), s.coef(r, b))
		s.val[b] = s.val[b].Add(k.Mul(delta))
		if s.violated(b) {
			s.heap.push(b)
		}
	}
	s.val[col] = s.val[col].Add(delta)
}

func (s *simplex) violated(v int32) bool {
	return s.lo[v].set && s.val[v].Cmp(s.lo[v].v) < 0 || s.hi[v].set && s.val[v].Cmp(s.hi[v].v) > 0
}

// bound tightens a bound of v; it changes nothing and reports false when the new
// bound contradicts the other one. The old one comes back with undoTo.
func (s *simplex) bound(v int32, upper bool, by limit) bool {
	cur, other, to := &s.lo[v], &s.hi[v], by.v
	if upper {
		cur, other = other, cur
	}
	if cur.set && (upper && cur.v.Cmp(to) <= 0 || !upper && cur.v.Cmp(to) >= 0) {
		return true
	}
	if other.set && (upper && other.v.Cmp(to) > 0 || !upper && other.v.Cmp(to) < 0) {
		return false
	}
	s.trail = append(s.trail, undo{v, upper, *cur})
	*cur = by
	if s.rowOf[v] == none && (upper && s.val[v].Cmp(to) > 0 || !upper && s.val[v].Cmp(to) < 0) {
		s.move(v, to.Sub(s.val[v]))
	} else if s.violated(v) {
		s.heap.push(v)
	}
	return true
}

// mark is the point that undoTo returns to.
func (s *simplex) mark() int { return len(s.trail) }

// undoTo takes bounds back. Nonbasic values stay inside the wider bounds.
func (s *simplex) undoTo(mark int) {
	for len(s.trail) > mark {
		u := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		if u.upper {
			s.hi[u.v] = u.old
		} else {
			s.lo[u.v] = u.old
		}
	}
}

// conflict explains infeasibility: the row's basic variable cannot reach its
// lower (or upper) bound.
type conflict struct {
	row   int32
	below bool // the basic variable is below its lower bound
}

// check restores feasibility of the basic variables. It returns a conflict, or
// row none when feasible; ok is false when ctx ended or too many pivots went by.
func (s *simplex) check(ctx context.Context, maxPivots int) (conflict, bool) {
	for n := 0; ; n++ {
		b := none
		for {
			v := s.heap.pop()
			if v == none || s.rowOf[v] != none && s.violated(v) {
				b = v
				break
			}
		}
		if b == none {
			return conflict{row: none}, true
		}
		if n > maxPivots || n%64 == 63 && ctx.Err() != nil {
			s.heap.push(b)
			return conflict{}, false
		}
		r := s.rowOf[b]
		below := s.lo[b].set && s.val[b].Cmp(s.lo[b].v) < 0
		in := s.entering(r, b, below, n > 200)
		if in == none {
			s.heap.push(b)
			return conflict{r, below}, true
		}
		target := s.hi[b].v
		if below {
			target = s.lo[b].v
		}
		cb, ci := s.coef(r, b), s.coef(r, in)
		delta := target.Sub(s.val[b]).Mul(exact.Frac(cb.Neg(), ci))
		s.move(in, delta)
		s.pivot(r, in)
		if s.violated(in) {
			s.heap.push(in)
		}
	}
}

// entering picks the nonbasic variable that can move b towards its bound: the
// one in the fewest rows, or the smallest (Bland) so that the search ends.
func (s *simplex) entering(r, b int32, up, bland bool) int32 {
	sb := s.coef(r, b).Sign()
	best, size := none, 0
	for _, c := range s.rows[r] {
		if c.col == b {
			continue
		}
		// b = -sum (c/cb) x: b rises with x iff the signs differ
		rise := (c.coef.Sign() != sb) == up
		if rise && s.hi[c.col].set && s.val[c.col].Cmp(s.hi[c.col].v) >= 0 {
			continue
		}
		if !rise && s.lo[c.col].set && s.val[c.col].Cmp(s.lo[c.col].v) <= 0 {
			continue
		}
		if bland {
			return c.col
		}
		if n := len(s.cols[c.col]); best == none || n < size {
			best, size = c.col, n
		}
	}
	return best
}

// outcome of maximise.
type outcome uint8

const (
	_ outcome = iota
	optimal
	unbounded
	gaveUp
)

// maximise raises basic variable z as far as the bounds allow, from a feasible
// state. Bland's rule after a while keeps it from cycling.
func (s *simplex) maximise(ctx context.Context, z int32, maxPivots int) outcome {
	if s.rowOf[z] == none {
		return s.maximiseNonbasic(ctx, z, maxPivots)
	}
	for n := 0; n <= maxPivots; n++ {
		if n%64 == 63 && ctx.Err() != nil {
			return gaveUp
		}
		r := s.rowOf[z]
		in := s.entering(r, z, true, n > 100)
		if in == none {
			return optimal
		}
		up := s.coef(r, in).Sign() != s.coef(r, z).Sign()
		out, step, ok := s.ratio(in, up)
		if !ok {
			return unbounded
		}
		if !up {
			step = step.Neg()
		}
		if !step.IsZero() {
			s.move(in, step)
		}
		if out == z { // it reached its own bound
			return optimal
		}
		if out != in {
			s.pivot(s.rowOf[out], in)
		}
	}
	return gaveUp
}

// maximiseNonbasic makes z basic first, or reports its bound.
func (s *simplex) maximiseNonbasic(ctx context.Context, z int32, maxPivots int) outcome {
	out, step, ok := s.ratio(z, true)
	if !ok {
		return unbounded
	}
	if !step.IsZero() {
		s.move(z, step)
	}
	if out == z {
		return optimal
	}
	s.pivot(s.rowOf[out], z)
	return s.maximise(ctx, z, maxPivots)
}

// ratio finds how far nonbasic col can move up (or down), and which variable
// stops it.
func (s *simplex) ratio(col int32, up bool) (int32, exact.Rat, bool) {
	out, found := none, false
	var best exact.Rat
	consider := func(v int32, room exact.Rat) {
		c := -1
		if found {
			c = room.Cmp(best)
		}
		if !found || c < 0 || c == 0 && v < out {
			out, best, found = v, room, true
		}
	}
	if up && s.hi[col].set {
		consider(col, s.hi[col].v.Sub(s.val[col]))
	}
	if !up && s.lo[col].set {
		consider(col, s.val[col].Sub(s.lo[col].v))
	}
	for _, r := range s.tidy(col) {
		b := s.basic[r]
		k := exact.Frac(s.coef(r, col).Neg(), s.coef(r, b))
		rises := (k.Sign() > 0) == up
		if k.Sign() < 0 {
			k = k.Neg()
		}
		if rises && s.hi[b].set {
			consider(b, s.hi[b].v.Sub(s.val[b]).Div(k))
		}
		if !rises && s.lo[b].set {
			consider(b, s.val[b].Sub(s.lo[b].v).Div(k))
		}
	}
	return out, best, found
}
