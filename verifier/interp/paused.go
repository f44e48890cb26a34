package interp

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Paused is a run that stands still between two instructions. It can be gone on with more than once, with other inputs
// each time.
type Paused struct {
	x     *Machine
	pause map[*ir.Block]bool
}

// Pause returns a run that did not begin yet. It pauses where it comes to one of the blocks after it read an input.
// Neither Watch nor Observe are heeded.
func Pause(m *ir.Module, opts Options, at map[*ir.Block]bool) (*Paused, error) {
	opts.Watch, opts.Observe = nil, nil
	x, err := newMachine(m, opts, input.Zeros{})
	if err != nil {
		return nil, err
	}
	return &Paused{x: x, pause: at}, nil
}

// Go goes on with p for at most so many instructions, or until it pauses again: then the outcome is nil. An outcome
// tells of all the run but for visits. The error is the context's.
func (p *Paused) Go(ctx context.Context, src input.Source, steps int64) (*Outcome, error) {
	x := p.x
	x.src, x.Options.MaxSteps = src, x.Executed+steps
	x.effort = newEffort(ctx, steps)
	if !p.run() && x.Outcome == nil {
		return nil, fmt.Errorf("interpreting %s: %w", x.Options.Entry.Name, ctx.Err())
	}
	if x.Outcome == nil {
		return nil, nil
	}
	x.effort = newEffort(context.Background(), math.MaxInt64)
	return x.finish(), nil
}

// run reports whether the run paused or ended.
func (p *Paused) run() bool {
	defer endStopped()
	x := p.x
	asked := x.Asked
	if len(x.Frames) == 0 {
		x.start()
	}
	for x.Outcome == nil {
		x.step()
		if x.Executed&0xfff == 0 && x.effort.ctx.Err() != nil {
			return false
		}
		if x.Asked > asked && x.Outcome == nil && p.pause[x.Frame.Block] && x.Frame.Next == firstAfterPhis(x.Frame.Block) {
			return true
		}
	}
	return true
}

// firstAfterPhis is the index of the first instruction of b that is no phi.
func firstAfterPhis(b *ir.Block) int {
	return slices.IndexFunc(b.Instrs, func(in *ir.Instr) bool { return in.Op != ir.OpPhi })
}

// View looks at the run.
func (p *Paused) View() View { return View{p.x} }

// Executed returns the number of instructions so far.
func (p *Paused) Executed() int64 { return p.x.Executed }

// Fork returns a copy of the run, and how many bytes it takes, about.
func (p *Paused) Fork() (*Paused, int64) {
	c := &copier{done: map[*Object]*Object{}}
	x := *p.x
	x.Objects, x.funcs = c.objects(p.x.Objects), c.objects(p.x.funcs)
	x.regions, x.Placed, x.touched = c.objects(p.x.regions), c.objects(p.x.Placed), c.objects(p.x.touched)
	x.null = c.object(p.x.null)
	x.labels = map[*ir.Block]*Object{}
	for b, o := range p.x.labels {
		x.labels[b] = c.object(o)
	}
	x.Passed = slices.Clone(p.x.Passed)
	x.Visits = map[*ir.Block]int64{}
	x.ways = maps.Clone(p.x.ways)
	x.Frames = nil
	for _, f := range p.x.Frames {
		x.Frame = &Frame{Func: f.Func, Call: f.Call, Params: c.values(f.Params), Extra: c.values(f.Extra),
			Values: c.values(f.Values),
			Block:  f.Block, Prev: f.Prev, Next: f.Next, Objects: c.objects(f.Objects),
			began: f.began}
		x.Frames = append(x.Frames, x.Frame)
	}
	return &Paused{x: &x, pause: p.pause}, c.bytes
}

// copier copies objects, each once.
type copier struct {
	done  map[*Object]*Object
	bytes int64
}

func (c *copier) object(o *Object) *Object {
	if o == nil {
		return nil
	}
	if to := c.done[o]; to != nil {
		return to
	}
	to := *o
	c.done[o] = &to
	c.bytes += objectBytes
	to.Pages, to.Pointers = nil, nil
	if o.readOnly {
		to.Pages = o.Pages // nobody writes them
	} else if o.Pages != nil {
		to.Pages = make(map[int64]*Page, len(o.Pages))
		for n, p := range o.Pages {
			to.Pages[n] = &Page{Data: slices.Clone(p.Data), Undef: slices.Clone(p.Undef)}
			c.bytes += int64(2 * len(p.Data))
		}
	}
	if o.Pointers != nil {
		to.Pointers = make(map[int64]Value, len(o.Pointers))
		for off, v := range o.Pointers {
			to.Pointers[off] = c.value(v)
		}
	}
	return &to
}

// objectBytes is about the memory of an object beside its contents, in bytes.
const objectBytes int64 = 300

func (c *copier) objects(os []*Object) []*Object {
	out := make([]*Object, len(os))
	for i, o := range os {
		out[i] = c.object(o)
	}
	return out
}

func (c *copier) value(v Value) Value {
	v.Object, v.Elems = c.object(v.Object), c.values(v.Elems)
	return v
}

func (c *copier) values(vs []Value) []Value {
	if vs == nil {
		return nil
	}
	out := make([]Value, len(vs))
	c.bytes += int64(len(vs)) * policy.ElementBytes
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}
