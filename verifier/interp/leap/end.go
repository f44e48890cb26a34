package leap

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
)

// leap skips the turns that the pass of a stands for.
func (l *leaper) leap(a *attempt) {
	p := a.pass
	if !p.closes() {
		l.fail(false)
		return
	}
	if p.most <= policy.LeapLeast {
		l.fail(false)
		return
	}
	l.try = nil
	last, x := p.most-1, l.x // the pass was turn 0
	for _, in := range interp.PhisOf(a.head) {
		if f := a.fr.forms[in.ID]; f != nil {
			a.fr.fr.Values[in.ID] = interp.Scalar(f.at(last))
		}
	}
	for _, c := range a.cells {
		if c.met && c.now != nil && c.o.Dead == "" {
			x.Put(c.o, c.off, c.t, interp.Scalar(c.now.at(last)))
		}
	}
	n := last * int64(a.period)
	l.turns += n
	l.wait[a.head] = 0
	l.laps[a.head].end(n)
	x.SkipTurns(a.head.Instrs[0], n, int(last)*(len(x.Objects)-a.objects))
}

// end ends the lap with a leap of n turns.
func (p *lap) end(n int64) {
	p.turns += n
	p.next = !p.vain && p.turns == p.before && p.turns <= policy.LeapLap
	p.before, p.turns = p.turns, 0
}

// closes reports whether the pass ended with the forms one turn later: all turns up to p.most follow then.
func (p *pass) closes() bool {
	a := p.a
	for i, in := range interp.PhisOf(a.head) {
		start, end := p.starts[i], a.fr.forms[in.ID]
		if start == nil && (end != nil || !sameValue(a.phis[i][3], a.fr.fr.Values[in.ID])) ||
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
		if o.Dead != dead {
			return false
		}
	}
	return true
}

// sameValue reports whether two values are the same bit by bit.
func sameValue(a, b interp.Value) bool {
	return a.Bits == b.Bits && a.Undef == b.Undef && a.Object == b.Object && slices.EqualFunc(a.Elems, b.Elems, sameValue)
}
