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
func plain(v value) bits.Vec {
	if v.obj != nil || v.elems != nil || !v.defined() {
		return bits.Vec{}
	}
	return v.bits
}

// watchEnter notes that the innermost frame begins.
func (x *machine) watchEnter() {
	w := x.o.Watch
	if w == nil || !w.Funcs[x.fr.fn] {
		return
	}
	c := &Call{Func: x.fr.fn, Instr: x.fr.call, Before: x.numbers(w.Places)}
	c.First = c
	for i := len(x.frames) - 2; i >= 0; i-- {
		if o := x.frames[i].seen; o != nil && o.Func == c.Func {
			c.First = o.First
			break
		}
	}
	for _, a := range x.fr.params {
		c.Args = append(c.Args, plain(a))
	}
	x.fr.seen = c
}

// watchLeave tells that fr, which is not on the stack any more, came back.
func (x *machine) watchLeave(fr *frame, ret value, hasRet bool) {
	c := fr.seen
	if c == nil {
		return
	}
	if hasRet {
		c.Result = plain(ret)
	}
	c.After = x.numbers(x.o.Watch.Places)
	x.o.Watch.Call(c)
}

// watchTurn tells of the header that the innermost frame has come to.
func (x *machine) watchTurn(fr *frame) {
	for _, l := range fr.turn {
		now := x.numbers(l.Places)
		if fr.entries == nil {
			fr.entries = map[*Loop][]bits.Vec{}
		}
		if !l.Latches[fr.prev] {
			fr.entries[l] = now
		}
		l.Turn(fr.entries[l], now)
	}
	fr.turn = nil
}

func (x *machine) numbers(places []Place) []bits.Vec {
	out := make([]bits.Vec, len(places))
	for i, p := range places {
		switch {
		case p.Param > 0:
			out[i] = plain(x.fr.params[p.Param-1])
		case p.Reg != nil:
			if p.Reg.Block.Func == x.fr.fn {
				out[i] = plain(x.fr.vals[p.Reg.ID])
			}
		case p.Global != nil:
			out[i] = x.numberAt(x.global(p.Global), p)
		case p.Slot != nil:
			for k := len(x.frames) - 1; k >= 0; k-- {
				if fr := x.frames[k]; fr.fn == p.Slot.Block.Func {
					out[i] = x.numberAt(fr.vals[p.Slot.ID].obj, p)
					break
				}
			}
		}
	}
	return out
}

func (x *machine) numberAt(o *object, p Place) bits.Vec {
	if o == nil || o.dead != "" || p.Off+p.N > int64(o.size) {
		return bits.Vec{}
	}
	return plain(x.getBits(o, p.Off, p.N, int(8*p.N)))
}
