// Package budget measures time in seconds of work, so that limits mean the same on a busy machine as on a quiet one.
//
// A second of a budget is a second in which all engines of one verification that are at work get a processor, two
// processors at most (policy.Processors): where one engine works, it is a second of its processor time; where two or
// more do, it is two seconds of theirs together. On a quiet machine with two processors that is a second of the clock.
//
//	With         gives a verification its budget, and the clock as an outer limit
//	Work         the calling goroutine works on it: it keeps its thread, whose processor time counts
//	Idle         it waits for others
//	WithTimeout  a slice of the budget; Share: a part of what is left; After: an alarm
//
// Where all wait for each other, the clock counts. What the runtime does beside (collecting garbage) does not count.
// Without a budget, all of these go by the clock.
package budget

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/policy"
)

// ErrClock is the cause of a context that the clock ended, while there was processor time left.
var ErrClock = fmt.Errorf("the clock: %w", context.DeadlineExceeded)

// ByClock reports whether ctx ended because the outer limit of the clock was reached.
func ByClock(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrClock)
}

// Meter counts the work of one verification.
type Meter struct {
	mu      sync.Mutex
	workers map[int]*worker // by thread, and by process with the sign turned
	spent   time.Duration   // seconds of the budget
	total   time.Duration   // processor time
	alarms  map[*alarm]struct{}
	over    bool          // the watcher ended: nothing is measured any more
	resting time.Time     // since when all wait for each other; zero: somebody works, or none is there
	rested  time.Duration // of that, what is spent
	stop    chan struct{}
}

// worker is a thread or process whose processor time counts.
type worker struct {
	clock int32 // of the system
	last  time.Duration
	depth int // of calls of Work
	idle  int // of calls of Idle
}

// alarm rings when the meter is at a number of seconds.
type alarm struct {
	at   time.Duration
	ring func()
}

// NewMeter returns a meter that begins at 0; stop ends it, and rings all its alarms.
func NewMeter() (m *Meter, stop func()) {
	m = &Meter{workers: map[int]*worker{}, alarms: map[*alarm]struct{}{}, stop: make(chan struct{})}
	go m.watch()
	return m, sync.OnceFunc(func() { close(m.stop) })
}

// watch advances the meter until it is stopped.
func (m *Meter) watch() {
	tick := time.NewTicker(policy.BudgetTick)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.advance(false)
		case <-m.stop:
			m.advance(true)
			return
		}
	}
}

// advance adds what was worked since the last time, and rings the alarms that are due: all of them, at the end.
func (m *Meter) advance(end bool) {
	m.mu.Lock()
	m.count()
	m.over = m.over || end
	var due []*alarm
	for a := range m.alarms {
		if m.over || a.at <= m.spent {
			due = append(due, a)
			delete(m.alarms, a)
		}
	}
	m.mu.Unlock()
	for _, a := range due {
		a.ring()
	}
}

// count adds what the workers did; m.mu is held. It comes before any change of who works, so that each stretch is
// divided by those that worked in it.
func (m *Meter) count() {
	var sum time.Duration
	busy := 0
	for _, w := range m.workers {
		if now := read(w.clock); now > w.last { // a process that is gone has no clock
			sum += now - w.last
			w.last = now
		}
		if w.idle == 0 {
			busy++
		}
	}
	m.total += sum
	m.spent += sum / time.Duration(max(1, min(busy, policy.Processors)))
	m.rests(busy == 0 && len(m.workers) > 0)
}

// rests has the clock count while all wait, but for the moments in which one hands over to the next: who waits for an
// alarm while nobody works would wait until the outer limit.
func (m *Meter) rests(all bool) {
	switch {
	case !all:
		m.resting, m.rested = time.Time{}, 0
	case m.resting.IsZero():
		m.resting = time.Now()
	default:
		if more := time.Since(m.resting) - policy.BudgetRest - m.rested; more > 0 {
			m.rested += more
			m.spent += more
		}
	}
}

// now returns the seconds of the budget that are spent.
func (m *Meter) now() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	return m.spent
}

// at has ring called once when d is spent; the function it returns takes that back, and reports whether it could.
func (m *Meter) at(d time.Duration, ring func()) (cancel func() bool) {
	a := &alarm{d, ring}
	m.mu.Lock()
	if m.count(); m.over || m.spent >= d {
		m.mu.Unlock()
		ring()
		return func() bool { return false }
	}
	m.alarms[a] = struct{}{}
	m.mu.Unlock()
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		_, pending := m.alarms[a]
		delete(m.alarms, a)
		return pending
	}
}
