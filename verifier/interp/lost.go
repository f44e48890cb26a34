package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// asksLost reports whether memory is to be looked for that is lost where a function that a driver calls returns.
func (x *Machine) asksLost() bool {
	return x.Options.Leaks == ir.LeakCalled && x.Options.Checks.Has(verdict.Leak)
}

// own reports a heap block that is alive and that the program's own code allocated.
func (o *Object) own() bool {
	return o != nil && o.Kind == HeapObject && o.Dead == "" && o.Born != nil && o.Born.MakesOwn()
}

// outermost reports whether the innermost activation is where a driver called the program's own code.
func (x *Machine) outermost() bool {
	last := len(x.Frames) - 1
	for n, f := range x.Frames {
		if driver := f.Func.Made || f.Func.Driven(); driver != (n < last) {
			return false
		}
	}
	return last > 0
}

// lostBy is ir.LeakCalled, where a function gives back ret: a violation if the driver called it, and a heap block is alive
// that the program's own code allocated, and no pointer leads to it in what is still there behind the return, in ret, or
// in what was handed to code that is not known. Of a block whose address the program had as a number, and of what only that
// leads to, nothing can be said.
func (x *Machine) lostBy(ret Value) {
	if !x.asksLost() || x.Outcome != nil || !x.outermost() || !x.asks(x.Instr, verdict.Leak) {
		return
	}
	t := x.tracker()
	for n := range x.Module.Globals {
		t.object(x.Objects[n])
	}
	for _, o := range x.regions {
		t.object(o)
	}
	for _, f := range x.Frames[:len(x.Frames)-1] {
		for _, o := range f.Objects {
			t.object(o)
		}
	}
	for _, o := range x.Objects {
		if o != nil && o.Kind == HeapObject && (o.handed || !o.own()) {
			t.object(o)
		}
	}
	t.value(ret)
	t.run()
	sure := len(t.found)
	for _, o := range x.Objects {
		if o.own() && o.numbered {
			t.object(o)
		}
	}
	unsure := sure < len(t.found)
	t.run()
	for _, o := range x.Objects {
		if o.own() && !t.found[o] {
			x.on.Leaked(o)
			x.violateAs(verdict.NotReleased, verdict.Leak, "%s is lost: no pointer leads to it any more", o)
			return
		}
	}
	if unsure {
		x.EndRun(Unsupported, "", "heap memory that only a number may lead to")
	}
}

// handOver notes what a call of f, by way of model m, hands to code that is not known.
func (x *Machine) handOver(in *ir.Instr, f *ir.Func, m ir.Model, args []Value) {
	if x.asksLost() && in.HandsOver(f, m) {
		x.handOut(in, args...)
	}
}

// handOut notes that code that is not known gets vals, and with that all that they, and what it got before, lead to now.
func (x *Machine) handOut(in *ir.Instr, vals ...Value) {
	if !x.asksLost() || !in.OfProgram() {
		return
	}
	t := x.tracker()
	for _, v := range vals {
		t.value(v)
	}
	for _, o := range x.Objects {
		if o != nil && o.handed {
			t.object(o)
		}
	}
	t.run()
	for o := range t.found {
		o.handed = true
	}
}
