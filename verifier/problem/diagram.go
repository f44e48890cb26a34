package problem

import (
	"errors"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// diagrams are reduced ordered binary decision diagrams with complement edges (Brace, Rudell, Bryant: DAC 1990) of what
// Bool terms are made of: which way an execution went at each choice. All else, a comparison of words for one, is an atom,
// and so is a term whose diagram would be large: what is false for all values of the atoms has no model. Paths and the
// guards of pointers are such terms, and their diagrams are small where the choices are made one after the other.
type diagrams struct {
	s      *ilr.Store
	nodes  []choice // by edge; of 0 and 1 (which is true) nothing is asked
	unique choices
	both   conjunctions
	of     map[ilr.Term]edge
	words  map[ilr.Term]*word
	left   int // steps of the question at hand
	stored int // values of words
}

// edge is the index of a node; negative: of its negation.
type edge int32

const (
	always edge = 1
	never  edge = -always
)

// choice is what a diagram is where an atom holds, and where not. Atoms come in the order in which terms were made.
type choice struct {
	atom      ilr.Term
	then, els edge // then is not negative
}

func newDiagrams(s *ilr.Store) *diagrams {
	return &diagrams{s: s, nodes: make([]choice, 2), words: map[ilr.Term]*word{},
		of: map[ilr.Term]edge{s.True(): always, s.False(): never}}
}

// full reports whether no more questions are answered.
func (d *diagrams) full() bool { return len(d.nodes)+d.both.n+d.stored > policy.ChoiceNodes }

// errLarge ends the making of a diagram.
var errLarge = errors.New("diagram: too many steps")

// make returns the diagram of a Bool term, after at most so many steps.
func (d *diagrams) make(t ilr.Term, steps int) edge {
	d.left = steps
	for stack := []ilr.Term{t}; len(stack) > 0; {
		u := stack[len(stack)-1]
		if d.has(u) {
			stack = stack[:len(stack)-1]
			continue
		}
		n := len(stack)
		from, to := d.parts(u)
		for i := from; i < to; i++ {
			if a := d.s.Arg(u, i); !d.has(a) {
				stack = append(stack, a)
			}
		}
		switch {
		case len(stack) > n:
		case d.s.Sort(u).Kind == ilr.SortBool:
			d.of[u] = d.one(u)
		default:
			d.words[u] = d.word(u)
		}
	}
	return d.of[t]
}

// has reports whether a term is done.
func (d *diagrams) has(t ilr.Term) bool { return d.of[t] != 0 || d.words[t] != nil }

// parts returns which of the arguments of a term are looked into.
func (d *diagrams) parts(t ilr.Term) (from, to int) {
	switch n := d.s.NumArgs(t); d.s.Kind(t) {
	case ilr.KNot, ilr.KAnd:
		return 0, n
	case ilr.KIte:
		if d.s.Sort(t).Kind != ilr.SortArray {
			return 0, n
		}
	case ilr.KEq:
		if d.s.Sort(d.s.Arg(t, 0)).Kind == ilr.SortBool {
			return 0, n
		}
		return d.chosen(t)
	case ilr.KUlt, ilr.KSlt:
		return d.chosen(t)
	}
	return 0, 0
}

// chosen returns which argument of a comparison is a choice that is compared with a constant.
func (d *diagrams) chosen(t ilr.Term) (from, to int) {
	for i := range 2 {
		if d.s.Kind(d.s.Arg(t, i)) == ilr.KIte && d.s.Kind(d.s.Arg(t, 1-i)) == ilr.KConst {
			return i, i + 1
		}
	}
	return 0, 0
}

// one returns the diagram of a term whose arguments have theirs.
func (d *diagrams) one(t ilr.Term) edge {
	if from, to := d.parts(t); from == to {
		return d.atom(t)
	}
	arg := func(i int) edge { return d.of[d.s.Arg(t, i)] }
	var e edge
	var err error
	switch d.s.Kind(t) {
	case ilr.KNot:
		return -arg(0)
	case ilr.KAnd:
		e, err = d.and(arg(0), arg(1))
	case ilr.KEq:
		if d.s.Sort(d.s.Arg(t, 0)).Kind != ilr.SortBool {
			e, err = d.compare(t)
			break
		}
		e, err = d.ite(arg(0), arg(1), -arg(1))
	case ilr.KUlt, ilr.KSlt:
		e, err = d.compare(t)
	case ilr.KIte:
		e, err = d.ite(arg(0), arg(1), arg(2))
	}
	if err != nil {
		return d.node(t, always, never)
	}
	return e
}

// atom returns the diagram of a term that is not looked into; of a bit that is compared with 0 or 1, that of the bit.
func (d *diagrams) atom(t ilr.Term) edge {
	if d.s.Kind(t) == ilr.KEq && d.s.Width(d.s.Arg(t, 0)) == 1 {
		bit, c := d.s.Arg(t, 0), d.s.Arg(t, 1)
		if d.s.Kind(bit) == ilr.KConst {
			bit, c = c, bit
		}
		if v, ok := d.s.ConstVal(c); ok {
			e := d.node(bit, always, never)
			if v.IsZero() {
				e = -e
			}
			return e
		}
	}
	return d.node(t, always, never)
}

func (d *diagrams) ite(c, a, b edge) (edge, error) {
	x, err := d.and(c, a)
	if err != nil {
		return 0, err
	}
	y, err := d.and(-c, b)
	if err != nil {
		return 0, err
	}
	e, err := d.and(-x, -y)
	return -e, err
}

// and returns the conjunction of two diagrams.
func (d *diagrams) and(f, g edge) (edge, error) {
	switch {
	case f == g || g == always:
		return f, nil
	case f == always:
		return g, nil
	case f == -g || f == never || g == never:
		return never, nil
	case f > g:
		f, g = g, f
	}
	if e := d.both.of(f, g); e != 0 {
		return e, nil
	}
	if d.left--; d.left < 0 || d.full() {
		return 0, errLarge
	}
	atom := min(d.at(f).atom, d.at(g).atom)
	f1, f0 := d.cofactors(f, atom)
	g1, g0 := d.cofactors(g, atom)
	then, err := d.and(f1, g1)
	if err != nil {
		return 0, err
	}
	els, err := d.and(f0, g0)
	if err != nil {
		return 0, err
	}
	e := d.node(atom, then, els)
	d.both.add(f, g, e)
	return e, nil
}

func (d *diagrams) at(e edge) choice { return d.nodes[max(e, -e)] }

// cofactors returns what a diagram is where an atom that it does not look behind holds, and where not.
func (d *diagrams) cofactors(e edge, atom ilr.Term) (then, els edge) {
	n := d.at(e)
	switch {
	case n.atom != atom:
		return e, e
	case e < 0:
		return -n.then, -n.els
	}
	return n.then, n.els
}

// node returns the diagram that chooses by an atom in front of those of two others.
func (d *diagrams) node(atom ilr.Term, then, els edge) edge {
	if then == els {
		return then
	}
	sign := edge(1)
	if then < 0 {
		then, els, sign = -then, -els, -1
	}
	return sign * d.unique.find(&d.nodes, choice{atom, then, els})
}

// model returns values of variables with which a diagram that is not false holds, if its atoms are variables and what
// they are compared with, each its own; others may not suit.
func (d *diagrams) model(e edge) ilr.Model {
	m := ilr.Model{BV: map[ilr.Term]bits.Vec{}}
	for e != always && e != never {
		atom := d.at(e).atom
		then, els := d.cofactors(e, atom)
		holds := els == never
		if e = els; holds {
			e = then
		}
		d.assign(m, atom, holds)
	}
	return m
}

// assign gives the variable of an atom a value with which it holds, or does not.
func (d *diagrams) assign(m ilr.Model, atom ilr.Term, holds bool) {
	one := uint64(0)
	if holds {
		one = 1
	}
	switch d.s.Kind(atom) {
	case ilr.KVar:
		m.BV[atom] = bits.New(1, one)
	case ilr.KEq:
		v, c := d.s.Arg(atom, 0), d.s.Arg(atom, 1)
		if d.s.Kind(v) == ilr.KConst {
			v, c = c, v
		}
		value, ok := d.s.ConstVal(c)
		if !ok || d.s.Kind(v) != ilr.KVar {
			return
		}
		if !holds {
			value = bits.Not(value)
		}
		m.BV[v] = value
	}
}
