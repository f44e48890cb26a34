package its

import (
	"fmt"
	"strconv"
	"unicode"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

func (r *koatReader) sum() (koatExpr, error) {
	e, err := r.product()
	for err == nil {
		op := r.peek()
		if op != "+" && op != "-" {
			return e, nil
		}
		r.next()
		var f koatExpr
		f, err = r.product()
		e = koatExpr{op: op, args: []koatExpr{e, f}}
	}
	return e, err
}

func (r *koatReader) product() (koatExpr, error) {
	e, err := r.factor()
	for err == nil && r.accept("*") {
		var f koatExpr
		f, err = r.factor()
		e = koatExpr{op: "*", args: []koatExpr{e, f}}
	}
	return e, err
}

func (r *koatReader) factor() (koatExpr, error) {
	r.depth++
	defer func() { r.depth-- }()
	if err := nested(r.depth); err != nil {
		return koatExpr{}, err
	}
	if r.accept("-") {
		e, err := r.factor()
		return koatExpr{op: "neg", args: []koatExpr{e}}, err
	}
	e, err := r.atomExpr()
	if err != nil || !r.accept("^") {
		return e, err
	}
	power := r.next()
	if !isNumber(power) {
		return e, fmt.Errorf("exponent %q", power)
	}
	return koatExpr{op: "^", text: power, args: []koatExpr{e}}, nil
}

func (r *koatReader) atomExpr() (koatExpr, error) {
	t := r.next()
	switch {
	case t == "(":
		e, err := r.sum()
		if err != nil {
			return e, err
		}
		return e, r.want(")")
	case t == "":
		return koatExpr{}, fmt.Errorf("unexpected end of file")
	case unicode.IsDigit(rune(t[0])):
		return koatExpr{op: "num", text: t}, nil
	case isName(rune(t[0])):
		return koatExpr{op: "name", text: t}, nil
	}
	return koatExpr{}, fmt.Errorf("%q where an expression should stand", t)
}

func (r *koatReader) disjunction() (koatCond, error) {
	return r.connected("or", []string{"||", "\\/"}, r.conjunction)
}

func (r *koatReader) conjunction() (koatCond, error) {
	return r.connected("and", []string{"&&", "/\\", ","}, r.condition)
}

func (r *koatReader) connected(op string, signs []string, part func() (koatCond, error)) (koatCond, error) {
	c, err := part()
	out := koatCond{op: op, sub: []koatCond{c}}
	for err == nil && r.accept(signs...) {
		c, err = part()
		out.sub = append(out.sub, c)
	}
	return out, err
}

func (r *koatReader) condition() (koatCond, error) {
	r.depth++
	defer func() { r.depth-- }()
	if err := nested(r.depth); err != nil {
		return koatCond{}, err
	}
	if r.accept("!") {
		c, err := r.condition()
		return koatCond{op: "not", sub: []koatCond{c}}, err
	}
	switch r.peek() {
	case "true", "TRUE", "false", "FALSE":
		if t := r.next(); t == "true" || t == "TRUE" {
			return koatCond{op: "true"}, nil
		}
		return koatCond{op: "false"}, nil
	case "(":
		save := r.pos
		if r.next(); true {
			if c, err := r.disjunction(); err == nil && r.accept(")") {
				return c, nil
			}
		}
		r.pos = save
	}
	l, err := r.sum()
	if err != nil {
		return koatCond{}, err
	}
	op := r.next()
	if op == "=<" {
		op = "<="
	}
	right, err := r.sum()
	return koatCond{op: op, l: l, r: right}, err
}

// poly is the polynomial of an expression; name gives the variable of a name.
func (e koatExpr) poly(name func(string) exact.Var) (exact.Poly, error) {
	var ps []exact.Poly
	for _, a := range e.args {
		p, err := a.poly(name)
		if err != nil {
			return p, err
		}
		ps = append(ps, p)
	}
	switch e.op {
	case "num":
		v, ok := exact.ParseInt(e.text)
		if !ok {
			return exact.Poly{}, fmt.Errorf("number %q", e.text)
		}
		return exact.PolyOf(exact.Lin{Const: v}), nil
	case "name":
		return exact.PolyOf(exact.V(name(e.text))), nil
	case "+":
		return ps[0].Add(ps[1]), nil
	case "-":
		return ps[0].Sub(ps[1]), nil
	case "*":
		return mul(ps[0], ps[1])
	case "neg":
		return ps[0].Neg(), nil
	case "^":
		k, err := strconv.Atoi(e.text)
		if err != nil || k > policy.SystemPower {
			return exact.Poly{}, fmt.Errorf("exponent %s", e.text)
		}
		p := exact.PolyOf(exact.C(1))
		for ; k > 0; k-- {
			if p, err = mul(p, ps[0]); err != nil {
				return p, err
			}
		}
		return p, nil
	}
	return exact.Poly{}, fmt.Errorf("operator %q", e.op)
}

func (c koatCond) formula(name func(string) exact.Var, neg bool) (formula, error) {
	switch c.op {
	case "true", "false":
		if (c.op == "true") != neg {
			return fTrue, nil
		}
		return fFalse, nil
	case "not":
		return c.sub[0].formula(name, !neg)
	case "and", "or":
		op := c.op
		if neg {
			op = map[string]string{"and": "or", "or": "and"}[op]
		}
		f := formula{op: op}
		for _, s := range c.sub {
			g, err := s.formula(name, neg)
			if err != nil {
				return f, err
			}
			f.args = append(f.args, g)
		}
		return f, nil
	}
	l, err := c.l.poly(name)
	if err != nil {
		return formula{}, err
	}
	r, err := c.r.poly(name)
	if err != nil {
		return formula{}, err
	}
	return compare(c.op, l, r, neg)
}

// system turns the rules into transitions.
func (r *koatReader) system(name string) (*System, error) {
	for _, rule := range r.rules {
		r.width = max(r.width, len(rule.left.args))
		for i, a := range rule.left.args {
			if _, named := r.first[i]; !named && a.op == "name" {
				r.first[i] = a.text
			}
		}
		for _, c := range rule.right {
			r.width = max(r.width, len(c.args))
		}
	}
	taken := map[string]bool{}
	for i := 0; i < r.width; i++ {
		v := r.first[i]
		for v == "" || taken[v] {
			v += "arg" + strconv.Itoa(i)
		}
		taken[v] = true
		r.b.Var(v)
	}
	if r.start == "" && len(r.rules) > 0 {
		r.start = r.rules[0].left.fun
	}
	if r.start == "" {
		return nil, fmt.Errorf("%s: no rules and no start: this is no transition system", name)
	}
	start := r.b.Loc(r.start)
	for i, rule := range r.rules {
		if err := r.addRule(i, rule); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, rule.line, err)
		}
	}
	return r.b.System(start)
}

