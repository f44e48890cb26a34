package linear

import (
	"context"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Rungs counts which rung of the ladder answered, and the time that the dear ones
// took, whether they answered or not.
type Rungs struct {
	Syntactic, Interval, Cached, Rational, Integer, Z3, Open int

	Exact, Solver time.Duration // simplex over rationals and integers; Z3
}

// Ladder answers questions over the integers by the cheapest rung that knows. It
// is not safe for concurrent use; Close frees the solver behind the last rung.
type Ladder struct {
	Rungs Rungs
	z3    *Z3
	limit int
	known cache
	open  int // questions that Z3 left open
}

// NewLadder is a ladder whose Z3 rung may take millis per question; 0 leaves
// that rung out.
func NewLadder(millis int) *Ladder { return &Ladder{limit: millis, known: cache{}} }

// Close frees what the Z3 rung holds.
func (l *Ladder) Close() {
	if l.z3 != nil {
		l.z3.Close()
		l.z3 = nil
	}
}

// Solver is the ladder's Z3, or nil when it has none.
func (l *Ladder) Solver() *Z3 {
	if l.limit == 0 {
		return nil
	}
	if l.z3 == nil {
		l.z3 = NewZ3(l.limit)
	}
	return l.z3
}

// Entails reports whether every integer solution of rows satisfies goal; false
// also when that could not be decided.
func (l *Ladder) Entails(ctx context.Context, rows []Row, goal Row) bool {
	if goal.EQ {
		return l.Entails(ctx, rows, AtLeast(goal.Lin)) && l.Entails(ctx, rows, AtLeast(goal.Lin.Neg()))
	}
	g := goal.Lin.Tighten()
	if g.IsConst() && g.Const.Sign() >= 0 {
		l.Rungs.Syntactic++
		return true
	}
	if syntactic(rows, g) {
		l.Rungs.Syntactic++
		return true
	}
	if intervals(rows, g) {
		l.Rungs.Interval++
		return true
	}
	neg := AtLeast(g.Neg().AddInt(-1))
	return l.cached(ctx, rows, &neg.Lin) == Unsat
}

// Sat decides whether the rows have an integer solution.
func (l *Ladder) Sat(ctx context.Context, rows []Row) Status {
	return l.cached(ctx, rows, nil)
}

// cached decides whether the rows, and extra >= 0 if it is set, have an integer
// solution, by memory if it was asked before.
func (l *Ladder) cached(ctx context.Context, rows []Row, extra *exact.Lin) Status {
	key := question(rows, extra)
	if st, ok := l.known[key]; ok && key != "" {
		l.Rungs.Cached++
		return st
	}
	if extra != nil {
		rows = append(rows[:len(rows):len(rows)], AtLeast(*extra))
	}
	st := l.decide(ctx, rows)
	if ctx.Err() == nil {
		l.known.remember(key, st)
	}
	return st
}

func (l *Ladder) decide(ctx context.Context, rows []Row) Status {
	if st := l.simplex(ctx, rows); st != Unknown {
		return st
	}
	if z := l.Solver(); z != nil && l.open < policy.LinearOpen && !unwieldy(rows) && ctx.Err() == nil {
		start := time.Now()
		st := z.SatRows(rows)
		l.Rungs.Solver += time.Since(start)
		if st != Unknown {
			l.Rungs.Z3++
			return st
		}
		l.open++
	}
	l.Rungs.Open++
	return Unknown
}

func unwieldy(rows []Row) bool {
	for _, r := range rows {
		for _, t := range r.Lin.Terms {
			c := t.Coef.Abs()
			if n := c.BitLen(); n > policy.WideCoef && !c.Equal(exact.I(2).Pow(n-1)) {
				return true
			}
		}
	}
	return false
}

// simplex is the rungs of exact arithmetic.
func (l *Ladder) simplex(ctx context.Context, rows []Row) Status {
	start := time.Now()
	defer func() { l.Rungs.Exact += time.Since(start) }()
	t := NewTableau(true)
	for _, r := range rows {
		t.Add(r)
	}
	switch t.Check(ctx) {
	case Unsat:
		l.Rungs.Rational++
		return Unsat
	case Sat:
		if st := t.CheckInt(ctx, policy.LinearBranch); st != Unknown {
			l.Rungs.Integer++
			return st
		}
	}
	return Unknown
}

// syntactic looks for a row with the same terms and no greater constant.
func syntactic(rows []Row, g exact.Lin) bool {
	for _, r := range rows {
		if r.Lin.SameTerms(g) && r.Lin.Const.Cmp(g.Const) <= 0 {
			return true
		}
		if r.EQ && len(r.Lin.Terms) == len(g.Terms) {
			if n := r.Lin.Neg(); n.SameTerms(g) && n.Const.Cmp(g.Const) <= 0 {
				return true
			}
		}
	}
	return false
}

// intervals bounds g below by the bounds that rows give single variables.
func intervals(rows []Row, g exact.Lin) bool {
	sum := exact.RatOf(g.Const)
	for _, t := range g.Terms {
		best, found := exact.Rat{}, false
		for _, r := range rows {
			if len(r.Lin.Terms) != 1 || r.Lin.Terms[0].Var != t.Var {
				continue
			}
			c := r.Lin.Terms[0].Coef
			if !r.EQ && c.Sign() != t.Coef.Sign() {
				continue
			}
			v := exact.Frac(r.Lin.Const.Neg(), c).Mul(exact.RatOf(t.Coef))
			if !found || v.Cmp(best) > 0 {
				best, found = v, true
			}
		}
		if !found {
			return false
		}
		sum = sum.Add(best)
	}
	return sum.Sign() >= 0
}

// Farkas derives goal from rows over the rationals: goal = sum of weights times
// rows + slack, weights of inequations and slack not negative. The weights come
// in the order of the rows. Rows are used as they are: tighten them before.
func Farkas(ctx context.Context, rows []Row, goal exact.Lin) ([]exact.Rat, bool) {
	t := NewTableau(false)
	for _, r := range rows {
		t.Add(r)
	}
	// the negation of goal >= 0 is goal < 0, over integer data goal <= -1; that
	// is only stronger to refute than needed when goal has fractional vertices
	neg := t.Add(AtLeast(goal.Neg().AddInt(-1)))
	if t.Check(ctx) != Unsat || t.Certificate() == nil {
		return nil, false
	}
	weights := make([]exact.Rat, len(rows))
	var scale exact.Rat
	for _, m := range t.Certificate() {
		if m.Row == neg {
			scale = scale.Add(m.Weight)
		} else {
			weights[m.Row] = weights[m.Row].Add(m.Weight)
		}
	}
	if scale.Sign() == 0 { // the rows alone contradict each other
		return weights, true
	}
	for i := range weights {
		weights[i] = weights[i].Div(scale)
	}
	return weights, true
}
