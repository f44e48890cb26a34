package budget

import (
	"context"
	"errors"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// burn takes so much processor time of the calling goroutine, which works on ctx, or less if ctx ends.
func burn(ctx context.Context, d time.Duration) (took time.Duration) {
	done := Work(ctx)
	defer func() { took = done() }()
	clock := threadClock(unix.Gettid())
	for began := read(clock); read(clock)-began < d && ctx.Err() == nil; {
		for n := range 10_000 {
			sink.Add(int64(n))
		}
	}
	return took
}

var sink atomic.Int64

// One engine ends with the processor time that it was given, and says that the time was over.
func TestOneEngine(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), 200*time.Millisecond, time.Hour)
	defer cancel()
	took := burn(ctx, time.Hour)
	if took < 200*time.Millisecond || took > 400*time.Millisecond {
		t.Errorf("%s of the processor for 200ms", took)
	}
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || ByClock(ctx) {
		t.Errorf("%v, by the clock: %t", ctx.Err(), ByClock(ctx))
	}
}

// Of three engines side by side, two processors' worth goes by in a second.
func TestEnginesSideBySide(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), 300*time.Millisecond, time.Hour)
	defer cancel()
	took := make(chan time.Duration)
	begin := make(chan bool)
	for range 3 {
		go func() {
			<-begin
			took <- burn(ctx, time.Hour)
		}()
	}
	close(begin)
	sum := <-took + <-took + <-took
	if sum < 450*time.Millisecond || sum > 900*time.Millisecond {
		t.Errorf("%s of processors for 300ms", sum)
	}
	if all := Processor(ctx); all < 450*time.Millisecond || all > 900*time.Millisecond {
		t.Errorf("%s were measured", all)
	}
}

// Who waits for another does not count as one at work.
func TestIdle(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), time.Hour, time.Hour)
	defer cancel()
	defer Work(ctx)()
	resume := Idle(ctx)
	before, done := Spent(ctx), make(chan bool)
	go func() {
		burn(ctx, 200*time.Millisecond)
		close(done)
	}()
	<-done
	resume()
	if spent := Spent(ctx) - before; spent < 200*time.Millisecond || spent > 300*time.Millisecond {
		t.Errorf("%s for 200ms of one engine", spent)
	}
}

// TestAllWait: who waits for an alarm while nobody works is woken.
func TestAllWait(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), time.Hour, time.Hour)
	defer cancel()
	defer Work(ctx)()
	defer Idle(ctx)()
	late, stop := After(ctx, time.Millisecond)
	defer stop()
	<-late
	if ctx.Err() != nil {
		t.Error(ctx.Err())
	}
}

// A process that an engine waits for counts.
func TestProcess(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), time.Hour, time.Hour)
	defer cancel()
	defer Work(ctx)()
	cmd := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := Process(ctx, cmd)
	err := cmd.Wait()
	done()
	want := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if got := Spent(ctx); err != nil || got < want/2 || got > 2*want+50*time.Millisecond {
		t.Errorf("%s for %s (%v)", got, want, err)
	}
}

// The clock ends what gets no processor, and that is told.
func TestClock(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), time.Hour, time.Millisecond)
	defer cancel()
	inner, end := Share(ctx, 50)
	defer end()
	below, stop := context.WithCancel(inner)
	defer stop()
	<-below.Done()
	for _, c := range []context.Context{ctx, inner, below} {
		if c.Err() != context.DeadlineExceeded || !ByClock(c) {
			t.Errorf("%v, by the clock: %t", c.Err(), ByClock(c))
		}
	}
}

// Slices end with the budget above them, hold their part, and end what hangs on them.
func TestSlices(t *testing.T) {
	ctx, cancel := WithClock(context.Background(), 100*time.Millisecond, time.Hour)
	defer cancel()
	part, end := Share(ctx, 50)
	defer end()
	if left, ok := Left(part); !ok || left > 50*time.Millisecond || left < 40*time.Millisecond {
		t.Errorf("half of 100ms is %s", left)
	}
	long, end := WithTimeout(ctx, time.Hour)
	defer end()
	below, stop := context.WithCancel(part)
	defer stop()
	late, free := After(ctx, 10*time.Millisecond)
	defer free()
	burn(below, time.Hour)
	<-late
	if below.Err() != context.DeadlineExceeded || part.Err() != context.DeadlineExceeded || ctx.Err() != nil {
		t.Errorf("after half: %v, %v, %v", below.Err(), part.Err(), ctx.Err())
	}
	burn(long, time.Hour)
	if long.Err() != context.DeadlineExceeded || ctx.Err() != context.DeadlineExceeded {
		t.Errorf("after all: %v, %v", long.Err(), ctx.Err())
	}
	late2, free2 := Longer(ctx, time.Millisecond)
	defer free2()
	burn(late2, time.Hour)
	if late2.Err() == nil {
		t.Error("the grace goes on")
	}
}

// Without a budget, and under one that its caller took back, nothing waits for ever.
func TestWithoutBudget(t *testing.T) {
	ctx, cancel := WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	over, stop := With(context.Background(), time.Hour)
	late, end := After(over, time.Minute)
	defer end()
	stop()
	<-late
	if over.Err() != context.Canceled {
		t.Errorf("%v", over.Err())
	}
	limited, free := Ensure(ctx)
	defer free()
	if left, ok := Left(limited); !ok || left != 0 || limited.Err() == nil {
		t.Errorf("%s are left of what is over", left)
	}
}
