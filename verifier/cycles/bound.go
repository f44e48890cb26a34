// Package cycles bounds how many cycles of an AVR a call of a function takes, from the image. Nothing of it rests on the
// compiler: code is read back from the image, and loops are followed there.
//
// A call is followed over all of its paths at once. What a register may hold is a set of bytes, where paths meet the sets are
// united, and the time so far is the greater one. A loop is followed turn by turn until no value lets it go on, its inner
// loops in each turn, and functions in each call. Where that does not end, the answer is open.
//
//	ldi r24, 3     r24 in {3}               1
//	1: dec r24     turns: {2}, {1}, {0}     1 each
//	brne 1b        on, on, not on           2, 2, 1
//	ret                                     4: 13 in all, 2 turns
package cycles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Bound is what is known of a call.
type Bound struct {
	Cycles    int64 // at most, from the first instruction to the end of the return; of no meaning if Open
	Open      []Open
	Functions []Function // that the call may call, itself first
	Loops     []Loop     // of these, by place
	Called    bool       // a function that moves the stack pointer was left by the calling convention
}

// Assumed says what the bound rests on.
func (b *Bound) Assumed() []string {
	out := []string{"no interrupt comes", "memory has no wait states", "the program writes to no memory but its own, and starts no access of the EEPROM through a pointer"}
	if b.Called {
		out = append(out, "functions that move the stack pointer keep the registers that the calling convention says")
	}
	return out
}

// Open is a reason why a call may take longer.
type Open struct {
	Func string
	File string
	Line int
	Why  string
}

// Function is a function of the image.
type Function struct {
	Name   string
	Cycles int64 // of the longest call that was met
	Calls  int64 // how often it was followed
}

// Loop is a loop of the machine code.
type Loop struct {
	Func     string
	File     string
	Line     int
	Turns    int64 // how often it goes back at most, each time that it is entered
	Declared bool  // because the user says so
}

// Turns are turns of the loops at a line that the user declares.
type Turns struct {
	File  string // its last parts
	Line  int
	Turns int64
}

// Of bounds a call of a function. The error is about the image, or that ctx was ended; a deadline leaves the bound open.
func (img *Image) Of(ctx context.Context, function string, declared []Turns) (*Bound, error) {
	at, ok := img.funcs[function]
	switch {
	case !ok:
		return nil, fmt.Errorf("the image has no function %s", function)
	case at < 0:
		return nil, fmt.Errorf("the image has several functions %s", function)
	}
	img.names[at] = function
	x := &follower{ctx: ctx, img: img, declared: declared, graphs: map[int]*graph{}, loops: map[*loop]*Loop{},
		functions: map[int]*Function{}, opens: map[Open]bool{}}
	s := state{flags: anyFlags}
	for i := range s.regs {
		s.regs[i] = anyByte
	}
	if !strings.HasPrefix(function, "__vector") { // the calling convention keeps 0 in r1, but where an interrupt comes
		s.regs[1] = only(0)
	}
	out, err := x.call(at, flow{state: s})
	if err != nil && !errors.Is(err, errTooLong) {
		return nil, err
	}
	if out == nil && len(x.opens) == 0 {
		x.open(at, at, "it never returns")
	}
	b := &Bound{Called: x.convention}
	if out != nil {
		b.Cycles = out.time
	}
	for o := range x.opens {
		b.Open = append(b.Open, o)
	}
	slices.SortFunc(b.Open, func(a, b Open) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	for _, at := range x.order {
		b.Functions = append(b.Functions, *x.functions[at])
	}
	for _, l := range x.loops {
		b.Loops = append(b.Loops, *l)
	}
	slices.SortFunc(b.Loops, func(a, b Loop) int { return strings.Compare(a.key(), b.key()) })
	return b, nil
}

func (l *Loop) key() string { return fmt.Sprintf("%s:%6d:%s:%d", l.File, l.Line, l.Func, l.Turns) }
