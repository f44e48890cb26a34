package its

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
)

// smtEnv maps names to variables and counts temporaries.
type smtEnv struct {
	names map[string]exact.Var
	temps int
}

func (env *smtEnv) temp() exact.Var {
	env.temps++
	return tempBase + exact.Var(env.temps-1)
}

// formula reads a Boolean term; neg asks for its negation.
func (env *smtEnv) formula(e sexp, neg bool) (formula, error) {
	switch op := e.head(); op {
	case "":
		switch e.atom {
		case "true", "false":
			if (e.atom == "true") != neg {
				return fTrue, nil
			}
			return fFalse, nil
		}
		return formula{}, fmt.Errorf("line %d: %q where a condition should stand", e.line, e.atom)
	case "and", "or":
		if neg {
			op = map[string]string{"and": "or", "or": "and"}[op]
		}
		f := formula{op: op}
		for _, a := range e.from(1) {
			g, err := env.formula(a, neg)
			if err != nil {
				return f, err
			}
			f.args = append(f.args, g)
		}
		return f, nil
	case "not":
		if len(e.list) == 2 {
			return env.formula(e.at(1), !neg)
		}
	case "=>":
		if len(e.list) == 3 {
			or := sexp{line: e.line, list: []sexp{{atom: "or"}, {list: []sexp{{atom: "not"}, e.at(1)}}, e.at(2)}}
			return env.formula(or, neg)
		}
	case "exists":
		if len(e.list) == 3 && !neg {
			return env.exists(e)
		}
	case "=", "!=", "distinct", "<", "<=", ">", ">=":
		return env.comparison(e, neg)
	}
	return formula{}, fmt.Errorf("line %d: %q is not modelled here", e.line, e.head())
}

func (env *smtEnv) exists(e sexp) (formula, error) {
	saved := map[string]exact.Var{}
	for _, p := range e.at(1).list {
		if len(p.list) != 2 || p.at(1).atom != "Int" {
			return formula{}, fmt.Errorf("line %d: bound variable that is not Int", e.line)
		}
		name := p.at(0).atom
		if v, ok := env.names[name]; ok {
			saved[name] = v
		}
		env.names[name] = env.temp()
	}
	f, err := env.formula(e.at(2), false)
	for _, p := range e.at(1).list {
		name := p.at(0).atom
		delete(env.names, name)
		if v, ok := saved[name]; ok {
			env.names[name] = v
		}
	}
	return f, err
}

func (env *smtEnv) comparison(e sexp, neg bool) (formula, error) {
	if len(e.list) != 3 {
		return formula{}, fmt.Errorf("line %d: %s with %d arguments", e.line, e.head(), len(e.list)-1)
	}
	l, err := env.poly(e.at(1))
	if err != nil {
		return formula{}, err
	}
	r, err := env.poly(e.at(2))
	if err != nil {
		return formula{}, err
	}
	return compare(e.head(), l, r, neg)
}

// poly reads an integer term.
func (env *smtEnv) poly(e sexp) (exact.Poly, error) {
	if e.atom != "" {
		if v, ok := env.names[e.atom]; ok {
			return exact.PolyOf(exact.V(v)), nil
		}
		if c, ok := exact.ParseInt(e.atom); ok {
			return exact.PolyOf(exact.Lin{Const: c}), nil
		}
		return exact.Poly{}, fmt.Errorf("line %d: unknown name %q", e.line, e.atom)
	}
	if len(e.list) < 2 {
		return exact.Poly{}, fmt.Errorf("line %d: empty term", e.line)
	}
	var args []exact.Poly
	for _, a := range e.from(1) {
		p, err := env.poly(a)
		if err != nil {
			return p, err
		}
		args = append(args, p)
	}
	out := args[0]
	switch op := e.head(); {
	case op == "-" && len(args) == 1:
		return out.Neg(), nil
	case strings.Contains("+-*", op) && len(op) == 1:
		for _, a := range args[1:] {
			switch op {
			case "+":
				out = out.Add(a)
			case "-":
				out = out.Sub(a)
			case "*":
				var err error
				if out, err = mul(out, a); err != nil {
					return out, fmt.Errorf("line %d: %w", e.line, err)
				}
			}
		}
		return out, nil
	}
	return out, fmt.Errorf("line %d: operator %q is not modelled", e.line, e.head())
}

