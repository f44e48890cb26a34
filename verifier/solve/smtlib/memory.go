package smtlib

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Resident returns the resident memory in bytes of a process, by its number or "self"; 0 where the system does not tell.
func Resident(process string) uint64 {
	text, err := os.ReadFile("/proc/" + process + "/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// WatchMemory calls passed once when a process passes the ceiling in bytes; it returns then, or when ctx ends.
func WatchMemory(ctx context.Context, process string, ceiling uint64, passed func()) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if Resident(process) > ceiling {
				passed()
				return
			}
		}
	}
}
