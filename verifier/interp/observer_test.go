package interp_test

import (
	"context"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/interp/trace"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// counter counts what it is told.
type counter struct {
	interp.Silent
	x                           *interp.Machine
	calls, ends, before, after  int64
	writes, blocks, jumps, over int64
	deep                        bool
}

func (c *counter) Enter(fr *interp.Frame) {
	c.calls++
	c.deep = c.deep || c.x.Frame != fr
}

func (c *counter) Leave(fr *interp.Frame, _ interp.Value, _ bool) {
	c.ends++
	c.deep = c.deep || (c.x.Frame == fr) != (fr.Call == nil)
}

func (c *counter) Jump(*ir.Block)                  { c.jumps++ }
func (c *counter) Begin(*interp.Frame)             { c.blocks++ }
func (c *counter) Before(*interp.Frame, *ir.Instr) { c.before++ }
func (c *counter) After(*interp.Frame, *ir.Instr)  { c.after++ }
func (c *counter) End(*interp.Outcome)             { c.over++ }

func (c *counter) Access(_ *interp.Object, _, _ int64, write bool) {
	if write {
		c.writes++
	}
}

// TestObserver: each of several observers is told each step of a run, in pairs.
func TestObserver(t *testing.T) {
	m := testprogram.Compile(t, `int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += f(i); return s; }`, "-O0")
	var a, b counter
	observe := func(c *counter) interp.Observe {
		return func(x *interp.Machine) interp.Observer { c.x = x; return c }
	}
	out, err := interp.Run(context.Background(), m, interp.Options{Observe: []interp.Observe{observe(&a), observe(&b)}},
		input.Zeros{})
	if err != nil || out.Kind != interp.Returned {
		t.Fatal(out, err)
	}
	stores, phis, jumps := int64(0), int64(0), int64(0)
	for block, n := range out.Visits {
		for _, in := range block.Instrs {
			switch in.Op {
			case ir.OpStore:
				stores += n
			case ir.OpPhi:
				phis += n
			}
		}
		if block.Index > 0 {
			jumps += n
		}
	}
	want := counter{calls: 20, ends: 20, before: out.Executed - phis, after: out.Executed - phis, writes: stores,
		blocks: jumps, jumps: jumps, over: 1}
	for _, got := range []counter{a, b} {
		if got.x = nil; got != want {
			t.Errorf("told %+v, want %+v", got, want)
		}
	}
}

// TestUndefined: of variables that are defined nowhere, a trace says which the failure depends on, and a run without one
// which it looked at.
func TestUndefined(t *testing.T) {
	m := testprogram.Compile(t, `extern int at, other, unread; int buf[4];
int main(void) { int n = other; buf[n & 1] = n; buf[4 + (at & 1)] = 1; return n; }`, "-O0")
	names := []string{"at", "other", "unread"}
	for _, c := range []struct {
		observe interp.Observe
		want    []string
	}{
		{trace.Steps(trace.Options{Undefined: names}), []string{"at"}},
		{trace.Undefined(names), []string{"at", "other"}},
		{trace.Undefined(names[1:]), []string{"other"}},
	} {
		out, err := interp.Run(context.Background(), m, interp.Options{Observe: []interp.Observe{c.observe}}, input.Zeros{})
		if err != nil || out.Kind != interp.Violation || !slices.Equal(out.Undefined, c.want) {
			t.Errorf("%v %v: %v, want %v", out, err, out.Undefined, c.want)
		}
	}
}
