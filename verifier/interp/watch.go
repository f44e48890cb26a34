package interp

import (
	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Watch tells of calls of some functions that come back.
type Watch struct {
	Funcs  map[*ir.Func]bool
	Places []Place // read before and after each call
	Call   func(*Call)
}

// Place is N bytes of a global that hold a number.
type Place struct {
	Global *ir.Global
	Off, N int64
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
	c := &Call{Func: x.fr.fn, Instr: x.fr.call, Before: x.places()}
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
	c.After = x.places()
	x.o.Watch.Call(c)
}

func (x *machine) places() []bits.Vec {
	out := make([]bits.Vec, len(x.o.Watch.Places))
	for i, p := range x.o.Watch.Places {
		if o := x.global(p.Global); o != nil && o.dead == "" && p.Off+p.N <= int64(o.size) {
			out[i] = plain(x.getBits(o, p.Off, p.N, int(8*p.N)))
		}
	}
	return out
}
