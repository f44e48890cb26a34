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

const (
	pollBytes    = 1 << 20 // after which the context is looked at
	elementBytes = 16      // that an element of an aggregate counts for
)

// stopped is what an instruction panics with whose run is over: by its context, or where Outcome says.
type stopped struct{}

func newEffort(ctx context.Context, steps int64) effort {
	return effort{ctx: ctx, most: maxAccess + min(steps, 1<<40)*policy.BytesPerStep}
}

// spend counts n bytes about to be accessed, and stops the run where they are too many.
func (x *machine) spend(n int64) {
	if n < 0 || n > x.effort.most-x.effort.bytes {
		x.end(StepLimit, "", fmt.Sprintf("more than %d bytes accessed", x.effort.most))
		panic(stopped{})
	}
	if x.effort.bytes += n; x.effort.bytes-x.effort.polled > pollBytes {
		x.effort.polled = x.effort.bytes
		if x.effort.ctx.Err() != nil {
			panic(stopped{})
		}
	}
}

// elements counts the n elements of an aggregate about to be made.
func (x *machine) elements(n int) []value {
	x.spend(int64(n) * elementBytes)
	return make([]value, n)
}

// endStopped recovers from stopped.
func endStopped() {
	if r := recover(); r != nil {
		if _, ok := r.(stopped); !ok {
			panic(r)
		}
	}
}

// span calls f with each page of [off, off+n), which must be inside the object, and the part of it that lies there.
func (o *object) span(off, n int64, f func(p *page, from, to int64, at int64)) {
	for end := off + n; off < end; {
		p, i := o.page(off)
		to := min(int64(len(p.data)), i+end-off)
		f(p, i, to, off)
		off += to - i
	}
}

// setBytes writes n bytes: the i-th is what bytes says.
func (o *object) setBytes(off, n int64, bytes func(i int64) byte) {
	o.span(off, n, func(p *page, from, to, at int64) {
		for i := from; i < to; i++ {
			p.data[i], p.undef[i] = bytes(at-off+i-from), 0
		}
	})
}
