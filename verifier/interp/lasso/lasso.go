// Package lasso finds runs that never end: those whose whole state repeats, and calls inside of which the same call is
// made again (call.go).
package lasso

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Run is interp.Run that also watches for a repeated state; it then ends with
// kind Lasso. Objects that nothing can reach do not belong to the state, and
// which number a reachable one has does not matter. One that has an address can be
// reached by it.
func Run(ctx context.Context, m *ir.Module, opts interp.Options, src input.Source) (*interp.Outcome, error) {
	opts.EveryTurn = true
	opts.Observe = append(slices.Clone(opts.Observe), func(x *interp.Machine) interp.Observer {
		return &lassoState{x: x, next: 1, calls: callLasso{active: map[*ir.Func]int{}, next: 1}}
	})
	return interp.Run(ctx, m, opts, src)
}

// lassoState is Brent's cycle detection: one earlier state is kept and compared
// with each later one at the same block; it is replaced after 1, 2, 4, ... visits.
type lassoState struct {
	interp.Silent
	x            *interp.Machine
	visits, next int64
	head         *ir.Block
	depth        int
	saved        []byte
	at, inputs   int64
	steps        int                // of the trace
	least        int                // calls deep: the outermost call that jumped since the state was kept
	blocks       map[*ir.Block]bool // that it jumped to
	calls        callLasso
	cycle        *interp.Cycle // found
}

// Enter implements Observer.
func (l *lassoState) Enter(*interp.Frame) {
	if l.x.Outcome == nil {
		l.cycle = l.calls.enter(l.x)
	}
}

// Leave implements Observer.
func (l *lassoState) Leave(fr *interp.Frame, _ interp.Value, _ bool) { l.calls.active[fr.Func]-- }

// End implements Observer.
func (l *lassoState) End(out *interp.Outcome) {
	if l.cycle != nil {
		l.cycle.StemSteps = max(-1, l.cycle.StemSteps-out.Dropped)
		out.Cycle = l.cycle
	}
}

// Jump implements Observer.
func (l *lassoState) Jump(b *ir.Block) {
	x := l.x
	if depth := len(x.Frames); depth <= l.least {
		if depth < l.least {
			l.least = depth
			clear(l.blocks)
		}
		l.blocks[b] = true
	}
	if x.Visits[b] > 1 {
		l.visit(x, b)
	}
}

func (l *lassoState) visit(x *interp.Machine, b *ir.Block) {
	l.visits++
	if l.head == b && l.depth == len(x.Frames) {
		if now := snapshot(x); bytes.Equal(now, l.saved) {
			x.Instr = b.Instrs[0]
			x.EndRun(interp.Lasso, "", "the state repeats: this run never ends")
			l.cycle = &interp.Cycle{Head: b, Stem: l.at, Length: x.Executed - l.at, StemInputs: l.inputs,
				CycleInputs: x.Asked - l.inputs, Blocks: l.blocks, StemSteps: l.steps}
			return
		}
	}
	if l.visits == l.next {
		l.head, l.depth, l.saved, l.at, l.inputs = b, len(x.Frames), snapshot(x), x.Executed, x.Asked
		l.least, l.blocks = len(x.Frames)+1, map[*ir.Block]bool{}
		l.steps = x.Noted
		l.next *= 2
	}
}

// snapshotter writes the state down; objects get numbers in the order in which it meets them.
type snapshotter struct {
	x     *interp.Machine
	out   []byte
	ids   map[*interp.Object]uint64
	queue []*interp.Object
}

// newSnapshotter returns one that wrote which globals there are.
func newSnapshotter(x *interp.Machine) *snapshotter {
	s := &snapshotter{x: x, ids: map[*interp.Object]uint64{}}
	for n := range x.Module.Globals {
		if o := x.Objects[n]; o != nil {
			s.ref(o)
		} else {
			s.num(0)
		}
	}
	return s
}

func snapshot(x *interp.Machine) []byte {
	s := newSnapshotter(x)
	for _, f := range x.Frames {
		s.frame(f)
	}
	return s.reached()
}

// reached returns what was written, with the objects that it leads to and those that have an address.
func (s *snapshotter) reached() []byte {
	for _, o := range s.x.Placed {
		if o.Dead == "" {
			s.ref(o)
		}
	}
	for len(s.queue) > 0 {
		o := s.queue[0]
		s.queue = s.queue[1:]
		s.object(o)
	}
	return s.out
}

func (s *snapshotter) num(n uint64) { s.out = binary.AppendUvarint(s.out, n) }

func (s *snapshotter) flag(b bool) {
	if b {
		s.num(1)
	} else {
		s.num(0)
	}
}

// ref writes o's number, 0 for no object.
func (s *snapshotter) ref(o *interp.Object) {
	if o == nil {
		s.num(0)
		return
	}
	id, ok := s.ids[o]
	if !ok {
		id = uint64(len(s.ids) + 1)
		s.ids[o] = id
		s.queue = append(s.queue, o)
	}
	s.num(id)
}

func (s *snapshotter) frame(f *interp.Frame) {
	s.num(uint64(s.x.FuncNum[f.Func]))
	s.num(uint64(f.Block.Index))
	s.num(uint64(f.Next))
	if f.Prev != nil {
		s.num(uint64(f.Prev.Index + 1))
	}
	s.num(uint64(len(f.Objects)))
	for _, o := range f.Objects {
		s.ref(o)
	}
	for _, vs := range [][]interp.Value{f.Params, f.Extra, f.Values} {
		for _, v := range vs {
			s.value(v)
		}
	}
}

func (s *snapshotter) value(v interp.Value) {
	s.num(uint64(len(v.Elems)))
	for _, e := range v.Elems {
		s.value(e)
	}
	if v.Elems != nil {
		return
	}
	s.ref(v.Object)
	s.vec(v.Bits)
	s.vec(v.Undef)
}

func (s *snapshotter) vec(b bits.Vec) {
	s.num(uint64(b.Width()))
	if b.Width() <= 64 {
		s.num(b.Low64())
		return
	}
	s.out = append(s.out, b.Hex()...)
}

// object writes what the program can find out about o.
func (s *snapshotter) object(o *interp.Object) {
	s.num(uint64(o.Kind))
	if o.Global != nil {
		s.num(uint64(o.Number))
	}
	if o.Func != nil {
		s.num(uint64(s.x.FuncNum[o.Func]))
	}
	if o.Block != nil {
		s.num(uint64(s.x.FuncNum[o.Block.Func]))
		s.num(uint64(o.Block.Index))
	}
	s.flag(o.Dead != "")
	s.flag(o.HasBase)
	s.num(o.Base)
	s.num(uint64(o.Size))
	if o.Dead != "" {
		return
	}
	var at []int64
	for n := range o.Pages {
		at = append(at, n)
	}
	sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
	for _, n := range at {
		p := o.Pages[n]
		o.Read(n, p, 0, int64(len(p.Data)))
		s.num(uint64(n))
		s.out = append(append(s.out, p.Data...), p.Undef...)
	}
	at = at[:0]
	for off := range o.Pointers {
		at = append(at, off)
	}
	sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
	for _, off := range at {
		s.num(uint64(off))
		s.value(o.Pointers[off])
	}
}
