package seg

import (
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// Concrete runs of generated programs stay inside the graph and its system, step by step. As in make soundness,
// FIRMPROOF_SOUNDNESS is how long to go on, and FIRMPROOF_SEED the first seed.
func TestRunsStayInGraph(t *testing.T) {
	staysIn(t, 12, func(r *rand.Rand) string { return (&writer{r: r}).program() })
}

// TestBytesStayInGraph: the same of programs over single bytes, whose memory is looked at byte by byte.
func TestBytesStayInGraph(t *testing.T) {
	staysIn(t, 24, func(r *rand.Rand) string { return (&byteWriter{r: r}).program() })
}

// staysIn holds runs of generated programs to their graphs.
func staysIn(t *testing.T, count int, program func(r *rand.Rand) string) {
	seed, until := int64(1), time.Time{}
	if d, err := time.ParseDuration(os.Getenv("FIRMPROOF_SOUNDNESS")); err == nil {
		count, until = 1<<30, time.Now().Add(d)
	}
	if n, err := strconv.ParseInt(os.Getenv("FIRMPROOF_SEED"), 10, 64); err == nil {
		seed = n
	}
	graphs, steps := 0, 0
	for n := int64(0); n < int64(count) && (until.IsZero() || time.Now().Before(until)); n++ {
		src := program(rand.New(rand.NewSource(seed + n)))
		s, ok := runsStay(t, src, seed+n, 3*time.Second)
		steps += s
		if ok {
			graphs++
		}
	}
	t.Logf("%d graphs, %d steps", graphs, steps)
	if graphs < 4 || steps < 100 {
		t.Errorf("only %d graphs and %d steps", graphs, steps)
	}
}

// runsStay holds ten runs of a program to its graph; false if that is not complete in time.
func runsStay(t *testing.T, src string, seed int64, limit time.Duration) (int, bool) {
	t.Helper()
	ctx, cancel := testprogram.Limit(limit)
	defer cancel()
	g, err := Build(ctx, compileAt(t, src, []string{"-O0", "-O1"}[seed&1]),
		Options{Wrap: true, Semantics: ir.Semantics{MallocNeverFails: true}})
	if err != nil || !g.Complete {
		return 0, false
	}
	sys, legend, err := g.System(SystemOptions{})
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for run := int64(0); run < 10; run++ {
		n, err := g.follow(sys, legend, seed*100+run)
		steps += n
		if err != nil {
			t.Errorf("seed %d, run %d: %v\n%s", seed, run, err, src)
			break
		}
	}
	return steps, true
}

// Runs do not stay in a graph with an edge less, or with a state that knows too much.
func TestRunsLeaveWrongGraph(t *testing.T) {
	src := (&writer{r: rand.New(rand.NewSource(3))}).program()
	g := graphOf(t, src)
	sys, legend, err := g.System(SystemOptions{})
	if err != nil {
		t.Fatal(err)
	}
	leaves := func() bool {
		for seed := int64(0); seed < 12; seed++ {
			if _, err := g.follow(sys, legend, seed); err != nil {
				return true
			}
		}
		return false
	}
	if leaves() {
		t.Fatal("a run leaves the graph as it is")
	}
	noticed, tried := 0, 0
	for _, c := range g.cuts {
		all := c.edges
		for n, e := range all {
			if e.to == nil {
				continue
			}
			c.edges = append(append([]*edge(nil), all[:n]...), all[n+1:]...)
			if tried++; leaves() {
				noticed++
			}
		}
		c.edges = all
		know := c.st.know
		for _, sl := range c.slots {
			if i := know.interval(exact.V(sl.v)); i.hasHi && !i.constant() {
				c.st.know = know.clone()
				c.st.know.lower(sl.v, i.hi)
				if tried++; leaves() {
					noticed++
				}
			}
		}
		c.st.know = know
	}
	if tried < 20 || noticed < tried/2 {
		t.Errorf("%d of %d wrong graphs are noticed", noticed, tried)
	}
	t.Logf("%d of %d wrong graphs are noticed", noticed, tried)
}
