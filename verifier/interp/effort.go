package interp

import (
	"context"
	"fmt"

	"github.com/firmproof/firmproof/verifier/policy"
)

// effort bounds what single instructions do: a copy may take as long as millions of additions.
type effort struct {
	ctx    context.Context
	bytes  int64 // accessed so far
	most   int64
	polled int64 // bytes when ctx was last looked at
}

// stopped is what an instruction panics with whose run is over: by its context, or where Outcome says.
type stopped struct{}

func newEffort(ctx context.Context, steps int64) effort {
	return effort{ctx: ctx, most: policy.AccessBytes + min(steps, 1<<40)*policy.BytesPerStep}
}

// spend counts n bytes about to be accessed, and stops the run where they are too many.
func (x *Machine) spend(n int64) {
	if n < 0 || n > x.effort.most-x.effort.bytes {
		x.EndRun(StepLimit, "", fmt.Sprintf("more than %d bytes accessed", x.effort.most))
		panic(stopped{})
	}
	if x.effort.bytes += n; x.effort.bytes-x.effort.polled > policy.PollBytes {
		x.effort.polled = x.effort.bytes
		if x.effort.ctx.Err() != nil {
			panic(stopped{})
		}
	}
}

// elements counts the n elements of an aggregate about to be made.
func (x *Machine) elements(n int) []Value {
	x.spend(int64(n) * policy.ElementBytes)
	return make([]Value, n)
}

// endStopped recovers from stopped.
func endStopped() {
	if r := recover(); r != nil {
		if _, ok := r.(stopped); !ok {
			panic(r)
		}
	}
}