// addRule adds a transition per disjunct of the guard.
func (r *koatReader) addRule(index int, rule koatRule) error {
	bound := map[string]exact.Var{}
	temps := 0
	lookup := func(n string) exact.Var {
		v, ok := bound[n]
		if !ok {
			v = tempBase + exact.Var(temps)
			temps++
			bound[n] = v
		}
		return v
	}
	var pre []Atom
	for i, a := range rule.left.args {
		if _, dup := bound[a.text]; a.op == "name" && !dup {
			bound[a.text] = exact.Var(i)
			continue
		}
		p, err := a.poly(lookup)
		if err != nil {
			return err
		}
		pre = append(pre, Atom{p.Sub(exact.PolyOf(exact.V(exact.Var(i)))), EQ})
	}
	cases := [][]Atom{{}}
	if rule.guard != nil {
		f, err := rule.guard.formula(lookup, false)
		if err != nil {
			return err
		}
		if cases, err = f.dnf(); err != nil {
			return err
		}
	}
	cost := exact.PolyOf(exact.C(1))
	var err error
	if rule.cost != nil {
		if cost, err = rule.cost.poly(lookup); err != nil {
			return err
		}
	}
	sets := make([]map[exact.Var]exact.Poly, len(rule.right))
	for i, c := range rule.right {
		if sets[i], err = r.assign(c, lookup); err != nil {
			return err
		}
	}
	if len(rule.right) == 0 { // Com_0: the run ends
		rule.right, sets = []koatCall{{fun: "end"}}, []map[exact.Var]exact.Poly{nil}
	}
	for k, guard := range cases {
		tag := "rule " + strconv.Itoa(index)
		if len(cases) > 1 {
			tag += "." + strconv.Itoa(k)
		}
		t := r.b.Trans(r.b.Loc(rule.left.fun), r.b.Loc(rule.right[0].fun)).Cost(cost)
		t.t.Temps, t.t.Guard, t.set = temps, append(append([]Atom(nil), pre...), guard...), sets[0]
		for j := 1; j < len(rule.right); j++ {
			t.Also(r.b.Loc(rule.right[j].fun), sets[j])
		}
		t.Exact(tag)
	}
	return nil
}

// assign is the update of a call; positions that the call does not have get 0,
// which nothing reads.
func (r *koatReader) assign(c koatCall, lookup func(string) exact.Var) (map[exact.Var]exact.Poly, error) {
	set := map[exact.Var]exact.Poly{}
	for i := 0; i < r.width; i++ {
		if i >= len(c.args) {
			set[exact.Var(i)] = exact.Poly{}
			continue
		}
		p, err := c.args[i].poly(lookup)
		if err != nil {
			return nil, err
		}
		set[exact.Var(i)] = p
	}
	return set, nil
}
