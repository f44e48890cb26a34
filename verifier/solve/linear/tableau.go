// Package linear is linear arithmetic over Q and Z: satisfiability, entailment,
// optimisation, projection and Farkas certificates, by an exact simplex in
// machine words that falls back to big integers, and Z3 where that is not enough.
//
//	type     is
//	Row      a constraint: linear expression >= 0 or = 0
//	Tableau  an incremental set of rows with push and pop
//	Ladder   entailment and satisfiability by the cheapest rung that knows
//	Z3       conjunctions and clauses of polynomial constraints, through go-z3
//
// Worked example: does x >= 3, y >= x entail 2*y >= 6?
//
//	x, y := exact.Var(0), exact.Var(1)
//	rows := []linear.Row{
//		linear.AtLeast(exact.V(x).AddInt(-3)),
//		linear.AtLeast(exact.V(y).Sub(exact.V(x))),
//	}
//	goal := linear.AtLeast(exact.V(y).Scale(exact.I(2)).AddInt(-6))
//	l := linear.NewLadder(0)
//	l.Entails(ctx, rows, goal) // true, by the simplex rung
package linear

import (
	"context"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Row is the constraint Lin >= 0, or Lin = 0 if EQ.
type Row struct {
	Lin exact.Lin
	EQ  bool
}

// AtLeast is the row e >= 0.
func AtLeast(e exact.Lin) Row { return Row{Lin: e} }

// Equals is the row e = 0.
func Equals(e exact.Lin) Row { return Row{Lin: e, EQ: true} }

// Status says what is known of a set of rows.
type Status uint8

// The statuses.
const (
	InvalidStatus Status = iota
	Sat
	Unsat
	Unknown
)

// String is the status in a word.
func (s Status) String() string {
	return [...]string{"invalid", "sat", "unsat", "unknown"}[s]
}

// Tableau is an incremental set of rows over integers or rationals.
type Tableau struct {
	s        simplex
	vars     map[exact.Var]int32
	order    []exact.Var // by column of their creation
	slack    map[string]int32
	integer  bool
	tags     int32
	bad      int // number of pushes when a row was constantly false; -1 when none
	badCert  []Multiplier
	marks    []mark
	isVar    []bool // column is a variable, not a slack
	lastCert []Multiplier
}

type mark struct {
	trail int
	tags  int32
}

// Multiplier is a row's weight in a Farkas certificate. Rows are numbered in the
// order of Add; equations may have any sign.
type Multiplier struct {
	Row    int
	Weight exact.Rat
}

// NewTableau is an empty set; integer rows are tightened as they come, and
// CheckInt is meant for them.
func NewTableau(integer bool) *Tableau {
	return &Tableau{vars: map[exact.Var]int32{}, slack: map[string]int32{}, integer: integer, bad: -1}
}

func (t *Tableau) column(v exact.Var) int32 {
	if c, ok := t.vars[v]; ok {
		return c
	}
	c := t.s.newVar()
	t.vars[v] = c
	t.order = append(t.order, v)
	t.isVar = append(t.isVar, true)
	return c
}

// Add adds a row and gives it the next number.
func (t *Tableau) Add(r Row) int {
	tag := t.tags
	t.tags++
	lin := r.Lin
	if t.integer {
		if g := lin.Content(); r.EQ && !g.IsZero() && !g.IsOne() && !lin.Const.FloorDiv(g).Mul(g).Equal(lin.Const) {
			t.fail(nil) // no integer solution; no rational certificate either
			return int(tag)
		}
		lin = lin.Tighten()
	}
	if lin.IsConst() {
		if s := lin.Const.Sign(); s < 0 || s > 0 && r.EQ {
			w := exact.R(1)
			if s > 0 {
				w = exact.R(-1)
			}
			t.fail([]Multiplier{{int(tag), w}})
		}
		return int(tag)
	}
	col, k, scale := t.form(lin)
	// k*col + const >= 0
	at := exact.RatOf(lin.Const).Neg().Div(k)
	up := k.Sign() < 0
	by := limit{set: true, v: at, tag: tag, scale: scale}
	t.assert(col, up, by)
	if r.EQ {
		by.scale = scale.Neg()
		t.assert(col, !up, by)
	}
	return int(tag)
}

func (t *Tableau) fail(cert []Multiplier) {
	if t.bad < 0 {
		t.bad, t.badCert = len(t.marks), cert
	}
}

func (t *Tableau) assert(col int32, upper bool, by limit) {
	if t.s.bound(col, upper, by) {
		return
	}
	other := t.s.hi[col]
	if upper {
		other = t.s.lo[col]
	}
	t.fail([]Multiplier{{int(by.tag), by.scale}, {int(other.tag), other.scale}})
}

// form is the column that stands for the expression's terms: the terms are k
// times the column; a bound on the column is scale times the row.
func (t *Tableau) form(lin exact.Lin) (col int32, k, scale exact.Rat) {
	if len(lin.Terms) == 1 {
		c := lin.Terms[0].Coef
		return t.column(lin.Terms[0].Var), exact.RatOf(c), exact.Frac(exact.I(1), c.Abs())
	}
	k, scale = exact.R(1), exact.R(1)
	if lin.Terms[0].Coef.Sign() < 0 {
		lin, k = lin.Neg(), exact.R(-1)
	}
	key := lin.Key()
	col, ok := t.slack[key]
	if !ok {
		cells := make([]cell, len(lin.Terms))
		for i, term := range lin.Terms {
			cells[i] = cell{t.column(term.Var), term.Coef}
		}
		sortCells(cells)
		col = t.s.define(cells)
		t.isVar = append(t.isVar, false)
		t.order = append(t.order, 0)
		t.slack[key] = col
	}
	return col, k, scale
}

func sortCells(cs []cell) {
	for i := 1; i < len(cs); i++ {
		for j := i; j > 0 && cs[j].col < cs[j-1].col; j-- {
			cs[j], cs[j-1] = cs[j-1], cs[j]
		}
	}
}

// Push opens a scope.
func (t *Tableau) Push() { t.marks = append(t.marks, mark{t.s.mark(), t.tags}) }

// Pop forgets the rows of the last scope.
func (t *Tableau) Pop() {
	m := t.marks[len(t.marks)-1]
	t.marks = t.marks[:len(t.marks)-1]
	t.s.undoTo(m.trail)
	t.tags = m.tags
	if t.bad > len(t.marks) {
		t.bad = -1
	}
}

// Check decides satisfiability over the rationals.
func (t *Tableau) Check(ctx context.Context) Status {
	if t.bad >= 0 {
		t.lastCert = t.badCert
		return Unsat
	}
	c, ok := t.s.check(ctx, policy.LinearPivots)
	switch {
	case !ok:
		return Unknown
	case c.row == none:
		return Sat
	}
	t.lastCert = t.explain(c)
	return Unsat
}

// explain turns a conflict into multipliers.
func (t *Tableau) explain(c conflict) []Multiplier {
	s := &t.s
	b := s.basic[c.row]
	cb := exact.RatOf(s.coef(c.row, b))
	var out []Multiplier
	use := func(l limit, w exact.Rat) {
		out = append(out, Multiplier{int(l.tag), l.scale.Mul(w)})
	}
	if c.below {
		use(s.lo[b], exact.R(1))
	} else {
		use(s.hi[b], exact.R(1))
	}
	for _, x := range s.rows[c.row] {
		if x.col == b {
			continue
		}
		k := exact.RatOf(x.coef).Div(cb).Neg() // b = sum k*x
		if !c.below {
			k = k.Neg()
		}
		if k.Sign() > 0 {
			use(s.hi[x.col], k)
		} else {
			use(s.lo[x.col], k.Neg())
		}
	}
	return out
}

// Certificate explains the last Unsat of Check: the weighted sum of the rows is
// a negative constant. It is nil when only integrality made it so.
func (t *Tableau) Certificate() []Multiplier { return t.lastCert }

// Value is a variable's value after Check said Sat.
func (t *Tableau) Value(v exact.Var) exact.Rat {
	if c, ok := t.vars[v]; ok {
		return t.s.val[c]
	}
	return exact.Rat{}
}

// Extremum is the result of Maximise.
type Extremum uint8

// The outcomes of Maximise.
const (
	InvalidExtremum Extremum = iota
	Attained
	Infinite
	Empty   // no solutions
	GivenUp // budget or context
)

// Maximise finds the greatest value of e over the rationals; the model is then
// one where it is attained.
func (t *Tableau) Maximise(ctx context.Context, e exact.Lin) (exact.Rat, Extremum) {
	switch t.Check(ctx) {
	case Unsat:
		return exact.Rat{}, Empty
	case Unknown:
		return exact.Rat{}, GivenUp
	}
	if e.IsConst() {
		return exact.RatOf(e.Const), Attained
	}
	col, k, _ := t.form(e)
	if k.Sign() < 0 {
		return t.minimised(ctx, e, col, k)
	}
	switch t.s.maximise(ctx, col, policy.LinearPivots) {
	case optimal:
		return t.s.val[col].Mul(k).Add(exact.RatOf(e.Const)), Attained
	case unbounded:
		return exact.Rat{}, Infinite
	}
	return exact.Rat{}, GivenUp
}

// minimised maximises k*col for negative k through a column for the negation.
func (t *Tableau) minimised(ctx context.Context, e exact.Lin, col int32, k exact.Rat) (exact.Rat, Extremum) {
	key := "neg " + e.Neg().Key()
	neg, ok := t.slack[key]
	if !ok {
		neg = t.s.define([]cell{{col, exact.I(-1)}})
		t.isVar = append(t.isVar, false)
		t.order = append(t.order, 0)
		t.slack[key] = neg
	}
	switch t.s.maximise(ctx, neg, policy.LinearPivots) {
	case optimal:
		return t.s.val[col].Mul(k).Add(exact.RatOf(e.Const)), Attained
	case unbounded:
		return exact.Rat{}, Infinite
	}
	return exact.Rat{}, GivenUp
}

// CheckInt decides satisfiability over the integers by branching on fractional
// variables, at most nodes times.
func (t *Tableau) CheckInt(ctx context.Context, nodes int) Status {
	budget := nodes
	return t.branch(ctx, &budget)
}

func (t *Tableau) branch(ctx context.Context, budget *int) Status {
	if st := t.Check(ctx); st != Sat {
		return st
	}
	col := none
	for c := int32(0); c < int32(len(t.isVar)); c++ {
		if t.isVar[c] && !t.s.val[c].IsInt() {
			col = c
			break
		}
	}
	if col == none {
		return Sat
	}
	if *budget <= 0 {
		return Unknown
	}
	*budget--
	floor := t.s.val[col].Floor()
	unknown := false
	x := exact.V(t.order[col])
	for _, r := range []Row{
		AtLeast(exact.Lin{Terms: x.Neg().Terms, Const: floor}),
		AtLeast(exact.Lin{Terms: x.Terms, Const: floor.Add(exact.I(1)).Neg()}),
	} {
		t.Push()
		t.Add(r)
		st := t.branch(ctx, budget)
		if st == Sat {
			// keep the model: values survive Pop, only bounds are undone
			t.Pop()
			return Sat
		}
		unknown = unknown || st == Unknown
		t.Pop()
	}
	t.lastCert = nil
	if unknown {
		return Unknown
	}
	return Unsat
}
