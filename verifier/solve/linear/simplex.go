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
