package linear

import (
	"github.com/firmproof/firmproof/verifier/exact"
)

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
