package interp

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// failed is a violated assertion.
func (c *call) failed(format string, args ...any) {
	if c.o.Past[ir.At{Instr: c.in, Check: verdict.Assert}] {
		c.pass(c.in, verdict.Assert)
		return
	}
	if !c.o.Checks.Has(verdict.Assert) {
		c.leaks(ir.EndFailed)
	}
	c.stop(verdict.Assert, format, args...)
}

// leaks is the check `leak` at the end of the program. It leaves the run alone
// where nothing leaks.
func (x *Machine) leaks(how ir.Ending) {
	if x.out != nil || !x.o.Checks.Has(verdict.Leak) || !x.o.Leaks.Asks(how) {
		return
	}
	if x.o.Leaks == ir.LeakTracked {
		x.lost(how)
		return
	}
	for _, o := range x.objects {
		if o != nil && o.kind == heapObject && o.dead == "" {
			if how == ir.EndAbort {
				x.end(Unsupported, "", "heap memory where the program aborts")
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
	t := &tracker{found: map[*object]bool{}, width: x.pw / 8, big: x.l.BigEndian}
	for n := range x.m.Globals {
		t.object(x.objects[n])
	}
	for _, o := range x.regions {
		t.object(o)
	}
	for n, f := range x.frames {
		if how == ir.EndReturn {
			break
		}
		for _, o := range f.objs {
			t.object(o)
		}
		if n+1 < len(x.frames) {
			for _, v := range ir.LiveAfter(x.frames[n+1].call) {
				x.liveIn(t, f, v)
			}
		}
	}
	t.run()
	sure := len(t.found)
	for _, o := range x.objects {
		if o != nil && o.kind == heapObject && o.hasBase && t.numbers {
			t.object(o)
		}
	}
	unsure := sure < len(t.found)
	t.run()
	for _, o := range x.objects {
		if o != nil && o.kind == heapObject && o.dead == "" && !t.found[o] {
			x.on.Leaked(o)
			x.violateAs(verdict.NotReleased, verdict.Leak, "%s is lost: no pointer leads to it any more", o)
			return
		}
	}
	if unsure {
		x.end(Unsupported, "", "heap memory that only a number may lead to")
	}
}

func (x *Machine) liveIn(t *tracker, f *frame, v ir.Value) {
	switch v := v.(type) {
	case *ir.Instr:
		t.value(f.vals[v.ID])
	case *ir.Param:
		t.value(f.params[v.Index])
	}
}

// tracker follows pointers.
type tracker struct {
	found   map[*object]bool
	queue   []*object
	numbers bool // something found that is no whole pointer is large enough for an address
	width   int  // bytes of a pointer
	big     bool // the target's byte order
}

func (t *tracker) object(o *object) {
	if o != nil && o.dead == "" && !t.found[o] {
		t.found[o] = true
		t.queue = append(t.queue, o)
	}
}

func (t *tracker) value(v value) {
	t.object(v.obj)
	t.numbers = t.numbers || v.elems == nil && v.obj == nil && v.bits.Low64() >= firstAddress
	for _, e := range v.elems {
		t.value(e)
	}
}

func (t *tracker) run() {
	for ; len(t.queue) > 0; t.queue = t.queue[1:] {
		o := t.queue[0]
		for _, v := range o.ptrs {
			t.value(v)
		}
		for n, p := range o.pages {
			o.read(n, p, 0, int64(len(p.data)))
			t.numbers = t.numbers || !o.readOnly && t.mayAddress(p.data)
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
