package exact

import (
	"sort"
	"strconv"
	"strings"
)

// Var is a variable: an index whose meaning the owner of the expression gives.
type Var int32

// Term is coefficient times variable; the coefficient is not 0 inside a Lin.
type Term struct {
	Var  Var
	Coef Int
}

// Lin is a linear expression with integer coefficients: terms sorted by
// variable, each once, plus a constant. The zero value is 0.
type Lin struct {
	Terms []Term
	Const Int
}

// V returns the expression that is one variable.
func V(v Var) Lin { return Lin{Terms: []Term{{v, I(1)}}} }

// C returns a constant expression.
func C(c int64) Lin { return Lin{Const: I(c)} }

// LinOf sums terms in any order, and a constant.
func LinOf(c Int, terms ...Term) Lin {
	ts := append([]Term(nil), terms...)
	sort.SliceStable(ts, func(i, j int) bool { return ts[i].Var < ts[j].Var })
	out := ts[:0]
	for _, t := range ts {
		if n := len(out); n > 0 && out[n-1].Var == t.Var {
			out[n-1].Coef = out[n-1].Coef.Add(t.Coef)
		} else {
			out = append(out, t)
		}
	}
	kept := out[:0]
	for _, t := range out {
		if !t.Coef.IsZero() {
			kept = append(kept, t)
		}
	}
	return Lin{Terms: kept, Const: c}
}

// Coef returns the coefficient of v.
func (a Lin) Coef(v Var) Int {
	i := sort.Search(len(a.Terms), func(i int) bool { return a.Terms[i].Var >= v })
	if i < len(a.Terms) && a.Terms[i].Var == v {
		return a.Terms[i].Coef
	}
	return Int{}
}

// IsConst reports whether no variable occurs.
func (a Lin) IsConst() bool { return len(a.Terms) == 0 }

// IsVar reports whether a is exactly the variable v.
func (a Lin) IsVar(v Var) bool {
	return len(a.Terms) == 1 && a.Terms[0].Var == v && a.Terms[0].Coef.IsOne() && a.Const.IsZero()
}

// AddScaled returns a + k*c.
func (a Lin) AddScaled(k Int, c Lin) Lin {
	if k.IsZero() {
		return a
	}
	out := make([]Term, 0, len(a.Terms)+len(c.Terms))
	i, j := 0, 0
	for i < len(a.Terms) || j < len(c.Terms) {
		switch {
		case j == len(c.Terms) || i < len(a.Terms) && a.Terms[i].Var < c.Terms[j].Var:
			out = append(out, a.Terms[i])
			i++
		case i == len(a.Terms) || c.Terms[j].Var < a.Terms[i].Var:
			out = append(out, Term{c.Terms[j].Var, c.Terms[j].Coef.Mul(k)})
			j++
		default:
			if s := a.Terms[i].Coef.Add(c.Terms[j].Coef.Mul(k)); !s.IsZero() {
				out = append(out, Term{a.Terms[i].Var, s})
			}
			i, j = i+1, j+1
		}
	}
	return Lin{Terms: out, Const: a.Const.Add(c.Const.Mul(k))}
}

// Add returns a+c.
func (a Lin) Add(c Lin) Lin { return a.AddScaled(I(1), c) }

// Sub returns a-c.
func (a Lin) Sub(c Lin) Lin { return a.AddScaled(I(-1), c) }

// Neg returns -a.
func (a Lin) Neg() Lin { return Lin{}.AddScaled(I(-1), a) }

// Scale returns k*a.
func (a Lin) Scale(k Int) Lin { return Lin{}.AddScaled(k, a) }

// AddInt returns a+c.
func (a Lin) AddInt(c int64) Lin { return Lin{Terms: a.Terms, Const: a.Const.Add(I(c))} }

// Subst replaces each variable by an expression.
func (a Lin) Subst(f func(Var) Lin) Lin {
	terms := make([]Term, 0, len(a.Terms))
	c := a.Const
	for _, t := range a.Terms {
		e := f(t.Var)
		c = c.Add(e.Const.Mul(t.Coef))
		for _, u := range e.Terms {
			terms = append(terms, Term{u.Var, u.Coef.Mul(t.Coef)})
		}
	}
	return LinOf(c, terms...)
}

// Eval returns the value under an assignment.
func (a Lin) Eval(f func(Var) Int) Int {
	r := a.Const
	for _, t := range a.Terms {
		r = r.Add(t.Coef.Mul(f(t.Var)))
	}
	return r
}

// Content returns the greatest common divisor of the coefficients, the constant
// apart; 0 for a constant expression.
func (a Lin) Content() Int {
	g := Int{}
	for _, t := range a.Terms {
		if g = g.GCD(t.Coef); g.IsOne() {
			break
		}
	}
	return g
}

// Tighten divides a by its content and rounds the constant down, which keeps
// the integer solutions of a >= 0.
func (a Lin) Tighten() Lin {
	g := a.Content()
	if g.IsZero() || g.IsOne() {
		return a
	}
	terms := make([]Term, len(a.Terms))
	for i, t := range a.Terms {
		terms[i] = Term{t.Var, t.Coef.Quo(g)}
	}
	return Lin{Terms: terms, Const: a.Const.FloorDiv(g)}
}

// Equal reports whether both are the same expression.
func (a Lin) Equal(c Lin) bool { return a.Const.Equal(c.Const) && a.SameTerms(c) }

// SameTerms reports whether both differ in the constant at most.
func (a Lin) SameTerms(c Lin) bool {
	if len(a.Terms) != len(c.Terms) {
		return false
	}
	for i, t := range a.Terms {
		if t.Var != c.Terms[i].Var || !t.Coef.Equal(c.Terms[i].Coef) {
			return false
		}
	}
	return true
}

// Key returns a text that is equal for equal terms, the constant apart.
func (a Lin) Key() string {
	var b strings.Builder
	for _, t := range a.Terms {
		b.WriteString(t.Coef.String())
		b.WriteByte('*')
		b.WriteString(strconv.Itoa(int(t.Var)))
		b.WriteByte(' ')
	}
	return b.String()
}

// Format prints the expression with the names that name gives.
func (a Lin) Format(name func(Var) string) string {
	var b strings.Builder
	for _, t := range a.Terms {
		writeTerm(&b, t.Coef, name(t.Var))
	}
	writeConst(&b, a.Const)
	return b.String()
}

func writeTerm(b *strings.Builder, c Int, factor string) {
	if c.Sign() < 0 {
		if b.Len() > 0 {
			b.WriteString(" - ")
		} else {
			b.WriteString("-")
		}
		c = c.Neg()
	} else if b.Len() > 0 {
		b.WriteString(" + ")
	}
	if !c.IsOne() {
		b.WriteString(c.String())
		b.WriteString("*")
	}
	b.WriteString(factor)
}

func writeConst(b *strings.Builder, c Int) {
	switch {
	case b.Len() == 0:
		b.WriteString(c.String())
	case c.Sign() > 0:
		b.WriteString(" + " + c.String())
	case c.Sign() < 0:
		b.WriteString(" - " + c.Neg().String())
	}
}

// String prints variables as x0, x1, ...
func (a Lin) String() string {
	return a.Format(func(v Var) string { return "x" + strconv.Itoa(int(v)) })
}
