package budget

import (
	"context"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/policy"
)

type key struct{}

// scope is the budget that a context is under.
type scope struct {
	meter *Meter
	end   time.Duration // on the meter
	ends  bool
}

func scopeOf(ctx context.Context) scope {
	s, _ := ctx.Value(key{}).(scope)
	return s
}

func meterOf(ctx context.Context) *Meter { return scopeOf(ctx).meter }

// With returns a context with a budget of so many seconds, which the clock ends after policy.ClockFactor times as many.
func With(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return WithClock(ctx, limit, limit*policy.ClockFactor)
}

// WithClock is With where the clock has a limit of its own.
func WithClock(ctx context.Context, limit, clock time.Duration) (context.Context, context.CancelFunc) {
	outer, end := context.WithTimeoutCause(ctx, clock, ErrClock)
	m, stop := NewMeter()
	part, cancel := newSlice(outer, m, limit)
	return part, func() { cancel(); end(); stop() }
}

// Ensure returns ctx if it has a budget, else one with a meter and, as budget, what the clock leaves.
func Ensure(ctx context.Context) (context.Context, context.CancelFunc) {
	if meterOf(ctx) != nil {
		return ctx, func() {}
	}
	m, stop := NewMeter()
	end, limited := ctx.Deadline()
	if !limited {
		return context.WithValue(ctx, key{}, scope{meter: m}), stop
	}
	part, cancel := newSlice(ctx, m, max(0, time.Until(end)))
	return part, func() { cancel(); stop() }
}

// WithTimeout returns a context that ends when so much more of the budget is spent.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	s := scopeOf(ctx)
	if s.meter == nil {
		return context.WithTimeout(ctx, d)
	}
	return newSlice(ctx, s.meter, d)
}

// Share returns a context with a part of the budget that ctx has left.
func Share(ctx context.Context, percent int) (context.Context, context.CancelFunc) {
	left, limited := Left(ctx)
	if !limited {
		return WithTimeout(ctx, policy.NoDeadline)
	}
	return WithTimeout(ctx, left*time.Duration(percent)/100)
}

// Left returns what ctx has left of its budget; false if there is no limit.
func Left(ctx context.Context) (time.Duration, bool) {
	if s := scopeOf(ctx); s.meter != nil && s.ends {
		return max(0, s.end-s.meter.now()), true
	}
	end, limited := ctx.Deadline()
	return max(0, time.Until(end)), limited
}

// After returns a channel that is closed when so much more of the budget is spent, or ctx ends; stop frees it.
func After(ctx context.Context, d time.Duration) (late <-chan struct{}, stop func()) {
	part, cancel := WithTimeout(ctx, d)
	return part.Done(), cancel
}

// Longer returns a context that ends when so much more of the budget is spent after ctx ended, or, where nothing works
// any more, policy.GraceFactor times as long by the clock.
func Longer(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		m := meterOf(ctx)
		if m == nil {
			time.AfterFunc(by, cancel)
			return
		}
		m.at(m.now()+by, cancel)
		time.AfterFunc(by*policy.GraceFactor, cancel)
	})
	return late, func() { stop(); cancel() }
}

// slice is a context that ends when the meter is at a number of seconds. Its error is then context.DeadlineExceeded.
type slice struct {
	parent context.Context
	scope  scope
	done   chan struct{}

	mu    sync.Mutex
	err   error
	next  int
	after map[int]func()
}

func newSlice(ctx context.Context, m *Meter, d time.Duration) (context.Context, context.CancelFunc) {
	s := &slice{parent: ctx, scope: scope{m, m.now() + d, true}, done: make(chan struct{}), after: map[int]func(){}}
	if outer := scopeOf(ctx); outer.meter == m && outer.ends {
		s.scope.end = min(s.scope.end, outer.end)
	}
	unring := m.at(s.scope.end, func() { s.finish(context.DeadlineExceeded) })
	unhook := context.AfterFunc(ctx, func() { s.finish(ctx.Err()) })
	if ctx.Err() != nil {
		s.finish(ctx.Err())
	}
	return s, func() { unring(); unhook(); s.finish(context.Canceled) }
}

// finish ends the context, the first time.
func (s *slice) finish(err error) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return
	}
	s.err = err
	close(s.done)
	after := s.after
	s.after = nil
	s.mu.Unlock()
	for _, f := range after {
		f()
	}
}

// Deadline implements context.Context: the one of the clock.
func (s *slice) Deadline() (time.Time, bool) { return s.parent.Deadline() }

// Done implements context.Context.
func (s *slice) Done() <-chan struct{} { return s.done }

// Err implements context.Context.
func (s *slice) Err() error {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err = s.parent.Err(); err != nil { // it ended just now
		s.finish(err)
	}
	return err
}

// Value implements context.Context.
func (s *slice) Value(k any) any {
	if k == (key{}) {
		return s.scope
	}
	return s.parent.Value(k)
}

// AfterFunc lets package context hang contexts on this one without a goroutine for each.
func (s *slice) AfterFunc(f func()) (stop func() bool) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		go f() // package context holds a lock that f takes
		return func() bool { return false }
	}
	n := s.next
	s.next++
	s.after[n] = f
	s.mu.Unlock()
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, pending := s.after[n]
		delete(s.after, n)
		return pending
	}
}
