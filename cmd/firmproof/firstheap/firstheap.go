// Package firstheap keeps the garbage collector away from programs that end before they use much memory: its first
// cycles, at four megabytes and little more, cost more than a small verification. It acts when it is initialised, so
// that what other packages allocate then counts.
package firstheap

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// size is the memory of the process, in bytes, at which collection begins.
const size = 48 << 20

// usual is the growth of the heap, in percent, between two cycles from then on: Go's own default.
const usual = 100

// sentinel is never used: the first cycle finds it.
type sentinel struct{ _ [16]byte }

func init() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		wait()
	}
}

// wait puts the first cycle off until the process has the given size. That cycle brings back what is usual.
func wait() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(size)
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) {
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
