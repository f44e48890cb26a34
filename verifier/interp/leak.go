package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// failed is a violated assertion.
func (c *call) failed(format string, args ...any) {
	if c.Options.Past[ir.At{Instr: c.in, Check: verdict.Assert}] {
		c.pass(c.in, verdict.Assert)
		return
	}
	if !c.Options.Checks.Has(verdict.Assert) {
		c.leaks(ir.EndFailed)
	}
	c.stop(verdict.Assert, format, args...)
}

// leaks is the check `leak` at the end of the program. It leaves the run alone
// where nothing leaks.
func (x *Machine) leaks(how ir.Ending) {
	if x.Outcome != nil || !x.Options.Checks.Has(verdict.Leak) || !x.Options.Leaks.Asks(how) {
		return
	}
	if x.Options.Leaks == ir.LeakTracked {
		x.lost(how)
		return
	}
	for _, o := range x.Objects {
		if o != nil && o.Kind == HeapObject && o.Dead == "" {
			if how == ir.EndAbort {
				x.EndRun(Unsupported, "", "heap memory where the program aborts")
				return
			}
			x.on.Leaked(o)
			x.violateAs(verdict.NotReleased, verdict.Leak, "%s is never freed", o)
			return
		}
	}
}

// lost is ir.LeakTracked: a violation if a heap block is alive and no pointer in the
// program's variables leads to it. A pointer counts wherever in the block it
// points. A block whose address the program has as a number may be tracked by
// that: nothing can be said of it, nor of what it leads to.
func (x *Machine) lost(how ir.Ending) {
	t := x.tracker()
	for n := range x.Module.Globals {
		t.object(x.Objects[n])
	}
	for _, o := range x.regions {
		t.object(o)
	}
	for n, f := range x.Frames {
		if how == ir.EndReturn {
			break
		}
		for _, o := range f.Objects {
			t.object(o)
		}
		if n+1 < len(x.Frames) {
			for _, v := range ir.LiveAfter(x.Frames[n+1].Call) {
				x.liveIn(t, f, v)
			}
		}
	}
	t.run()
	sure := len(t.found)
	for _, o := range x.Objects {
		if o != nil && o.Kind == HeapObject && o.HasBase && t.numbers {
			t.object(o)
		}
	}
	unsure := sure < len(t.found)
	t.run()
	for _, o := range x.Objects {
		if o != nil && o.Kind == HeapObject && o.Dead == "" && !t.found[o] {
			x.on.Leaked(o)
			x.violateAs(verdict.NotReleased, verdict.Leak, "%s is lost: no pointer leads to it any more", o)
			return
		}
	}
	if unsure {
		x.EndRun(Unsupported, "", "heap memory that only a number may lead to")
	}
}

func (x *Machine) liveIn(t *tracker, f *Frame, v ir.Value) {
	switch v := v.(type) {
	case *ir.Instr:
		t.value(f.Values[v.ID])
	case *ir.Param:
		t.value(f.Params[v.Index])
	}
}

func (x *Machine) tracker() *tracker {
	return &tracker{found: map[*Object]bool{}, width: x.PtrBits / 8, big: x.Layout.BigEndian}
}

// tracker follows pointers.
type tracker struct {
	found   map[*Object]bool
	queue   []*Object
	numbers bool // something found that is no whole pointer is large enough for an address
	width   int  // bytes of a pointer
	big     bool // the target's byte order
}

func (t *tracker) object(o *Object) {
	if o != nil && o.Dead == "" && !t.found[o] {
		t.found[o] = true
		t.queue = append(t.queue, o)
	}
}

func (t *tracker) value(v Value) {
	t.object(v.Object)
	t.numbers = t.numbers || v.Elems == nil && v.Object == nil && v.Bits.Low64() >= firstAddress
	for _, e := range v.Elems {
		t.value(e)
	}
}

func (t *tracker) run() {
	for ; len(t.queue) > 0; t.queue = t.queue[1:] {
		o := t.queue[0]
		for _, v := range o.Pointers {
			t.value(v)
		}
		for n, p := range o.Pages {
			o.Read(n, p, 0, int64(len(p.Data)))
			t.numbers = t.numbers || !o.readOnly && t.mayAddress(p.Data)
		}
	}
}

// firstAddress is above the numbers that programs count with, and not above an
// address that the interpreter gives an object.
const firstAddress = 0x1000

// mayAddress reports whether some bytes, as many as a pointer has, could be an
// address or something computed from one.
func (t *tracker) mayAddress(data []byte) bool {
	for i := 0; i == 0 || i+t.width <= len(data); i++ {
		n := uint64(0)
		for k := range min(t.width, len(data)-i) {
			if b := uint64(data[i+k]); t.big {
				n = n<<8 | b
			} else {
				n |= b << (8 * k)
			}
		}
		if n >= firstAddress {
			return true
		}
	}
	return false
}
