package linear

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
)

// TestZ3Signals: SIGINT comes to this process while checks run side by side, and after them.
func TestZ3Signals(t *testing.T) {
	pressed := make(chan os.Signal, 1)
	signal.Notify(pressed, os.Interrupt)
	defer signal.Stop(pressed)
	cube := func(v exact.Var) exact.Poly {
		p := exact.PolyOf(exact.V(v))
		return p.Mul(p).Mul(p)
	}
	hard := []PolyRow{{Poly: cube(0).Add(cube(1)).Add(cube(2)).Sub(exact.PolyOf(exact.C(114))), EQ: true}}
	var checks sync.WaitGroup
	for n := range 4 {
		checks.Go(func() {
			z := NewZ3(20 + 7*n)
			defer z.Close()
			for range 4 {
				z.Sat(hard, nil)
			}
		})
	}
	over := make(chan struct{})
	go func() { checks.Wait(); close(over) }()
	press := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		select {
		case <-pressed:
		case <-time.After(20 * time.Minute):
			t.Fatal("SIGINT did not come")
		}
	}
	for running := true; running; {
		press()
		select {
		case <-over:
			running = false
		case <-time.After(5 * time.Millisecond):
		}
	}
	press()
}
