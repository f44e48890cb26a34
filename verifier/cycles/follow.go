package cycles

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/policy"
)

// flow is what may be at a place, and the cycles from the start to it at most.
type flow struct {
	state
	time int64
}

var errTooLong = errors.New("too many instructions")

// follower follows a call.
type follower struct {
	ctx        context.Context
	img        *Image
	declared   []Turns
	graphs     map[int]*graph
	active     []int // functions whose calls have not ended
	order      []int // functions as they were met
	functions  map[int]*Function
	loops      map[*loop]*Loop
	opens      map[Open]bool
	steps      int64
	convention bool
}

// open notes why the function at an address may take longer, and where.
func (x *follower) open(function, at int, why string) {
	file, line := x.img.place(at)
	x.opens[Open{x.img.name(function), file, line, why}] = true
}

// merge joins a flow into what is at a place; false: the stacks do not fit.
func merge(to *flow, f *flow) bool {
	time := max(to.time, f.time)
	joined, ok := to.state.join(&f.state)
	*to = flow{joined, time}
	return ok
}

// call follows the function at an address. nil: it does not return, or what it returns with is not known, which is noted.
func (x *follower) call(at int, in flow) (*flow, error) {
	if slices.Contains(x.active, at) {
		x.open(at, at, "recursion")
		return nil, nil
	}
	g := x.graphs[at]
	if g == nil {
		var err error
		if g, err = x.img.graphOf(at); err != nil {
			x.open(at, at, err.Error())
			return nil, nil
		}
		x.graphs[at] = g
		x.functions[at] = &Function{Name: x.img.name(at)}
		x.order = append(x.order, at)
	}
	x.functions[at].Calls++
	x.active = append(x.active, at)
	defer func() { x.active = x.active[:len(x.active)-1] }()
	caller := in.state
	in.base, in.moved, in.above = in.stack, false, 0
	r := &run{x: x, at: at, graph: g}
	if _, _, err := r.region(g.whole, g.entry, in); err != nil || r.returned == nil {
		return nil, err
	}
	out := r.returned
	x.functions[at].Cycles = max(x.functions[at].Cycles, out.time-in.time)
	if out.moved {
		x.convention = x.convention || len(x.active) > 1
		for _, i := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29} {
			out.regs[i] = caller.regs[i]
		}
		out.regs[1] = only(0)
	}
	out.stack, out.base, out.moved, out.above, out.chain = caller.stack, caller.base, caller.moved, caller.above, nil
	return out, nil
}

// run is a call that is followed.
type run struct {
	x        *follower
	at       int
	graph    *graph
	returned *flow // nil: it has not
}

// region follows the blocks of l from its header, or from the entry, each once, the loops in it with all their turns. It
// returns what leaves it, by block, and what goes back to the header.
func (r *run) region(l *loop, from *block, in flow) (exits map[*block]*flow, back *flow, err error) {
	pending := map[*block]*flow{from: &in}
	exits = map[*block]*flow{}
	send := func(to *block, f *flow) {
		place := &back
		if to != l.header {
			m := pending
			if !l.in[to] {
				m = exits
			}
			old := m[to]
			place = &old
			defer func() { m[to] = old }()
		}
		if *place == nil {
			*place = f
		} else if !merge(*place, f) {
			r.x.open(r.at, to.code[0].at, "paths meet that pushed different numbers of bytes")
		}
	}
	for _, b := range l.nodes {
		f := pending[b]
		if f == nil {
			continue
		}
		delete(pending, b)
		if b.loop != l {
			left, err := r.turns(b.loop, *f)
			if err != nil {
				return nil, nil, err
			}
			for to, f := range left {
				send(to, f)
			}
			continue
		}
		if err := r.block(b, f, send); err != nil {
			return nil, nil, err
		}
	}
	return exits, back, nil
}

// turns follows a loop turn by turn, until no value goes back.
func (r *run) turns(l *loop, in flow) (map[*block]*flow, error) {
	exits := map[*block]*flow{}
	shown, declared := r.x.loop(r, l)
	seen := in.state // of a turn before: where it comes again, turns repeat for ever (Brent 1980)
	for n := int64(0); ; n++ {
		if err := r.x.ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
			r.x.open(r.at, l.header.code[0].at, "the time is over")
			return nil, errTooLong
		} else if err != nil {
			return nil, err
		}
		shown.Turns = max(shown.Turns, n)
		left, back, err := r.region(l, l.header, in)
		if err != nil {
			return nil, err
		}
		for to, f := range left {
			if old := exits[to]; old == nil {
				exits[to] = f
			} else if !merge(old, f) {
				r.x.open(r.at, to.code[0].at, "paths meet that pushed different numbers of bytes")
			}
		}
		switch {
		case back == nil:
			return exits, nil
		case declared >= 0 && n >= declared:
			shown.Declared = true
			return exits, nil
		case declared < 0 && back.state.same(&seen):
			r.x.open(r.at, l.header.code[0].at, "no limit of the turns of a loop is seen")
			delete(r.x.loops, l)
			return exits, nil
		}
		if in = *back; n&(n+1) == 0 {
			seen = in.state
		}
	}
}

// loop returns the row of a loop, and the turns that the user declares (-1: none).
func (x *follower) loop(r *run, l *loop) (*Loop, int64) {
	file, line := x.img.place(l.header.code[0].at)
	shown := x.loops[l]
	if shown == nil {
		shown = &Loop{Func: x.img.name(r.at), File: file, Line: line}
		x.loops[l] = shown
	}
	for _, d := range x.declared {
		if d.Line == line && line > 0 && ("/"+filepath.ToSlash(file) == "/"+d.File || strings.HasSuffix(filepath.ToSlash(file), "/"+d.File)) {
			return shown, d.Turns
		}
	}
	return shown, -1
}

// block follows a block, and sends on what leaves it.
func (r *run) block(b *block, f *flow, send func(*block, *flow)) error {
	for i := range b.code {
		in := &b.code[i]
		if r.x.steps++; r.x.steps > policy.FollowedSteps {
			r.x.open(r.at, in.at, fmt.Sprintf("more than %d instructions to follow", policy.FollowedSteps))
			return errTooLong
		}
		f.time += in.row.cycles + in.stops()
		if isCall(in) {
			out, err := r.x.call(in.k, *f)
			if out == nil {
				return err
			}
			*f = *out
			continue
		}
		if b.open != "" && i == len(b.code)-1 {
			break
		}
		if why := f.step(in); why != "" {
			r.x.open(r.at, in.at, why)
			return nil
		}
	}
	switch {
	case b.open != "":
		at := r.at
		if n := len(b.code); n > 0 {
			at = b.code[n-1].at
		}
		r.x.open(r.at, at, b.open)
	case b.ret:
		if f.stack != f.base || f.above > 0 {
			r.x.open(r.at, b.code[len(b.code)-1].at, "it returns with something on the stack")
			return nil
		}
		f.anyOf(1 << flagI) // reti sets it
		if r.returned == nil {
			r.returned = f
		} else if !merge(r.returned, f) {
			panic("returns that have the same stack")
		}
	case len(b.succ) == 1:
		send(b.succ[0].to, f)
	default:
		next, away, goesOn, leaves := f.split(&b.code[len(b.code)-1])
		if goesOn {
			send(b.succ[0].to, &flow{next, f.time + b.succ[0].more})
		}
		if leaves {
			send(b.succ[1].to, &flow{away, f.time + b.succ[1].more})
		}
	}
	return nil
}
