package encode

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// Limits of what is guessed about one loop.
const (
	maxCandidates = 3000
	maxPaired     = 24 // variables that are related to each other
)

// proposer makes the candidates of one arrival (templates of conditions over one
// or two numbers; Flanagan and Leino, Houdini, an annotation assistant, 2001).
type proposer struct {
	*encoder
	a     *arrival
	entry *state
	st    *state
	lits  []ilr.Term
	made  int
	used  map[string]int // by key, so that keys are different
}

// propose adds candidates for the loop of a, of which entry is the state before
// and st the unknown state at the header; st then assumes them.
func (e *encoder) propose(fr *frame, a *arrival, entry, st *state, vars []*cutVar) {
	if !e.cutter.Propose && len(e.cutter.Keep) == 0 {
		return
	}
	p := &proposer{encoder: e, a: a, entry: entry, st: st, used: map[string]int{}}
	all := append(append([]*cutVar(nil), vars...), e.companions(fr, a, st, vars)...)
	for _, v := range vars {
		p.alone(v, e.constantsOf(fr.fn, e.s.Width(v.head), v.entry))
	}
	for i, v := range all {
		if i >= maxPaired {
			break
		}
		for j, w := range all {
			if j < maxPaired && i != j && (v.moves || w.moves) && e.s.Width(v.head) == e.s.Width(w.head) {
				p.pair(v, w, i < j)
			}
		}
		p.scaled(v, all)
	}
	if len(p.lits) > 0 {
		st.pc = e.and(st.pc, e.s.And(p.lits...))
		if st.pc == nil { // contradictory: nothing gets here
			st.pc = e.and(entry.pc, e.s.True())
		}
	}
}

// add makes one candidate of the condition that make gives for the values of its numbers.
func (p *proposer) add(text string, make func(get func(*cutVar) ilr.Term) ilr.Term) {
	s := p.s
	key := p.a.key + ": " + text
	p.used[key]++
	if n := p.used[key]; n > 1 { // variables of one name
		key = fmt.Sprintf("%s (%d)", key, n)
	}
	if p.cutter.Keep != nil && !p.cutter.Keep[key] || p.made >= maxCandidates {
		return
	}
	head := make(func(v *cutVar) ilr.Term { return v.head })
	first := make(func(v *cutVar) ilr.Term { return v.entry })
	if s.IsTrue(head) || s.IsFalse(first) && p.cutter.Keep == nil {
		return
	}
	p.made++
	c := Candidate{Key: key, Text: text, Pos: p.a.loop.Pos, Head: head, Fails: s.And(p.entry.pc.all, s.Not(first))}
	if p.cutter.Keep == nil {
		c.Selector = p.bit(s.Fresh("keep", ilr.BV(1)))
		p.lits = append(p.lits, s.Implies(c.Selector, head))
	} else {
		p.lits = append(p.lits, head)
	}
	p.f.Candidates = append(p.f.Candidates, c)
	p.a.cands = append(p.a.cands, pending{index: len(p.f.Candidates) - 1, make: make})
}

