package verifier

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// bitsAfter is how long the symbolic execution graph and its proof run before the
// bit-precise search begins beside them.
const bitsAfter = 2 * time.Second

// bitLane is the bit-precise search for an answer about termination, in a
// goroutine of its own with a result of its own.
type bitLane struct {
	u      *unbounded
	start  func()
	cancel context.CancelFunc
	done   chan struct{}
	claim  verdict.Claim
	found  bool
}

// startBits makes the lane, which begins when it is told to, or when the graph
// takes long. It calls end when it has an answer.
func (u *unbounded) startBits(ctx context.Context, end func()) *bitLane {
	ctx, cancel := context.WithCancel(ctx)
	begun := make(chan struct{})
	own := *u
	own.res = &verdict.Result{}
	l := &bitLane{u: &own, cancel: cancel, done: make(chan struct{}), start: sync.OnceFunc(func() { close(begun) })}
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				slog.Error("verifier panic", "lane", "bits", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
		}()
		var late <-chan time.Time
		if len(own.plan.Dumps) == 0 { // what is dumped must not depend on who is first
			late = time.After(bitsAfter)
		}
		select {
		case <-begun:
		case <-late:
		case <-ctx.Done():
			return
		}
		if l.claim, l.found = l.u.bits(ctx); l.found {
			end()
		}
	}()
	return l
}

// bits tries the ways that look at bits, the cheap ones first.
func (u *unbounded) bits(ctx context.Context) (verdict.Claim, bool) {
	for _, way := range []struct {
		name string
		most time.Duration // what helps at all does so early
		try  func(context.Context) (verdict.Claim, bool)
	}{{"long runs", 4 * time.Second, u.lassoFromUnwinding}, {"recurrent bits", 6 * time.Second, u.recurrentBits},
		{"ranked bits", 10 * time.Second, u.byBits}} {
		part, cancel := context.WithTimeout(ctx, way.most)
		c, ok := u.stage(way.name, func() (verdict.Claim, bool) { return way.try(part) })
		cancel()
		if ok {
			return c, true
		}
	}
	return verdict.Claim{}, false
}

// finish waits for the lane's answer if it is needed, else ends it.
func (l *bitLane) finish(needed bool, into *verdict.Result) (verdict.Claim, bool) {
	if needed {
		l.start()
	} else {
		l.cancel()
	}
	<-l.done
	l.cancel()
	into.Stages = append(into.Stages, l.u.res.Stages...)
	if !needed || !l.found {
		return verdict.Claim{}, false
	}
	into.Assumptions = append(into.Assumptions, l.u.res.Assumptions...)
	return l.claim, true
}
