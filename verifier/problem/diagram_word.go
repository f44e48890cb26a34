package problem

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// word says which constants choices make of a term that is no Bool, and when; else it is what is not known.
type word struct {
	values []outcome // each constant once
	rest   edge
}

type outcome struct {
	value ilr.Term
	when  edge
}

var unknownWord = &word{rest: always}

// word returns what choices make of a term whose parts are done.
func (d *diagrams) word(t ilr.Term) *word {
	switch d.s.Kind(t) {
	case ilr.KConst:
		return &word{values: []outcome{{t, always}}, rest: never}
	case ilr.KIte:
		if w, err := d.either(d.of[d.s.Arg(t, 0)], d.words[d.s.Arg(t, 1)], d.words[d.s.Arg(t, 2)]); err == nil {
			return w
		}
	}
	return unknownWord
}

// either returns a where c holds, else b.
func (d *diagrams) either(c edge, a, b *word) (*word, error) {
	if d.left -= len(a.values) + len(b.values); d.left < 0 {
		return nil, errLarge
	}
	rest, err := d.ite(c, a.rest, b.rest)
	if err != nil {
		return nil, err
	}
	out := &word{rest: rest}
	add := func(v ilr.Term, then, els edge) error {
		when, err := d.ite(c, then, els)
		if when != never {
			out.values = append(out.values, outcome{v, when})
		}
		return err
	}
	for _, x := range a.values {
		if err := add(x.value, x.when, b.is(x.value)); err != nil {
			return nil, err
		}
	}
	for _, y := range b.values {
		if a.is(y.value) != never {
			continue
		}
		if err := add(y.value, never, y.when); err != nil {
			return nil, err
		}
	}
	if len(out.values) > policy.WordChoices {
		return nil, errLarge
	}
	d.stored += len(out.values)
	return out, nil
}

// is returns when a word is a constant.
func (w *word) is(v ilr.Term) edge {
	if i := slices.IndexFunc(w.values, func(c outcome) bool { return c.value == v }); i >= 0 {
		return w.values[i].when
	}
	return never
}

// compare returns the diagram of a comparison of a choice with a constant.
func (d *diagrams) compare(t ilr.Term) (edge, error) {
	at, _ := d.chosen(t)
	constant, _ := d.s.ConstVal(d.s.Arg(t, 1-at))
	args := []bits.Vec{constant, constant}
	w := d.words[d.s.Arg(t, at)]
	if d.left -= len(w.values); d.left < 0 {
		return 0, errLarge
	}
	not, err := d.and(w.rest, -d.atom(t))
	if err != nil {
		return 0, err
	}
	for _, c := range w.values {
		args[at], _ = d.s.ConstVal(c.value)
		if d.s.Apply(t, args).IsZero() {
			if not, err = d.and(-not, -c.when); err != nil {
				return 0, err
			}
			not = -not
		}
	}
	return -not, nil
}
