package solve

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/firmproof/firmproof/verifier/solve/bitblast"
	"github.com/firmproof/firmproof/verifier/solve/smtlib"
)

// watched returns a context that also ends, with ErrMemory, when the ceiling of memory is passed.
func (o *Own) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if o.opts.Memory > 0 {
		if smtlib.Resident("self") > o.opts.Memory {
			cancel(ErrMemory)
		}
		go smtlib.WatchMemory(ctx, "self", o.opts.Memory, func() { cancel(ErrMemory) })
	}
	return ctx, func() { cancel(nil) }
}

// polled runs work on the blaster until ctx ends, and adds what it took to seconds. The error says why it was stopped.
func (o *Own) polled(ctx context.Context, seconds *float64, work func()) (err error) {
	if ctx.Err() != nil {
		return reason(ctx)
	}
	start := time.Now()
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	defer func() {
		*seconds += time.Since(start).Seconds()
		o.b.Poll(nil)
		if r := recover(); r != nil {
			if _, ok := r.(bitblast.Stopped); !ok {
				panic(r)
			}
			if err = ErrMemory; ctx.Err() != nil { // else more gates than can be numbered
				err = reason(ctx)
			}
		}
	}()
	o.b.Poll(&stop)
	work()
	return nil
}