// ariSystem collects the rules of the ARI form.
type ariSystem struct {
	b     *Builder
	arity map[string]int
	width int
	start string
}

// readARI reads rules over integers: (fun f (-> Int Int T)), (entrypoint f),
// (rule (f x y) (g (+ x 1) y) :guard (> x 0) :cost 1).
func readARI(name string, top []sexp) (*System, error) {
	a := &ariSystem{b: NewBuilder(name), arity: map[string]int{}}
	for _, e := range top {
		switch e.head() {
		case "fun":
			if len(e.list) != 3 {
				return nil, fmt.Errorf("%s:%d: fun without sort", name, e.line)
			}
			n := max(0, len(e.at(2).list)-2)
			a.arity[e.at(1).atom] = n
			a.width = max(a.width, n)
		case "entrypoint":
			if len(e.list) != 2 {
				return nil, fmt.Errorf("%s:%d: entrypoint wants one name", name, e.line)
			}
			a.start = e.at(1).atom
		}
	}
	for i := 0; i < a.width; i++ {
		a.b.Var(fmt.Sprintf("x%d", i))
	}
	count := 0
	for _, e := range top {
		if e.head() != "rule" {
			continue
		}
		if a.start == "" && len(e.list) > 1 {
			a.start = e.at(1).head()
		}
		if err := a.rule(e, count); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, e.line, err)
		}
		count++
	}
	if a.start == "" {
		return nil, fmt.Errorf("%s: no rules and no entrypoint: this is no transition system", name)
	}
	return a.b.System(a.b.Loc(a.start))
}

func (a *ariSystem) rule(e sexp, index int) error {
	if len(e.list) < 3 {
		return fmt.Errorf("rule without right side")
	}
	left, right := e.at(1), e.at(2)
	if left.atom != "" {
		left = sexp{list: []sexp{left}}
	}
	if right.atom != "" {
		right = sexp{list: []sexp{right}}
	}
	if _, ok := a.arity[right.head()]; !ok {
		return fmt.Errorf("%q is not a declared function", right.head())
	}
	env := &smtEnv{names: map[string]exact.Var{}}
	for i, p := range left.from(1) {
		if _, dup := env.names[p.atom]; p.atom == "" || dup {
			return fmt.Errorf("left side is not a function of distinct variables")
		}
		env.names[p.atom] = exact.Var(i)
	}
	guard, cost := fTrue, exact.PolyOf(exact.C(1))
	for _, p := range e.from(3) {
		env.freeNames(p)
	}
	env.freeNames(sexp{list: right.from(1)})
	var err error
	for i := 3; i+1 < len(e.list); i += 2 {
		switch e.at(i).atom {
		case ":guard":
			guard, err = env.formula(e.at(i+1), false)
		case ":cost":
			cost, err = env.poly(e.at(i + 1))
		}
		if err != nil {
			return err
		}
	}
	set := map[exact.Var]exact.Poly{}
	for i := 0; i < a.width; i++ {
		set[exact.Var(i)] = exact.Poly{}
		if i+1 < len(right.list) {
			if set[exact.Var(i)], err = env.poly(right.at(i + 1)); err != nil {
				return err
			}
		}
	}
	cases, err := guard.dnf()
	if err != nil {
		return err
	}
	for _, g := range cases {
		t := a.b.Trans(a.b.Loc(left.head()), a.b.Loc(right.head())).Cost(cost)
		t.t.Temps, t.t.Guard, t.set = env.temps, g, set
		t.Exact(fmt.Sprintf("rule %d", index))
	}
	return nil
}

// freeNames makes each unknown name a temporary of the rule.
func (env *smtEnv) freeNames(e sexp) {
	if e.atom == "" {
		for _, p := range e.list {
			env.freeNames(p)
		}
		return
	}
	c := e.atom[0]
	if c == ':' || strings.ContainsRune("+-*<>=!", rune(c)) {
		return
	}
	switch e.atom {
	case "and", "or", "not", "true", "false", "distinct", "exists", "Int":
		return
	}
	if _, isNum := exact.ParseInt(e.atom); isNum {
		return
	}
	if _, ok := env.names[e.atom]; !ok {
		env.names[e.atom] = env.temp()
	}
}
