package main

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Programs about what a machine and its surroundings mean, beside arithmetic: ABI and library, interrupts, memory map and
// volatile, contracts. The right answer of each is known: machines computed it, or all cases were enumerated.
//
//	FIRMPROOF_ATTRIBUTES=10m FIRMPROOF_SEED=1 go test ./cmd/firmproof -run TestAttributes -v

// attributes counts answers.
type attributes struct {
	r                      *rand.Rand
	proved, violated, open int
}

func newCGenerator(seed int64) *cGenerator { return &cGenerator{r: rand.New(rand.NewSource(seed))} }

// answer compares an answer with the right one.
func (a *attributes) answer(t *testing.T, name string, want, got verdict.Status) {
	t.Helper()
	switch {
	case got == want && want == verdict.Proved:
		a.proved++
	case got == want:
		a.violated++
	case got == verdict.Proved || got == verdict.Violated:
		t.Errorf("%s: %s, want %s", name, got, want)
	default:
		if os.Getenv("FIRMPROOF_ATTRIBUTES") != "" {
			t.Logf("open: %s: %s, want %s", name, got, want)
		}
		a.open++
	}
}

// TestAttributes runs seeds until the time of FIRMPROOF_ATTRIBUTES is up for each kind of program, a few if it is not
// set.
func TestAttributes(t *testing.T) {
	seed, err := int64(1), error(nil)
	if s := os.Getenv("FIRMPROOF_SEED"); s != "" {
		if seed, err = strconv.ParseInt(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	kinds := []struct {
		name   string
		sample int64 // seeds that every run of the tests takes
		one    func(*attributes, *testing.T, int64)
	}{
		{"machine", 1, (*attributes).onMachines},
		{"interrupts", 2, (*attributes).interrupts},
		{"memory", 2, (*attributes).memoryMap},
		{"contracts", 1, (*attributes).contracts},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			last, until := seed+k.sample, time.Time{}
			if s := os.Getenv("FIRMPROOF_ATTRIBUTES"); s != "" {
				d, err := time.ParseDuration(s)
				if err != nil {
					t.Fatal(err)
				}
				last, until = seed+1<<40, time.Now().Add(d)
			}
			a, n := &attributes{}, 0
			for i := seed; i < last && (until.IsZero() || time.Now().Before(until)); i++ {
				a.r = rand.New(rand.NewSource(i))
				k.one(a, t, i)
				n++
			}
			t.Logf("%d programs; answers: %d proved, %d violated, %d open", n, a.proved, a.violated, a.open)
			if a.proved == 0 || a.violated == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}
