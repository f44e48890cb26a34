package its

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/exact"
)

// tempBase keeps temporaries apart from variables until the number of variables
// is known.
const tempBase exact.Var = 1 << 24

// Builder collects a system. Variables and locations may be added at any time.
type Builder struct {
	sys    System
	vars   map[string]exact.Var
	locs   map[string]Loc
	trans  []*TransBuilder
	broken error
}

// TransBuilder is one transition under construction. Variables keep their value
// unless Set, SetPoly or Havoc says otherwise.
type TransBuilder struct {
	b     *Builder
	t     Transition
	set   map[exact.Var]exact.Poly
	extra []alsoBuilder
	done  bool
}

type alsoBuilder struct {
	to  Loc
	set map[exact.Var]exact.Poly
}

// NewBuilder starts an empty system.
func NewBuilder(name string) *Builder {
	return &Builder{sys: System{Name: name, Goal: Termination}, vars: map[string]exact.Var{}, locs: map[string]Loc{}}
}

// Goal sets the question asked.
func (b *Builder) Goal(g Goal) { b.sys.Goal = g }

// Var is the variable of that name, new if need be.
func (b *Builder) Var(name string) exact.Var {
	if v, ok := b.vars[name]; ok {
		return v
	}
	v := exact.Var(len(b.sys.Vars))
	b.vars[name] = v
	b.sys.Vars = append(b.sys.Vars, name)
	return v
}

// Loc is the location of that name, new if need be.
func (b *Builder) Loc(name string) Loc {
	if l, ok := b.locs[name]; ok {
		return l
	}
	l := Loc(len(b.sys.Locs))
	b.locs[name] = l
	b.sys.Locs = append(b.sys.Locs, name)
	return l
}

// Trans starts a transition of cost 1. It is part of the system only once Exact
// or Approx has closed it.
func (b *Builder) Trans(from, to Loc) *TransBuilder {
	t := &TransBuilder{b: b, set: map[exact.Var]exact.Poly{}}
	t.t.From, t.t.To = from, to
	t.t.Cost = exact.PolyOf(exact.C(1))
	b.trans = append(b.trans, t)
	return t
}

// GE adds the conjunct e >= 0.
func (t *TransBuilder) GE(e exact.Lin) *TransBuilder { return t.Atom(Atom{exact.PolyOf(e), GE}) }

// EQ adds the conjunct e = 0.
func (t *TransBuilder) EQ(e exact.Lin) *TransBuilder { return t.Atom(Atom{exact.PolyOf(e), EQ}) }

// Range adds the facts lo <= v <= hi, cheap for every later stage.
func (t *TransBuilder) Range(v exact.Var, lo, hi exact.Int) *TransBuilder {
	x := exact.V(v)
	return t.GE(exact.Lin{Terms: x.Terms, Const: lo.Neg()}).GE(exact.Lin{Terms: x.Neg().Terms, Const: hi})
}

// Atom adds a conjunct.
func (t *TransBuilder) Atom(a Atom) *TransBuilder {
	t.t.Guard = append(t.t.Guard, a)
	return t
}

// Temp is a new existential variable of this transition.
func (t *TransBuilder) Temp() exact.Var {
	t.t.Temps++
	return tempBase + exact.Var(t.t.Temps-1)
}

// Set gives v the value e (over the values before and temporaries).
func (t *TransBuilder) Set(v exact.Var, e exact.Lin) *TransBuilder {
	return t.SetPoly(v, exact.PolyOf(e))
}

// SetPoly gives v the value of a polynomial.
func (t *TransBuilder) SetPoly(v exact.Var, p exact.Poly) *TransBuilder {
	t.set[v] = p
	return t
}

// Havoc gives v any value.
func (t *TransBuilder) Havoc(v exact.Var) *TransBuilder { return t.Set(v, exact.V(t.Temp())) }

// Cost sets the cost of a step.
func (t *TransBuilder) Cost(p exact.Poly) *TransBuilder {
	t.t.Cost = p
	return t
}

// Also adds a further successor that runs as well.
func (t *TransBuilder) Also(to Loc, set map[exact.Var]exact.Poly) *TransBuilder {
	t.extra = append(t.extra, alsoBuilder{to, set})
	return t
}

// Exact closes the transition as one that has only steps of the program.
func (t *TransBuilder) Exact(tag string) { t.close(tag, true) }

// Approx closes the transition as one that may have more steps than the program.
func (t *TransBuilder) Approx(tag string) { t.close(tag, false) }

func (t *TransBuilder) close(tag string, isExact bool) {
	if t.done {
		t.b.broken = fmt.Errorf("its %s: transition %q closed twice", t.b.sys.Name, tag)
	}
	t.t.Tag, t.t.Exact, t.done = tag, isExact, true
}

// System is the finished system, starting at start with any values. Transitions
// with a guard that is false by its constants are left out; temporaries that an
// equation defines are replaced.
func (b *Builder) System(start Loc) (*System, error) {
	if b.broken != nil {
		return nil, b.broken
	}
	s := b.sys
	s.Start = start
	n := exact.Var(len(s.Vars))
	rename := func(v exact.Var) exact.Var {
		if v >= tempBase {
			return v - tempBase + n
		}
		return v
	}
	for _, tb := range b.trans {
		if !tb.done {
			return nil, fmt.Errorf("its %s: a transition from %s is neither exact nor approximate", s.Name,
				s.Locs[tb.t.From])
		}
		t := tb.t
		t.Guard = make([]Atom, len(tb.t.Guard))
		for i, a := range tb.t.Guard {
			t.Guard[i] = Atom{a.Poly.Rename(rename), a.Rel}
		}
		t.Cost = t.Cost.Rename(rename)
		t.Update = updates(int(n), tb.set, rename)
		for _, e := range tb.extra {
			t.Also = append(t.Also, Target{e.to, updates(int(n), e.set, rename)})
		}
		if simplify(int(n), &t) {
			s.Trans = append(s.Trans, t)
		}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s.freshStart()
	return &s, nil
}

func updates(n int, set map[exact.Var]exact.Poly, rename func(exact.Var) exact.Var) []exact.Poly {
	us := make([]exact.Poly, n)
	for i := range us {
		v := exact.Var(i)
		if p, ok := set[v]; ok {
			us[i] = p.Rename(rename)
		} else {
			us[i] = exact.PolyOf(exact.V(v))
		}
	}
	return us
}

// freshStart makes sure that no transition enters the start location.
func (s *System) freshStart() {
	entered := false
	for i := range s.Trans {
		entered = entered || s.Trans[i].To == s.Start
		for _, a := range s.Trans[i].Also {
			entered = entered || a.To == s.Start
		}
	}
	if !entered {
		return
	}
	name := "start"
	for s.hasLoc(name) {
		name += "_"
	}
	s.Locs = append(s.Locs[:len(s.Locs):len(s.Locs)], name)
	fresh := Loc(len(s.Locs) - 1)
	s.Trans = append(s.Trans, Transition{From: fresh, To: s.Start, Update: updates(len(s.Vars), nil, nil), Exact: true,
		Tag: "start"})
	s.Start = fresh
}

func (s *System) hasLoc(name string) bool {
	for _, l := range s.Locs {
		if l == name {
			return true
		}
	}
	return false
}
