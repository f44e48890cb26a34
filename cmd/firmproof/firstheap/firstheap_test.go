package firstheap

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

var kept []byte

// TestWait: nothing is collected while little is used, and all is as usual after the first cycle.
func TestWait(t *testing.T) {
	wait()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		kept = make([]byte, 100_000)
	}
	if runtime.ReadMemStats(&after); after.NumGC != before.NumGC {
		t.Errorf("%d cycles within 10 MB", after.NumGC-before.NumGC)
	}
	for range 1000 {
		kept = make([]byte, 100_000)
	}
	for range 1000 { // finalizers run on their own
		if debug.SetMemoryLimit(-1) == math.MaxInt64 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("the limit is still %d", limit)
	}
	if percent := debug.SetGCPercent(usual); percent != usual {
		t.Errorf("the heap grows by %d %%", percent)
	}
}
