package solve

import (
	"context"
	"fmt"
	"os"
	"time"
)

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
