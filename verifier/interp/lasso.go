package interp

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Cycle is a witness of non-termination: at the start of Head the whole state
// of the program (calls, registers, memory) is what it was Length instructions
// before, so that the run can go on forever by repeating what it did since,
// with the inputs that it got since. With Recursion, a call of Head's function led to another one inside of it that
// begins with what it began with.
type Cycle struct {
	Head        *ir.Block
	Stem        int64              // instructions before the cycle
	Length      int64              // instructions in it
	StemInputs  int64              // inputs before the cycle
	CycleInputs int64              // inputs in it
	Blocks      map[*ir.Block]bool // jumped to in it, in the outermost of its calls: all of the same function
	StemSteps   int                // steps of Outcome.Steps before the cycle; -1 if those were dropped
	Recursion   bool
}

// RunLasso is Run that also watches for a repeated state; it then ends with
// kind Lasso. Objects that nothing can reach do not belong to the state, and
// which number a reachable one has does not matter. One that has an address can be
// reached by it.
func RunLasso(ctx context.Context, m *ir.Module, opts Options, src input.Source) (*Outcome, error) {
	opts.EveryTurn = true
	opts.Observe = append(slices.Clone(opts.Observe), func(x *Machine) Observer {
		return &lassoState{x: x, next: 1, calls: callLasso{active: map[*ir.Func]int{}, next: 1}}
	})
	return Run(ctx, m, opts, src)
}

// lassoState is Brent's cycle detection: one earlier state is kept and compared
// with each later one at the same block; it is replaced after 1, 2, 4, ... visits.
type lassoState struct {
	Silent
	x            *Machine
	visits, next int64
	head         *ir.Block
	depth        int
	saved        []byte
	at, inputs   int64
	steps        int                // of the trace
	least        int                // calls deep: the outermost call that jumped since the state was kept
	blocks       map[*ir.Block]bool // that it jumped to
	calls        callLasso
	cycle        *Cycle // found
}

// Enter implements Observer.
func (l *lassoState) Enter(*frame) {
	if l.x.out == nil {
		l.cycle = l.calls.enter(l.x)
	}
}

// Leave implements Observer.
func (l *lassoState) Leave(fr *frame, _ value, _ bool) { l.calls.active[fr.fn]-- }

// End implements Observer.
func (l *lassoState) End(out *Outcome) {
	if l.cycle != nil {
		l.cycle.StemSteps = max(-1, l.cycle.StemSteps-out.Dropped)
		out.Cycle = l.cycle
	}
}

// Jump implements Observer.
func (l *lassoState) Jump(b *ir.Block) {
	x := l.x
	if depth := len(x.frames); depth <= l.least {
		if depth < l.least {
			l.least = depth
			clear(l.blocks)
		}
		l.blocks[b] = true
	}
	if x.visits[b] > 1 {
		l.visit(x, b)
	}
}

func (l *lassoState) visit(x *Machine, b *ir.Block) {
	l.visits++
	if l.head == b && l.depth == len(x.frames) {
		if now := snapshot(x); bytes.Equal(now, l.saved) {
			x.cur = b.Instrs[0]
			x.end(Lasso, "", "the state repeats: this run never ends")
			l.cycle = &Cycle{Head: b, Stem: l.at, Length: x.executed - l.at, StemInputs: l.inputs,
				CycleInputs: x.asked - l.inputs, Blocks: l.blocks, StemSteps: l.steps}
			return
		}
	}
	if l.visits == l.next {
		l.head, l.depth, l.saved, l.at, l.inputs = b, len(x.frames), snapshot(x), x.executed, x.asked
		l.least, l.blocks = len(x.frames)+1, map[*ir.Block]bool{}
		l.steps = x.noted
		l.next *= 2
	}
}

// snapshotter writes the state down; objects get numbers in the order in which it meets them.
type snapshotter struct {
	x     *Machine
	out   []byte
	ids   map[*object]uint64
	queue []*object
}

// newSnapshotter returns one that wrote which globals there are.
func newSnapshotter(x *Machine) *snapshotter {
	s := &snapshotter{x: x, ids: map[*object]uint64{}}
	for n := range x.m.Globals {
		if o := x.objects[n]; o != nil {
			s.ref(o)
		} else {
			s.num(0)
		}
	}
	return s
}

func snapshot(x *Machine) []byte {
	s := newSnapshotter(x)
	for _, f := range x.frames {
		s.frame(f)
	}
	return s.reached()
}

// reached returns what was written, with the objects that it leads to and those that have an address.
func (s *snapshotter) reached() []byte {
	for _, o := range s.x.placed {
		if o.dead == "" {
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
func (s *snapshotter) ref(o *object) {
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

func (s *snapshotter) frame(f *frame) {
	s.num(uint64(s.x.funcNum[f.fn]))
	s.num(uint64(f.blk.Index))
	s.num(uint64(f.next))
	if f.prev != nil {
		s.num(uint64(f.prev.Index + 1))
	}
	s.num(uint64(len(f.objs)))
	for _, o := range f.objs {
		s.ref(o)
	}
	for _, vs := range [][]value{f.params, f.extra, f.vals} {
		for _, v := range vs {
			s.value(v)
		}
	}
}

func (s *snapshotter) value(v value) {
	s.num(uint64(len(v.elems)))
	for _, e := range v.elems {
		s.value(e)
	}
	if v.elems != nil {
		return
	}
	s.ref(v.obj)
	s.vec(v.bits)
	s.vec(v.undef)
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
func (s *snapshotter) object(o *object) {
	s.num(uint64(o.kind))
	if o.global != nil {
		s.num(uint64(o.num))
	}
	if o.fn != nil {
		s.num(uint64(s.x.funcNum[o.fn]))
	}
	if o.block != nil {
		s.num(uint64(s.x.funcNum[o.block.Func]))
		s.num(uint64(o.block.Index))
	}
	s.flag(o.dead != "")
	s.flag(o.hasBase)
	s.num(o.base)
	s.num(uint64(o.size))
	if o.dead != "" {
		return
	}
	var at []int64
	for n := range o.pages {
		at = append(at, n)
	}
	sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
	for _, n := range at {
		p := o.pages[n]
		o.read(n, p, 0, int64(len(p.data)))
		s.num(uint64(n))
		s.out = append(append(s.out, p.data...), p.undef...)
	}
	at = at[:0]
	for off := range o.ptrs {
		at = append(at, off)
	}
	sort.Slice(at, func(i, j int) bool { return at[i] < at[j] })
	for _, off := range at {
		s.num(uint64(off))
		s.value(o.ptrs[off])
	}
}
