package interp

import (
	"slices"
)

// leap skips the turns that the pass of a stands for.
func (l *leaper) leap(a *attempt) {
	p := a.pass
	if !p.closes() {
		l.fail(false)
		return
	}
	if p.most <= leapLeast {
		l.fail(false)
		return
	}
	l.try = nil
	last, x := p.most-1, l.x // the pass was turn 0
	for _, in := range phisOf(a.head) {
		if f := a.fr.forms[in.ID]; f != nil {
			a.fr.fr.vals[in.ID] = scalar(f.at(last))
		}
	}
	for _, c := range a.cells {
		if c.met && c.now != nil && c.o.dead == "" {
			x.put(c.o, c.off, c.t, scalar(c.now.at(last)))
		}
	}
	n := last * int64(a.period)
	l.turns += n
	l.wait[a.head] = 0
	l.laps[a.head].end(n)
	x.skipTurns(a.head.Instrs[0], n, int(last)*(len(x.objects)-a.objects))
}

// end ends the lap with a leap of n turns.
func (p *lap) end(n int64) {
	p.turns += n
	p.next = !p.vain && p.turns == p.before && p.turns <= leapLap
	p.before, p.turns = p.turns, 0
}

// closes reports whether the pass ended with the forms one turn later: all turns up to p.most follow then.
func (p *pass) closes() bool {
	a := p.a
	for i, in := range phisOf(a.head) {
		start, end := p.starts[i], a.fr.forms[in.ID]
		if start == nil && (end != nil || !sameValue(a.phis[i][3], a.fr.fr.vals[in.ID])) ||
			start != nil && !start.next().same(end) {
			return false
		}
	}
	for _, c := range a.cells {
		if !c.met || !c.read {
			continue
		}
		if c.start != nil {
			if !c.start.next().same(c.now) {
				return false
			}
			continue
		}
		v, ok := p.peek(c)
		if !ok || c.now != nil || !sameValue(c.vals[3], v) {
			return false
		}
	}
	for o, dead := range p.marked {
		if o.dead != dead {
			return false
		}
	}
	return true
}

// sameValue reports whether two values are the same bit by bit.
func sameValue(a, b value) bool {
	return a.bits == b.bits && a.undef == b.undef && a.obj == b.obj && slices.EqualFunc(a.elems, b.elems, sameValue)
}
