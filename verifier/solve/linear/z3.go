package linear

import (
	"strconv"
	"strings"

	"github.com/mitchellh/go-z3"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// PolyRow is the constraint Poly >= 0, or Poly = 0 if EQ.
type PolyRow struct {
	Poly exact.Poly
	EQ   bool
}

// Z3 asks Z3 through go-z3: integers only, 32-bit literals, no push and pop. It
// belongs to one goroutine.
type Z3 struct {
	millis  int
	ctx     *z3.Context
	cfg     *z3.Config
	ints    *z3.Sort
	vars    map[exact.Var]*z3.AST
	queries int
	Asked   int // questions so far
}

// NewZ3 is a solver that spends at most millis on a question; Close frees it.
func NewZ3(millis int) *Z3 {
	return &Z3{millis: millis}
}

// Close frees the context.
func (z *Z3) Close() {
	if z.ctx != nil {
		_ = z.ctx.Close()
		_ = z.cfg.Close()
		z.ctx = nil
	}
}

func (z *Z3) open() {
	if z.ctx != nil && z.queries < policy.Z3ContextQuestions {
		z.queries++
		return
	}
	z.Close()
	z.cfg = z3.NewConfig()
	// a limit of work, not of time: it is the same on every machine, and Z3's timer
	// threads can leave a check waiting for ever on a busy one
	z.cfg.SetParamValue("rlimit", strconv.Itoa(z.millis*policy.Z3WorkPerMilli))
	z.ctx = z3.NewContext(z.cfg)
	z.ints = z.ctx.IntSort()
	z.vars = map[exact.Var]*z3.AST{}
	z.queries = 1
}

func (z *Z3) variable(v exact.Var) *z3.AST {
	a, ok := z.vars[v]
	if !ok {
		a = z.ctx.Const(z.ctx.Symbol("x"+strconv.Itoa(int(v))), z.ints)
		z.vars[v] = a
	}
	return a
}

// literal builds integers beyond 32 bits from chunks of 30 bits.
func (z *Z3) literal(c exact.Int) *z3.AST {
	if v, ok := c.Int64(); ok && int64(int32(v)) == v {
		return z.ctx.Int(int(v), z.ints)
	}
	if c.Sign() < 0 {
		return z.ctx.Int(0, z.ints).Sub(z.literal(c.Neg()))
	}
	base := exact.I(1 << 30)
	high := c.FloorDiv(base)
	low := c.Sub(high.Mul(base))
	return z.literal(high).Mul(z.literal(base)).Add(z.literal(low))
}

func (z *Z3) poly(p exact.Poly) *z3.AST {
	var sum []*z3.AST
	for _, m := range p.Monos {
		var fs []*z3.AST
		if !m.Coef.IsOne() || len(m.Vars) == 0 {
			fs = append(fs, z.literal(m.Coef))
		}
		for _, v := range m.Vars {
			fs = append(fs, z.variable(v))
		}
		t := fs[0]
		if len(fs) > 1 {
			t = t.Mul(fs[1:]...)
		}
		sum = append(sum, t)
	}
	if len(sum) == 0 {
		return z.ctx.Int(0, z.ints)
	}
	if len(sum) == 1 {
		return sum[0]
	}
	return sum[0].Add(sum[1:]...)
}

func (z *Z3) row(r PolyRow) *z3.AST {
	zero := z.ctx.Int(0, z.ints)
	if r.EQ {
		return z.poly(r.Poly).Eq(zero)
	}
	return z.poly(r.Poly).Ge(zero)
}

// SatRows decides linear rows over the integers.
func (z *Z3) SatRows(rows []Row) Status {
	ps := make([]PolyRow, len(rows))
	for i, r := range rows {
		ps[i] = PolyRow{exact.PolyOf(r.Lin), r.EQ}
	}
	st, _ := z.Sat(ps, nil)
	return st
}

// Sat decides the conjunction of all rows and clauses; a clause is a disjunction
// of rows. The model gives each variable that was seen.
func (z *Z3) Sat(rows []PolyRow, clauses [][]PolyRow) (Status, map[exact.Var]exact.Int) {
	z.open()
	z.Asked++
	s := z.ctx.NewSolver()
	defer s.Close()
	keepSIGINT(z.ctx, s)
	for _, r := range rows {
		s.Assert(z.row(r))
	}
	for _, c := range clauses {
		if len(c) == 0 {
			return Unsat, nil
		}
		or := z.row(c[0])
		for _, r := range c[1:] {
			or = or.Or(z.row(r))
		}
		s.Assert(or)
	}
	switch s.Check() {
	case z3.False:
		return Unsat, nil
	case z3.True:
		return Sat, z.model(s, rows, clauses)
	}
	return Unknown, nil
}

func (z *Z3) model(s *z3.Solver, rows []PolyRow, clauses [][]PolyRow) map[exact.Var]exact.Int {
	m := s.Model()
	defer m.Close()
	out := map[exact.Var]exact.Int{}
	see := func(v exact.Var) {
		if _, ok := out[v]; ok {
			return
		}
		if a := m.Eval(z.variable(v)); a != nil {
			if c, ok := parseZ3Int(a.String()); ok {
				out[v] = c
				return
			}
		}
		out[v] = exact.Int{} // not mentioned in the model: any value will do
	}
	for _, r := range rows {
		r.Poly.Vars(see)
	}
	for _, c := range clauses {
		for _, r := range c {
			r.Poly.Vars(see)
		}
	}
	return out
}

func parseZ3Int(text string) (exact.Int, bool) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "(-"); ok {
		v, ok := exact.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, ")")))
		return v.Neg(), ok
	}
	return exact.ParseInt(text)
}
