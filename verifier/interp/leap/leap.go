// Package leap skips turns of loops: it follows one turn with closed forms (form.go, pass.go) beside the execution, and
// where they close, the run goes on behind all turns for which they hold (end.go).
package leap

import (
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// leaper skips turns of loops (Observe). Where the words that a loop changes look as if they had closed forms,
// one pass through the loop is followed with these forms: each instruction says what its result is in turn t, and up to
// which turn that, the way of each branch and that no check fails are what they are in turn 0. If the pass ends with
// the forms one turn later, all those turns follow by induction, and the run goes on behind them.
// The forms may be wrong guesses: then the pass says so, and nothing is skipped.
type leaper struct {
	interp.Silent
	x       *interp.Machine
	calls   []*leapCall // active ones
	top     *leapCall
	doing   *leapCall // that executes the instruction
	turned  bool      // a turn of a loop began
	try     *attempt
	wait    map[*ir.Block]int64 // turns in front of the next attempt
	periods map[*ir.Block]int   // which of leapPeriods the next one takes
	laps    map[*ir.Block]*lap
	turns   int64 // skipped so far
}

// leapPeriods are the numbers of turns that are tried as one: what a loop does may repeat every second turn only.
var leapPeriods = [...]int{1, 2, 3, 4, 6, 8, 10, 12, 16}

// lap counts turns from the end of one leap to that of the next. Where laps are as long as each other, as those of a
// counter that is reset each thousand turns, the turns of one are tried as one.
type lap struct {
	turns, before int64 // of this lap and the one before
	next          bool  // the next attempt takes a lap
	vain          bool  // that helped nothing
}

// Observe makes the observer that skips turns of loops.
func Observe(x *interp.Machine) interp.Observer {
	if x.Options.EveryTurn {
		return nil
	}
	return &leaper{x: x, wait: map[*ir.Block]int64{}, periods: map[*ir.Block]int{},
		laps: map[*ir.Block]*lap{}}
}

// leapCall is an active call.
type leapCall struct {
	fr    *interp.Frame
	turns map[*ir.Block]int64 // since the loop was entered, or an attempt ended
	forms map[int]form        // of fr.vals, in a pass
	args  []form              // of fr.params
}

// attempt is an attempt to skip turns of the loop with the block head in call fr.
type attempt struct {
	fr      *leapCall
	head    *ir.Block
	period  int
	lap     bool // the period is a lap
	seen    int  // turns since the last sample
	samples int
	phis    [][4]interp.Value // by phi of head
	cells   []*cell           // of objects that are older than the pass
	from    int64             // instructions before the last sample
	objects int               // when the pass began
	asked   int64
	passed  int
	pass    *pass // the last stage
}

// Enter implements Observer.
func (l *leaper) Enter(fr *interp.Frame) {
	l.top = &leapCall{fr: fr}
	l.calls = append(l.calls, l.top)
}

// Leave implements Observer.
func (l *leaper) Leave(fr *interp.Frame, _ interp.Value, _ bool) {
	if l.try != nil && l.try.fr == l.top {
		l.try = nil
	}
	if n := len(l.calls) - 1; n > 0 {
		l.calls, l.top = l.calls[:n], l.calls[n-1]
	}
}

// Jump implements Observer: it notes a jump of the innermost call to b.
func (l *leaper) Jump(b *ir.Block) {
	fr := l.top
	if b.Index <= fr.fr.Prev.Index {
		l.turned = true
		return
	}
	if fr.turns[b] > 0 {
		fr.turns[b] = 0 // the loop is entered anew
	}
	if a := l.try; a != nil && a.fr == fr && a.head == b {
		l.try = nil
	}
}

// turn notes that a turn of the innermost call begins: the phis of its block have been executed.
func (l *leaper) turn() {
	fr, head := l.top, l.x.Frame.Block
	l.turned = false
	if l.laps[head] == nil {
		l.laps[head] = &lap{}
	}
	lap := l.laps[head]
	lap.turns++
	if a := l.try; a != nil {
		if a.fr == fr && a.head == head {
			l.advance(a)
		}
		return
	}
	if fr.turns == nil {
		fr.turns = map[*ir.Block]int64{}
	}
	fr.turns[head]++
	if fr.turns[head] < max(policy.LeapAfter, l.wait[head]) && !lap.next {
		return
	}
	fr.turns[head] = 0
	l.try = &attempt{fr: fr, head: head, period: leapPeriods[l.periods[head]], lap: lap.next}
	if lap.next {
		l.try.period, lap.next = int(lap.before), false
	}
	l.begin(l.try)
	l.sample(l.try)
}

// begin notes what a pass must not change.
func (l *leaper) begin(a *attempt) {
	a.objects, a.asked, a.passed = len(l.x.Objects), l.x.Asked, len(l.x.Passed)
}

// steady reports whether the last pass asked for no input and went past no violation.
func (l *leaper) steady(a *attempt) bool { return l.x.Asked == a.asked && len(l.x.Passed) == a.passed }

// advance goes on with a where a turn of its loop begins.
func (l *leaper) advance(a *attempt) {
	if a.seen++; a.seen < a.period {
		return
	}
	a.seen = 0
	if !l.steady(a) {
		l.fail(true)
		return
	}
	if a.pass != nil {
		l.leap(a)
		return
	}
	if l.sample(a); l.try == nil {
		return
	}
	l.begin(a)
	if a.samples == 4 {
		a.pass = newPass(l, a)
	}
}

// sample notes the values of phis and cells.
func (l *leaper) sample(a *attempt) {
	for i, in := range interp.PhisOf(a.head) {
		if a.samples == 0 {
			a.phis = append(a.phis, [4]interp.Value{})
		}
		a.phis[i][a.samples] = a.fr.fr.Values[in.ID]
	}
	for _, c := range a.cells {
		if !c.read {
			continue
		}
		v, ok := l.peek(c)
		if !ok {
			l.fail(true)
			return
		}
		c.vals[a.samples] = v
	}
	a.samples, a.from = a.samples+1, l.x.Executed
}

// fail ends the attempt. The next one takes another period; where all of them failed, or no other would help, it
// comes later.
func (l *leaper) fail(hopeless bool) {
	b, vain := l.try.head, l.try.lap
	if l.try = nil; vain {
		l.laps[b].vain = true
		return
	}
	if l.periods[b]++; !hopeless && l.periods[b] < len(leapPeriods) {
		return
	}
	l.periods[b] = 0
	l.wait[b] = min(policy.LeapPatience, 16*max(policy.LeapAfter, l.wait[b]))
}

// Before implements Observer.
func (l *leaper) Before(_ *interp.Frame, in *ir.Instr) {
	if l.turned {
		l.turn()
	}
	l.doing = l.top
	l.before(in)
}

// After implements Observer.
func (l *leaper) After(_ *interp.Frame, in *ir.Instr) {
	if a := l.try; a != nil && a.pass != nil {
		a.pass.after(l.doing, in)
	}
}

// Phis implements Observer.
func (l *leaper) Phis(*interp.Frame) {
	if a := l.try; a != nil && a.pass != nil {
		a.pass.phis()
	}
}

// End implements Observer.
func (l *leaper) End(out *interp.Outcome) { out.Leapt = l.turns }

// before is called in front of each instruction that is no phi.
func (l *leaper) before(in *ir.Instr) {
	a := l.try
	switch {
	case a == nil:
	case l.x.Executed-a.from > a.steps():
		l.fail(true)
	case a.pass != nil:
		a.pass.follow(in)
	case a.samples == 1:
		l.note(a, in)
	}
}

// steps bounds the instructions between two samples.
func (a *attempt) steps() int64 {
	if a.lap || a.period == 1 {
		return policy.LeapLong
	}
	return policy.LeapSteps
}
