package input

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Input is one value that the environment gives.
type Input struct {
	Kind  Kind
	Instr *ir.Instr      // who asks; nil for globals and parameters
	Obj   int            // Bytes, Base: the object's number
	Value bits.Vec       // all but Bytes and Havoc
	Bytes map[int64]byte // Bytes, Havoc: offset -> value; missing is 0
	Name  string
	Pos   verdict.Pos
}

// Recorded is a Source that plays back a list of inputs and holds the run to
// it: kind, instruction and width must agree.
type Recorded struct {
	next  int
	list  []Input
	bytes map[int]map[int64]byte
	bases map[int]bits.Vec
	err   error
}

// NewRecorded makes a Source from inputs in the order of execution; Bytes and
// Base inputs may stand anywhere. Undef inputs may be left out: they are 0 then.
func NewRecorded(inputs []Input) *Recorded {
	r := &Recorded{bytes: map[int]map[int64]byte{}, bases: map[int]bits.Vec{}}
	for _, in := range inputs {
		switch in.Kind {
		case Bytes:
			r.bytes[in.Obj] = in.Bytes
		case Base:
			r.bases[in.Obj] = in.Value
		default:
			r.list = append(r.list, in)
		}
	}
	return r
}

// Err says how the run and the list disagreed, nil if they did not.
func (r *Recorded) Err() error { return r.err }

// Rest is how many inputs were not asked for.
func (r *Recorded) Rest() int { return len(r.list) - r.next }

// take is the next input if it is of that kind and instruction.
func (r *Recorded) take(kind Kind, at *ir.Instr) (*Input, bool) {
	if r.next >= len(r.list) {
		r.err = fmt.Errorf("input %d (%s, %s) was not recorded", r.next, kind, place(at))
		return nil, false
	}
	in := &r.list[r.next]
	if in.Kind != kind || in.Instr != at {
		r.err = fmt.Errorf("input %d is %s, %s, but %s, %s asks", r.next, in.Kind, place(in.Instr), kind, place(at))
		return nil, false
	}
	r.next++
	return in, true
}

// Next plays back the next input.
func (r *Recorded) Next(kind Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == Undef && (r.next >= len(r.list) || r.list[r.next].Kind != Undef || r.list[r.next].Instr != at) {
		return bits.New(width, 0), true
	}
	in, ok := r.take(kind, at)
	if !ok {
		return bits.Vec{}, false
	}
	if in.Value.Width() != width {
		r.err = fmt.Errorf("input %d (%s, %s) has %d bits, not %d", r.next-1, kind, place(at), in.Value.Width(), width)
		return bits.Vec{}, false
	}
	return in.Value, true
}

// Havoc plays back the next input as bytes.
func (r *Recorded) Havoc(at *ir.Instr, _ int64) (func(int64) byte, bool) {
	in, ok := r.take(Havoc, at)
	if !ok {
		return nil, false
	}
	return func(i int64) byte { return in.Bytes[i] }, true
}

// ObjectBytes gives the recorded bytes of the object.
func (r *Recorded) ObjectBytes(obj int, _ *ir.Instr) func(int64) byte {
	b := r.bytes[obj]
	if len(b) == 0 {
		return nil
	}
	return func(off int64) byte { return b[off] }
}

// Base gives the recorded address of the object.
func (r *Recorded) Base(obj int) (bits.Vec, bool) {
	a, ok := r.bases[obj]
	return a, ok
}

func place(at *ir.Instr) string {
	if at == nil {
		return "the entry's parameters"
	}
	return fmt.Sprintf("%q at %s", at, at.Pos)
}

// Zeros is a Source of zeros; every malloc succeeds.
type Zeros struct{}

// Next is 0, or success.
func (Zeros) Next(kind Kind, _ *ir.Instr, width int) (bits.Vec, bool) {
	if kind == MallocOK {
		return bits.New(1, 1), true
	}
	return bits.New(width, 0), true
}

// Havoc gives zeros.
func (Zeros) Havoc(*ir.Instr, int64) (func(int64) byte, bool) {
	return func(int64) byte { return 0 }, true
}

// ObjectBytes gives zeros.
func (Zeros) ObjectBytes(int, *ir.Instr) func(int64) byte { return nil }

// Base leaves addresses to the interpreter.
func (Zeros) Base(int) (bits.Vec, bool) { return bits.Vec{}, false }

// Recorder is a Source that passes on another's answers and keeps them, in the order of execution: a Recorded of
// them repeats the run, as far as addresses of objects come from the program itself. Of the bytes of objects
// it keeps those that were read and are not 0.
type Recorder struct {
	Source
	Inputs []Input
}

// Next keeps the answer.
func (r *Recorder) Next(kind Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	v, ok := r.Source.Next(kind, at, width)
	if ok {
		r.keep(Input{Kind: kind, Instr: at, Value: v})
	}
	return v, ok
}

// Havoc keeps the bytes that are asked for.
func (r *Recorder) Havoc(at *ir.Instr, n int64) (func(int64) byte, bool) {
	f, ok := r.Source.Havoc(at, n)
	if !ok {
		return nil, false
	}
	in := Input{Kind: Havoc, Instr: at, Bytes: map[int64]byte{}}
	r.keep(in)
	return func(i int64) byte {
		b := f(i)
		if b != 0 {
			in.Bytes[i] = b
		}
		return b
	}, true
}

// ObjectBytes keeps the bytes that are asked for.
func (r *Recorder) ObjectBytes(obj int, at *ir.Instr) func(int64) byte {
	f := r.Source.ObjectBytes(obj, at)
	if f == nil {
		return nil
	}
	in := Input{Kind: Bytes, Obj: obj}
	if at != nil {
		in.Name, in.Pos = at.Name, *at.Pos
	}
	return func(off int64) byte {
		b := f(off)
		if b != 0 {
			if in.Bytes == nil {
				in.Bytes = map[int64]byte{}
				r.Inputs = append(r.Inputs, in)
			}
			in.Bytes[off] = b
		}
		return b
	}
}

func (r *Recorder) keep(in Input) {
	if in.Instr != nil {
		in.Pos = *in.Instr.Pos
	}
	r.Inputs = append(r.Inputs, in)
}

// Execution holds what has to be known to repeat an execution: its inputs, and the claims that it violates and goes on
// behind.
type Execution struct {
	Inputs []Input
	Past   []ir.At
}

// Endless holds what has to be known to repeat an execution whose state repeats.
type Endless struct {
	Inputs []Input
	Steps  int64 // until then, at most
}

// Sealed says that a program has one execution, which decides its claims.
type Sealed struct{ Past ir.Past }
