package budget

import (
	"context"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// The system's clocks of processor time: of a thread, or all threads of a process (clock_gettime(2), CPUCLOCK_SCHED).
func threadClock(thread int) int32   { return int32(^thread<<3 | 6) }
func processClock(process int) int32 { return int32(^process<<3 | 2) }

// read returns what a clock of processor time says; 0 where it is gone.
func read(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// Work has the processor time of the calling goroutine count until it calls done, which returns that time. Until then
// it keeps its thread. Without a budget, only the time is taken.
func Work(ctx context.Context) (done func() time.Duration) {
	runtime.LockOSThread()
	thread := unix.Gettid()
	clock := threadClock(thread)
	began := read(clock)
	m := meterOf(ctx)
	if m != nil {
		m.join(thread, clock)
	}
	return func() time.Duration {
		if m != nil {
			m.leave(thread, 0)
		}
		took := read(clock) - began
		runtime.UnlockOSThread()
		return took
	}
}

// Idle says that the calling goroutine waits for others until it calls resume.
func Idle(ctx context.Context) (resume func()) {
	m := meterOf(ctx)
	if m == nil {
		return func() {}
	}
	thread := unix.Gettid()
	m.rest(thread, 1)
	return func() { m.rest(thread, -1) }
}

// Process has a process count that was started for the caller, who waits for it; done takes what it spent.
func Process(ctx context.Context, cmd *exec.Cmd) (done func()) {
	m := meterOf(ctx)
	if m == nil {
		return func() {}
	}
	pid := cmd.Process.Pid
	resume := Idle(ctx)
	m.join(-pid, processClock(pid))
	return func() {
		var took time.Duration
		if s := cmd.ProcessState; s != nil {
			took = s.UserTime() + s.SystemTime()
		}
		m.leave(-pid, took)
		resume()
	}
}

// Spent returns the seconds of the budget of ctx that are spent, or those of the clock since the program began.
func Spent(ctx context.Context) time.Duration {
	if m := meterOf(ctx); m != nil {
		return m.now()
	}
	return time.Since(start)
}

var start = time.Now()

// Processor returns the processor time that was spent on the budget of ctx.
func Processor(ctx context.Context) time.Duration {
	m := meterOf(ctx)
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	return m.total
}

// join adds a worker, or a call of one that is there.
func (m *Meter) join(id int, clock int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	w := m.workers[id]
	if w == nil {
		w = &worker{clock: clock, last: read(clock)}
		m.workers[id] = w
	}
	w.depth++
}

// leave takes back a call of join; total is what the worker is known to have spent in all.
func (m *Meter) leave(id int, total time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	w := m.workers[id]
	if w == nil {
		return
	}
	if rest := total - w.last; rest > 0 {
		m.total += rest
		m.spent += rest
	}
	if w.depth--; w.depth == 0 {
		delete(m.workers, id)
	}
}

// rest changes how often a worker waits.
func (m *Meter) rest(id, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	if w := m.workers[id]; w != nil {
		w.idle += by
	}
}
