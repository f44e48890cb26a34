package verifier

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// unboundedLane is the unbounded lane beside the bounded one, which may use all
// the time there is: in a goroutine of its own, with a result of its own. Where
// stages are dumped it runs afterwards, so that they come in a fixed order. A nil
// lane does nothing.
type unboundedLane struct {
	u       *unbounded
	ctx     context.Context
	cancel  context.CancelFunc
	into    *verdict.Result
	bounded chan struct{} // closed when the bounded lane's result is there
	done    chan struct{} // nil: runs at the end
	fault   any           // what the lane panicked with
}

// startUnbounded begins the unbounded lane, if one of its checks is asked for.
func startUnbounded(ctx context.Context, m *ir.Module, entry *ir.Func, plan Plan, into *verdict.Result) *unboundedLane {
	if !plan.Checks.Has(verdict.Termination) && !plan.Checks.Has(verdict.ComplexityBound) {
		return nil
	}
	l := &unboundedLane{into: into, bounded: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.u = &unbounded{m: m, entry: entry, plan: plan, res: &verdict.Result{}, others: l.others}
	if !needsBounded(plan.Checks) || len(plan.Dumps) > 0 {
		return l
	}
	l.done = make(chan struct{})
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				l.fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		l.u.run(l.ctx)
	}()
	return l
}

// others waits for the bounded lane's result; nil when time is up before.
func (l *unboundedLane) others() *verdict.Result {
	select {
	case <-l.bounded:
		return l.into
	case <-l.ctx.Done():
		return nil
	}
}

// finish tells the lane that the bounded one's result is there, waits for it, and
// takes over what it found.
func (l *unboundedLane) finish() {
	if l == nil {
		return
	}
	close(l.bounded)
	if l.done == nil {
		l.u.run(l.ctx)
	} else if <-l.done; l.fault != nil {
		panic(l.fault)
	}
	got := l.u.res
	l.into.Claims = append(l.into.Claims, got.Claims...)
	l.into.Assumptions = append(l.into.Assumptions, got.Assumptions...)
	l.into.Stages = append(l.into.Stages, got.Stages...)
	l.into.Complexity = got.Complexity
}

// stop ends the lane, also where the bounded one panicked.
func (l *unboundedLane) stop() {
	if l == nil {
		return
	}
	l.cancel()
	if l.done != nil {
		<-l.done
	}
}
