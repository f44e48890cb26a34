package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Watch tells of calls of some functions that come back, and of turns of loops.
type Watch struct {
	Funcs  map[*ir.Func]bool
	Places []Place // read before and after each call
	Call   func(*Call)
	Loops  map[*ir.Block][]*Loop // by header
	Block  func(View)            // a block begins, its phis are done
}

// View looks at a run between two instructions.
type View struct{ x *Machine }

// Seen is the content of a register or of memory: a number, or a place in the object of that number.
type Seen struct {
	Bits   bits.Vec
	Object int // -1: a number
	Offset int64
	Known  bool     // false: indeterminate, or no number and no place in a variable or heap block
	Func   *ir.Func // that it is the address of, or nil; not Known then
}

// Frames is how many calls are active.
func (v View) Frames() int { return len(v.x.Frames) }

// At says where call n is, and which instruction of the call below called it.
func (v View) At(n int) (*ir.Block, *ir.Instr) { return v.x.Frames[n].Block, v.x.Frames[n].Call }

// Before returns the block from which call n came to where it is, nil at its start.
func (v View) Before(n int) *ir.Block { return v.x.Frames[n].Prev }

// Value is an instruction's or a parameter's value in call n.
func (v View) Value(n int, a ir.Value) Seen {
	fr := v.x.Frames[n]
	switch a := a.(type) {
	case *ir.Instr:
		return v.seen(fr.Values[a.ID])
	case *ir.Param:
		return v.seen(fr.Params[a.Index])
	}
	return Seen{Object: -1}
}

// Global is the number of a global's object.
func (v View) Global(g *ir.Global) int { return v.x.global(g).Number }

// Object says how large an object is, and whether it is still there.
func (v View) Object(n int) (size int64, alive bool) {
	o := v.x.Objects[n]
	return o.Size, o.Dead == ""
}

// Load returns what an object holds at a place, read as t.
func (v View) Load(n int, off int64, t *ir.Type) Seen {
	o := v.x.Objects[n]
	if off < 0 || off+v.x.Layout.StoreSize(t) > o.Size {
		return Seen{Object: -1}
	}
	return v.seen(v.x.Get(o, off, t))
}

func (v View) seen(a Value) Seen {
	switch {
	case a.Elems != nil || !a.Defined() || a.Bits.Width() == 0:
		return Seen{Object: -1}
	case a.Object == nil:
		return Seen{Bits: a.Bits, Object: -1, Known: true}
	case a.Object.Func != nil:
		return Seen{Object: -1, Func: a.Object.Func}
	case a.Object.Region != nil || a.Object.Block != nil:
		return Seen{Object: -1}
	}
	off, fits := a.Bits.Int64()
	return Seen{Object: a.Object.Number, Offset: off, Known: fits}
}

// Place is where a number is: N bytes of a global or of what an alloca made, a
// register, or a parameter.
type Place struct {
	Global *ir.Global
	Slot   *ir.Instr // the alloca, of the innermost call of its function
	Off, N int64
	Reg    *ir.Instr
	Param  int // 1 + its index
}

// Loop asks for numbers whenever control is at a loop's header.
type Loop struct {
	Latches map[*ir.Block]bool // where back edges come from
	Places  []Place
	Turn    func(entry, now []bits.Vec)
}

// Call is one call of a watched function. A number that is none, a pointer or
// indeterminate, has width 0.
type Call struct {
	Func          *ir.Func
	First         *Call // the outermost of those calls of Func that this one is part of
	Instr         *ir.Instr
	Args          []bits.Vec
	Result        bits.Vec
	Before, After []bits.Vec // of Watch.Places
}

// plain is v if it is a number.
func plain(v Value) bits.Vec {
	if v.Object != nil || v.Elems != nil || !v.Defined() {
		return bits.Vec{}
	}
	return v.Bits
}

// watcher is the observer of Options.Watch.
type watcher struct {
	Silent
	x       *Machine
	watch   *Watch
	entries map[*Frame]map[*Loop][]bits.Vec // when the loop was entered last
	calls   []*Call                         // active ones, of watched functions
	frames  []*Frame                        // of calls
}

// Enter implements Observer.
func (e *watcher) Enter(fr *Frame) {
	w, x := e.watch, e.x
	if !w.Funcs[fr.Func] {
		return
	}
	c := &Call{Func: x.Frame.Func, Instr: x.Frame.Call, Before: x.numbers(w.Places)}
	c.First = c
	for i := len(e.calls) - 1; i >= 0; i-- {
		if o := e.calls[i]; o.Func == c.Func {
			c.First = o.First
			break
		}
	}
	for _, a := range x.Frame.Params {
		c.Args = append(c.Args, plain(a))
	}
	e.calls, e.frames = append(e.calls, c), append(e.frames, fr)
}

// Leave implements Observer: it tells that fr, which is not on the stack any more, came back.
func (e *watcher) Leave(fr *Frame, ret Value, hasRet bool) {
	delete(e.entries, fr)
	n := len(e.frames) - 1
	if fr == e.x.Frame || n < 0 || e.frames[n] != fr {
		return
	}
	c := e.calls[n]
	e.calls, e.frames = e.calls[:n], e.frames[:n]
	if hasRet {
		c.Result = plain(ret)
	}
	c.After = e.x.numbers(e.watch.Places)
	e.watch.Call(c)
}

// Begin implements Observer: it tells of the loops whose header the innermost frame has come to.
func (e *watcher) Begin(fr *Frame) {
	for _, l := range e.watch.Loops[fr.Block] {
		now := e.x.numbers(l.Places)
		if e.entries[fr] == nil {
			e.entries[fr] = map[*Loop][]bits.Vec{}
		}
		if !l.Latches[fr.Prev] {
			e.entries[fr][l] = now
		}
		l.Turn(e.entries[fr][l], now)
	}
	if e.watch.Block != nil {
		e.watch.Block(View{e.x})
	}
}

func (x *Machine) numbers(places []Place) []bits.Vec {
	out := make([]bits.Vec, len(places))
	for i, p := range places {
		switch {
		case p.Param > 0:
			out[i] = plain(x.Frame.Params[p.Param-1])
		case p.Reg != nil:
			if p.Reg.Block.Func == x.Frame.Func {
				out[i] = plain(x.Frame.Values[p.Reg.ID])
			}
		case p.Global != nil:
			out[i] = x.numberAt(x.global(p.Global), p)
		case p.Slot != nil:
			for k := len(x.Frames) - 1; k >= 0; k-- {
				if fr := x.Frames[k]; fr.Func == p.Slot.Block.Func {
					out[i] = x.numberAt(fr.Values[p.Slot.ID].Object, p)
					break
				}
			}
		}
	}
	return out
}

func (x *Machine) numberAt(o *Object, p Place) bits.Vec {
	if o == nil || o.Dead != "" || p.Off+p.N > int64(o.Size) {
		return bits.Vec{}
	}
	return plain(x.GetBits(o, p.Off, p.N, int(8*p.N)))
}
