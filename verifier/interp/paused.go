package interp

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
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
	x.src, x.o.MaxSteps = src, x.executed+steps
	x.effort = newEffort(ctx, steps)
	if !p.run() && x.out == nil {
		return nil, fmt.Errorf("interpreting %s: %w", x.o.Entry.Name, ctx.Err())
	}
	if x.out == nil {
		return nil, nil
	}
	x.effort = newEffort(context.Background(), math.MaxInt64)
	return x.finish(), nil
}

// run reports whether the run paused or ended.
func (p *Paused) run() bool {
	defer endStopped()
	x := p.x
	asked := x.asked
	if len(x.frames) == 0 {
		x.start()
	}
	for x.out == nil {
		x.step()
		if x.executed&0xfff == 0 && x.effort.ctx.Err() != nil {
			return false
		}
		if x.asked > asked && x.out == nil && p.pause[x.fr.blk] && x.fr.next == firstAfterPhis(x.fr.blk) {
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
func (p *Paused) Executed() int64 { return p.x.executed }

// Fork returns a copy of the run, and how many bytes it takes, about.
func (p *Paused) Fork() (*Paused, int64) {
	c := &copier{done: map[*object]*object{}}
	x := *p.x
	x.objects, x.funcs = c.objects(p.x.objects), c.objects(p.x.funcs)
	x.regions, x.placed, x.touched = c.objects(p.x.regions), c.objects(p.x.placed), c.objects(p.x.touched)
	x.null = c.object(p.x.null)
	x.labels = map[*ir.Block]*object{}
	for b, o := range p.x.labels {
		x.labels[b] = c.object(o)
	}
	x.passed = slices.Clone(p.x.passed)
	x.visits = map[*ir.Block]int64{}
	x.ways = maps.Clone(p.x.ways)
	x.frames = nil
	for _, f := range p.x.frames {
		x.fr = &frame{fn: f.fn, call: f.call, params: c.values(f.params), extra: c.values(f.extra), vals: c.values(f.vals),
			blk: f.blk, prev: f.prev, next: f.next, objs: c.objects(f.objs),
			began: f.began}
		x.frames = append(x.frames, x.fr)
	}
	return &Paused{x: &x, pause: p.pause}, c.bytes
}

// copier copies objects, each once.
type copier struct {
	done  map[*object]*object
	bytes int64
}

func (c *copier) object(o *object) *object {
	if o == nil {
		return nil
	}
	if to := c.done[o]; to != nil {
		return to
	}
	to := *o
	c.done[o] = &to
	c.bytes += objectBytes
	to.pages, to.ptrs = nil, nil
	if o.readOnly {
		to.pages = o.pages // nobody writes them
	} else if o.pages != nil {
		to.pages = make(map[int64]*page, len(o.pages))
		for n, p := range o.pages {
			to.pages[n] = &page{data: slices.Clone(p.data), undef: slices.Clone(p.undef)}
			c.bytes += int64(2 * len(p.data))
		}
	}
	if o.ptrs != nil {
		to.ptrs = make(map[int64]value, len(o.ptrs))
		for off, v := range o.ptrs {
			to.ptrs[off] = c.value(v)
		}
	}
	return &to
}

// objectBytes is about the memory of an object beside its contents, in bytes.
const objectBytes = 300

func (c *copier) objects(os []*object) []*object {
	out := make([]*object, len(os))
	for i, o := range os {
		out[i] = c.object(o)
	}
	return out
}

func (c *copier) value(v value) value {
	v.obj, v.elems = c.object(v.obj), c.values(v.elems)
	return v
}

func (c *copier) values(vs []value) []value {
	if vs == nil {
		return nil
	}
	out := make([]value, len(vs))
	c.bytes += int64(len(vs)) * elementBytes
	for i, v := range vs {
		out[i] = c.value(v)
	}
	return out
}
