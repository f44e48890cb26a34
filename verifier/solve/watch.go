package solve

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/firmproof/firmproof/verifier/solve/bitblast"
)

// watched returns a context that also ends, with ErrMemory, when the ceiling of memory is passed.
func (o *Own) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	if o.opts.Memory > 0 {
		if resident() > o.opts.Memory {
			cancel(ErrMemory)
		}
		go watchMemory(ctx, o.opts.Memory, cancel)
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

// resident returns the resident memory of this process in bytes, 0 where the system
// does not tell.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// watchMemory cancels with ErrMemory when the ceiling is passed, until ctx ends.
func watchMemory(ctx context.Context, ceiling uint64, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if resident() > ceiling {
				cancel(ErrMemory)
				return
			}
		}
	}
}