// alone proposes bounds, residues and differences from the value on entry.
func (p *proposer) alone(v *cutVar, ks []bits.Vec) {
	s := p.s
	w := s.Width(v.head)
	if w == 1 {
		for _, c := range []int64{0, 1} {
			p.add(fmt.Sprintf("%s == %d", v.name, c), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Eq(get(v), s.Int(1, c)) })
		}
		return
	}
	for _, k := range ks {
		c := s.Const(k)
		n, _ := k.Int64()
		u, _ := k.Uint64()
		p.add(fmt.Sprintf("%s >= %d", v.name, n), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Sle(c, get(v)) })
		p.add(fmt.Sprintf("%s <= %d", v.name, n), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Sle(get(v), c) })
		p.add(fmt.Sprintf("%s >= %du", v.name, u), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Ule(c, get(v)) })
		p.add(fmt.Sprintf("%s <= %du", v.name, u), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Ule(get(v), c) })
		p.add(fmt.Sprintf("%s != %d", v.name, n), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Not(s.Eq(get(v), c)) })
	}
	for _, z := range []int{1, 2, 3} {
		p.add(fmt.Sprintf("%s %% %d is as on entry", v.name, 1<<z), func(get func(*cutVar) ilr.Term) ilr.Term {
			return s.Eq(s.Trunc(get(v), z), s.Trunc(v.entry, z))
		})
	}
	if _, known := s.ConstVal(v.entry); !known {
		p.add(v.name+" == its value on entry", func(get func(*cutVar) ilr.Term) ilr.Term { return s.Eq(get(v), v.entry) })
		p.add(v.name+" >= its value on entry", func(get func(*cutVar) ilr.Term) ilr.Term { return s.Sle(v.entry, get(v)) })
		p.add(v.name+" <= its value on entry", func(get func(*cutVar) ilr.Term) ilr.Term { return s.Sle(get(v), v.entry) })
		p.add(v.name+" >= its value on entry (unsigned)", func(get func(*cutVar) ilr.Term) ilr.Term { return s.Ule(v.entry, get(v)) })
		p.add(v.name+" <= its value on entry (unsigned)", func(get func(*cutVar) ilr.Term) ilr.Term { return s.Ule(get(v), v.entry) })
	}
}

// pair proposes orders, and sums and differences that stay the same.
func (p *proposer) pair(v, w *cutVar, once bool) {
	s := p.s
	if s.Width(v.head) == 1 {
		return
	}
	p.add(fmt.Sprintf("%s <= %s", v.name, w.name), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Sle(get(v), get(w)) })
	p.add(fmt.Sprintf("%s < %s", v.name, w.name), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Slt(get(v), get(w)) })
	p.add(fmt.Sprintf("%s <= %s (unsigned)", v.name, w.name), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Ule(get(v), get(w)) })
	p.add(fmt.Sprintf("%s < %s (unsigned)", v.name, w.name), func(get func(*cutVar) ilr.Term) ilr.Term { return s.Ult(get(v), get(w)) })
	if v.moves && w.moves {
		for _, k := range []int64{2, 3, 4} {
			p.add(fmt.Sprintf("%s - %d*%s is as on entry", v.name, k, w.name), func(get func(*cutVar) ilr.Term) ilr.Term {
				c := s.Int(s.Width(v.head), k)
				return s.Eq(s.Sub(get(v), s.Mul(c, get(w))), s.Sub(v.entry, s.Mul(c, w.entry)))
			})
		}
	}
	if once && v.moves && w.moves {
		p.add(fmt.Sprintf("%s - %s is as on entry", v.name, w.name), func(get func(*cutVar) ilr.Term) ilr.Term {
			return s.Eq(s.Sub(get(v), get(w)), s.Sub(v.entry, w.entry))
		})
		p.add(fmt.Sprintf("%s + %s is as on entry", v.name, w.name), func(get func(*cutVar) ilr.Term) ilr.Term {
			return s.Eq(s.Add(get(v), get(w)), s.Add(v.entry, w.entry))
		})
	}
}

// scaled proposes that the offset of a pointer goes with a count.
func (p *proposer) scaled(v *cutVar, all []*cutVar) {
	s := p.s
	if !v.offset {
		return
	}
	for _, w := range all {
		if w == v || !w.moves || w.offset || s.Width(w.head) < 8 {
			continue
		}
		wide := func(t ilr.Term) ilr.Term {
			if s.Width(t) >= p.w {
				return s.Trunc(t, p.w)
			}
			return s.Sext(t, p.w)
		}
		for _, k := range []int64{1, 2, 4, 8} {
			p.add(fmt.Sprintf("%s - %d*%s is as on entry", v.name, k, w.name), func(get func(*cutVar) ilr.Term) ilr.Term {
				c := s.Int(p.w, k)
				return s.Eq(s.Sub(get(v), s.Mul(c, wide(get(w)))), s.Sub(v.entry, s.Mul(c, wide(w.entry))))
			})
		}
	}
}
