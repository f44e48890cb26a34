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

// firstRound is how long the first round runs before the proof begins beside it.
const firstRound = 2 * time.Second

// lane is the search for an inductive proof, in a goroutine of its own with a
// result of its own. A nil lane does nothing.
type lane struct {
	b      *bounded
	start  func()
	cancel context.CancelFunc
	done   chan struct{}
	into   *verdict.Result

	mu  sync.Mutex
	out *proofs
}

// startLane makes the lane, which begins when it is told to, or when the first
// round takes long. It calls end when all claims are proved.
func (b *bounded) startLane(ctx context.Context, end func()) *lane {
	if !b.free() {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	begun := make(chan struct{})
	l := &lane{cancel: cancel, done: make(chan struct{}), into: b.res, start: sync.OnceFunc(func() { close(begun) })}
	l.b = &bounded{m: b.m, entry: b.entry, plan: b.plan, res: &verdict.Result{}, started: b.started, cutAll: b.cutAll}
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				slog.Error("verifier panic", "lane", "induction", "panic", fmt.Sprint(p), "stack",
					string(debug.Stack()))
			}
		}()
		select {
		case <-begun:
		case <-time.After(firstRound):
		case <-ctx.Done():
			return
		}
		out := l.b.induct(ctx)
		l.mu.Lock()
		l.out = out
		l.mu.Unlock()
		if out.all() {
			end()
		}
	}()
	return l
}

// begin lets the lane begin.
func (l *lane) begin() {
	if l != nil {
		l.start()
	}
}

// result is what is proved so far, or nil.
func (l *lane) result() *proofs {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out
}

// finish waits for the lane's end, which comes at once when nothing is open.
func (l *lane) finish(open bool) *proofs {
	if l == nil {
		return nil
	}
	if !open {
		l.cancel()
	}
	<-l.done
	l.cancel()
	for _, s := range l.b.res.Stages {
		addStage(l.into, s)
	}
	return l.result()
}
