package replay

import (
	"context"
	"maps"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Driven is a call of the program by an entry that nobody wrote.
type Driven struct {
	Func   *ir.Func
	Args   []interp.Value
	Extra  int             // arguments without a name
	Memory []Memory        // what the entry made or wrote since the call before
	Inputs []verdict.Input // that the program asks for in the call
}

// Memory tells what an object holds when a call begins.
type Memory struct {
	Object   *interp.Object
	New      bool // the entry allocates it
	Bytes    []byte
	Pointers map[int64]interp.Value // by offset
}

// DrivenBy executes p for at most so many instructions on inputs as a report shows them, and returns the calls that its
// entry makes.
func DrivenBy(ctx context.Context, p *problem.Problem, list []verdict.Input, steps int64) ([]Driven, *interp.Outcome, error) {
	d := &driver{rec: &input.Recorder{Source: FromReport(list)}, dirty: map[*interp.Object]bool{}}
	o := p.Execution(steps)
	o.Observe = append([]interp.Observe{func(*interp.Machine) interp.Observer { return d }}, o.Observe...)
	o.EveryTurn = true
	out, err := interp.Run(ctx, p.Module, o, d.rec)
	if n := len(d.calls); n > 0 && d.depth > 0 { // the run ends in it
		d.calls[n-1].Inputs = Shown(d.rec.Inputs[d.from:])
	}
	return d.calls, out, err
}

// driver is the observer of such a run.
type driver struct {
	interp.Silent
	rec   *input.Recorder
	calls []Driven
	depth int // of calls of the program that run
	from  int // inputs that were asked for before the outermost one
	made  []*interp.Object
	dirty map[*interp.Object]bool // that the entry wrote since the call before
	order []*interp.Object        // of them
}

func entrys(f *ir.Func) bool { return f.Made || f.Driven() }

// Enter implements interp.Observer.
func (d *driver) Enter(fr *interp.Frame) {
	switch {
	case d.depth > 0:
		d.depth++
	case fr.Call != nil && !entrys(fr.Func):
		d.depth, d.from = 1, len(d.rec.Inputs)
		c := Driven{Func: fr.Func, Args: fr.Params, Extra: len(fr.Extra)}
		for _, o := range d.made {
			c.Memory = append(c.Memory, memoryOf(o, true))
			delete(d.dirty, o)
		}
		for _, o := range d.order {
			if d.dirty[o] {
				c.Memory = append(c.Memory, memoryOf(o, false))
			}
		}
		d.made, d.order = nil, nil
		clear(d.dirty)
		d.calls = append(d.calls, c)
	}
}

// Leave implements interp.Observer.
func (d *driver) Leave(*interp.Frame, interp.Value, bool) {
	if d.depth == 0 {
		return
	}
	if d.depth--; d.depth == 0 {
		d.calls[len(d.calls)-1].Inputs = Shown(d.rec.Inputs[d.from:])
	}
}

// Alloc implements interp.Observer.
func (d *driver) Alloc(_ *ir.Instr, o *interp.Object, _ uint64) {
	if d.depth == 0 && o != nil {
		d.made = append(d.made, o)
	}
}

// Store implements interp.Observer.
func (d *driver) Store(_ *ir.Instr, o *interp.Object, _ int64) { d.wrote(o) }

// Fill implements interp.Observer.
func (d *driver) Fill(_ *ir.Instr, o *interp.Object, _, _ int64) { d.wrote(o) }

func (d *driver) wrote(o *interp.Object) {
	if d.depth == 0 && !d.dirty[o] && (o.Kind == interp.HeapObject || o.Kind == interp.GlobalObject && !ownGlobal(o.Global)) {
		d.dirty[o] = true
		d.order = append(d.order, o)
	}
}

// ownGlobal reports a variable of an entry.
func ownGlobal(g *ir.Global) bool { return g == nil || g.Var == nil }

func memoryOf(o *interp.Object, made bool) Memory {
	m := Memory{Object: o, New: made, Bytes: make([]byte, o.Size), Pointers: maps.Clone(o.Pointers)}
	for i := range m.Bytes {
		m.Bytes[i], _ = o.ByteAt(int64(i))
	}
	return m
}
