package interp

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// access holds what a memory instruction wants to do.
type access struct {
	size  uint64 // bytes
	align int64  // 1: any
	write bool
	arg   int // the argument of the current instruction that may be its address (ir.AddressOf)
}

// maxAccess bounds the bytes of one access: of memset and its relatives, whose sizes the inputs choose.
const maxAccess = 1 << 26

// reach finds the object and offset of an access, or ends the run: checks
// `uninitialised` and `memory` (LL-107, LL-108, LL-109).
func (x *Machine) reach(p value, a access) (*object, int64, bool) {
	if !x.decide(p, "address") {
		return nil, 0, false
	}
	verb := "read"
	if a.write {
		verb = "write"
	}
	if p.obj == nil {
		p = x.toPtr(p)
	}
	o := p.obj
	if o == nil || o.kind == nullObject {
		addr := p.bits.Low64()
		if addr == 0 {
			x.stopAs(verdict.NullAccess, verdict.Memory, "%s through a null pointer", verb)
		} else if o != nil || x.behindNull(a.arg) {
			x.stopAs(verdict.NullAccess, verdict.Memory, "%s through a null pointer: %d %s at offset %d", verb,
				a.size, plural(a.size, "byte"), addr)
		} else if !x.goesOn(verdict.Memory, verb) {
			x.stopAs(verdict.NoObject, verdict.Memory, "%s of %d %s at address 0x%x, which is in no object", verb,
				a.size, plural(a.size, "byte"), addr)
		}
		return nil, 0, false
	}
	off := p.bits.Low64()
	x.on.Access(o, int64(off), int64(a.size), a.write)
	switch {
	case o.global != nil && o.global.Beyond != "":
		x.end(Unsupported, "", o.global.Beyond)
	case o.global != nil && o.global.InProgramMemory():
		x.end(Unsupported, "", verb+" of "+o.global.Name+", which is in program memory, as data")
	case o.kind == funcObject || o.kind == labelObject:
		x.stopAs(verdict.OfCode, verdict.Memory, "%s of code: %s", verb, o)
	case o.dead != "":
		x.stopAs(verdict.AfterEnd, verdict.Memory, "%s of %s after %s", verb, o, o.death())
	case (off > uint64(o.size) || uint64(o.size)-off < a.size) && o.global != nil && o.global.MayMark() &&
		!x.asks(x.cur, verdict.Memory):
		x.end(Unsupported, "", verb+" where "+o.global.Name+
			" may end, which is defined nowhere, and the check memory is off")
	case off > uint64(o.size) || uint64(o.size)-off < a.size:
		at, _ := p.bits.Int64()
		x.stopAs(verdict.OutOfBounds, verdict.Memory, "%s of %d %s at offset %s of %s (%d %s)%s", verb, a.size,
			plural(a.size, "byte"), p.bits.Signed(), o, o.size, plural(uint64(o.size), "byte"), x.wouldBe(o, at))
		x.outside(x.cur, o, at, int64(a.size), 0, o.size)
	case !a.write && o.region != nil && o.region.NoRead:
		x.stopAs(verdict.WriteOnly, verdict.Memory, "%s of region %s, which can only be written", verb,
			named{o, o.region.Name})
	case a.write && o.readOnly:
		x.stopAs(verdict.ReadOnly, verdict.Memory, "write of the constant %s",
			named{o, strings.TrimPrefix(x.describe(o), "the ")})
	case o.region != nil && x.runsInto(o.base+off, a.size) != nil:
		x.stopAs(verdict.RunsInto, verdict.Memory, "%s of %d %s at address 0x%x runs into %s", verb, a.size,
			plural(a.size, "byte"), o.base+off, x.runsInto(o.base+off, a.size))
	case a.align > 1 && !x.o.AnyAlignment && !x.aligned(o, off, a.align):
		x.stopAs(verdict.Misaligned, verdict.Memory, "misaligned %s: offset %d of %s, alignment %d needed", verb, off, o,
			a.align)
	case a.size > maxAccess:
		x.end(Unsupported, "", fmt.Sprintf("%s of %d bytes at once: more than the %d that are executed", verb, a.size,
			maxAccess))
	default:
		x.spend(int64(a.size))
		x.touch(o, off, a.size)
		return o, int64(off), true
	}
	return nil, 0, false
}

// behindNull reports whether the current instruction accesses with an argument what is at an offset of a null pointer.
func (x *Machine) behindNull(arg int) bool {
	return slices.ContainsFunc(ir.Bases(x.cur.AddressOf(arg)), func(v ir.Value) bool {
		base := x.eval(v)
		return base.obj == nil && base.bits.IsZero()
	})
}

// runsInto is the live object that begins behind the first of n bytes at address at, or nil.
func (x *Machine) runsInto(at, n uint64) *object {
	for i := sort.Search(len(x.placed), func(i int) bool { return x.placed[i].base > at }); i < len(x.placed); i++ {
		if o := x.placed[i]; o.base-at >= n {
			return nil
		} else if o.region == nil && o.dead == "" {
			return o
		}
	}
	return nil
}

// touch notes that bytes of a region were accessed that are in no object: none can be placed there later.
func (x *Machine) touch(o *object, off, n uint64) {
	if o.region == nil || o.region.Access == ir.AccessVolatile || n == 0 {
		return
	}
	at := o.base + off
	for _, t := range x.touched {
		if t.base <= at && at <= t.base+uint64(t.size) {
			t.size = max(t.size, int64(at+n-t.base))
			return
		}
	}
	x.touched = append(x.touched, &object{base: at, size: int64(n)})
}

// goesOn ends the run as not modelled where an address is of nothing known, and nobody
// asks for the check: what is there goes on.
func (x *Machine) goesOn(c verdict.Check, what string) bool {
	if x.asks(x.cur, c) {
		return false
	}
	x.end(Unsupported, "", what+" at an address that is of no object and in no region, and the check "+string(c)+
		" is off")
	return true
}

func (x *Machine) aligned(o *object, off uint64, align int64) bool {
	if o.align%align == 0 {
		return off%uint64(align) == 0
	}
	return (x.baseOf(o)+off)%uint64(align) == 0
}

func plural(n uint64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// describe names an object to people.
func (x *Machine) describe(o *object) string {
	switch {
	case o.variable != nil && o.earlier:
		return "'" + o.variable.Name + "' of an earlier turn of the loop"
	case o.variable != nil:
		return "'" + o.variable.Name + "'"
	case o.isLiteral():
		return "the string " + o.literal()
	case o.global != nil:
		return "'" + o.global.Name + "'"
	case o.fn != nil:
		return "function '" + o.fn.Name + "'"
	case o.region != nil:
		return "region '" + o.region.Name + "'"
	case o.block != nil:
		return "a label"
	case o.kind == nullObject:
		return "a null pointer"
	case o.pointer() != "":
		return "what '" + o.pointer() + "' leads to"
	case o.kind == heapObject && o.born != nil:
		return "the block allocated at " + o.born.Pos.String()
	case o.born != nil && o.born.Op == ir.OpAlloca && o.born.Name != "":
		return "'" + o.born.Name + "'"
	}
	return "an object"
}
