package solve

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// TestInterrupted: a circuit of many gates is left when the context ends, and the solver is as good as before.
func TestInterrupted(t *testing.T) {
	s := ilr.NewStore(nil)
	const w = 4096
	x, y := s.Var("x", ilr.BV(w)), s.Var("y", ilr.BV(w))
	small := s.Var("small", ilr.BV(8))
	o := NewOwn(s, Options{})
	defer o.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	a, err := o.Check(ctx, s.Ult(s.Udiv(x, y), s.Const(bits.New(w, 77))))
	if a != Unknown || !errors.Is(err, ErrTimeout) {
		t.Fatalf("%s %v", a, err)
	}
	if n := o.Stats().Gates; n > w*w {
		t.Errorf("%d gates of a division that was left", n)
	}
	a, err = o.Check(context.Background(), s.Eq(s.Mul(small, s.Int(8, 3)), s.Int(8, 21)))
	if a != Sat || err != nil || o.Model().BV[small] != bits.New(8, 7) {
		t.Errorf("%s %v %v", a, err, o.Model().BV[small])
	}
}
