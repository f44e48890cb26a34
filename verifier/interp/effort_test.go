package interp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// TestEffort: a run may access so many bytes for each of its steps, and no more.
func TestEffort(t *testing.T) {
	m := testprogram.Compile(t, `void *memset(void *, int, unsigned long); static char a[1 << 24];
int main(void) { for (int i = 0;; i++) memset(a, i, sizeof a); }`, "-O0")
	out, err := interp.Run(context.Background(), m, interp.Options{MaxSteps: 1000}, input.Zeros{})
	if err != nil || out.Kind != interp.StepLimit || !strings.Contains(out.Message, "bytes accessed") {
		t.Errorf("%v %v", out, err)
	}
	if out != nil && out.Executed > 200 {
		t.Errorf("%d instructions", out.Executed)
	}
}

// cancelling is a source that ends the run's context when it is asked for bytes.
type cancelling struct {
	input.Zeros
	cancel func()
}

func (c cancelling) Havoc(at *ir.Instr, n int64) (func(int64) byte, bool) {
	c.cancel()
	return c.Zeros.Havoc(at, n)
}

// TestCancelledInside: a run notices the end of its context within instructions that take long, too.
func TestCancelledInside(t *testing.T) {
	m := testprogram.Compile(t, `void *memset(void *, int, unsigned long); void __CPROVER_havoc_object(void *);
static char a[1 << 22]; int main(void) { __CPROVER_havoc_object(a); memset(a, 1, sizeof a); return 0; }`, "-O0")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out, err := interp.Run(ctx, m, interp.Options{}, cancelling{cancel: cancel})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v %v", out, err)
	}
}

// TestHugeObject: a trace of a block of any size is as cheap as of a small one.
func TestHugeObject(t *testing.T) {
	m := testprogram.Compile(t, `void *malloc(unsigned long); void free(void *);
int main(void) { char *p = malloc(1ul << 60); p[5] = 1; free(p); return p[5]; }`, "-O0")
	opts := interp.Options{Observe: []interp.Observe{trace.Steps(trace.Options{Relevant: true})}}
	opts.MallocNeverFails = true
	out, err := interp.Run(context.Background(), m, opts, input.Zeros{})
	if err != nil || out.Kind != interp.Violation || len(out.Steps) == 0 {
		t.Errorf("%v %v", out, err)
	}
}
