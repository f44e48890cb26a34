package interp

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// access holds what a memory instruction wants to do.
type access struct {
	size  uint64 // bytes
	align int64  // 1: any
	write bool
	arg   int // the argument of the current instruction that may be its address (ir.AddressOf)
}

// reach finds the object and offset of an access, or ends the run: checks
// `uninitialised` and `memory` (LL-107, LL-108, LL-109).
func (x *Machine) reach(p Value, a access) (*Object, int64, bool) {
	if !x.decide(p, "address") {
		return nil, 0, false
	}
	verb := "read"
	if a.write {
		verb = "write"
	}
	if p.Object == nil {
		p = x.toPtr(p)
	}
	o := p.Object
	if o == nil || o.Kind == nullObject {
		addr := p.Bits.Low64()
		if addr == 0 {
			x.stopAs(verdict.NullAccess, verdict.Memory, "%s through a null pointer", verb)
		} else if o != nil || x.behindNull(a.arg) {
			x.stopAs(verdict.NullAccess, verdict.Memory, "%s through a null pointer: %d %s at offset %s", verb,
				a.size, Plural(a.size, "byte"), p.Bits.Signed())
		} else if !x.goesOn(verdict.Memory, verb) {
			x.stopAs(verdict.NoObject, verdict.Memory, "%s of %d %s at address 0x%x, which is in no object", verb,
				a.size, Plural(a.size, "byte"), addr)
		}
		return nil, 0, false
	}
	off := p.Bits.Low64()
	x.on.Access(o, int64(off), int64(a.size), a.write)
	switch {
	case o.Global != nil && o.Global.Beyond != "":
		x.EndRun(Unsupported, "", o.Global.Beyond)
	case o.Global != nil && o.Global.InProgramMemory():
		x.EndRun(Unsupported, "", verb+" of "+o.Global.Name+", which is in program memory, as data")
	case o.Kind == funcObject || o.Kind == labelObject:
		x.stopAs(verdict.OfCode, verdict.Memory, "%s of code: %s", verb, o)
	case o.Dead != "":
		x.stopAs(verdict.AfterEnd, verdict.Memory, "%s of %s after %s", verb, o, o.death())
	case (off > uint64(o.Size) || uint64(o.Size)-off < a.size) && o.Global != nil && o.Global.MayMark() &&
		!x.asks(x.Instr, verdict.Memory):
		x.EndRun(Unsupported, "", verb+" where "+o.Global.Name+
			" may end, which is defined nowhere, and the check memory is off")
	case off > uint64(o.Size) || uint64(o.Size)-off < a.size:
		at, _ := p.Bits.Int64()
		x.stopAs(verdict.OutOfBounds, verdict.Memory, "%s of %d %s at offset %s of %s (%d %s)%s", verb, a.size,
			Plural(a.size, "byte"), p.Bits.Signed(), o, o.Size, Plural(uint64(o.Size), "byte"), x.wouldBe(o, at))
		x.outside(x.Instr, o, at, int64(a.size), 0, o.Size)
		x.reads(!a.write)
	case !a.write && o.Region != nil && o.Region.NoRead:
		x.stopAs(verdict.WriteOnly, verdict.Memory, "%s of region %s, which can only be written", verb,
			named{o, o.Region.Name})
	case a.write && o.readOnly:
		x.stopAs(verdict.ReadOnly, verdict.Memory, "write of the constant %s",
			named{o, strings.TrimPrefix(x.describe(o), "the ")})
	case o.Region != nil && x.runsInto(o.Base+off, a.size) != nil:
		x.stopAs(verdict.RunsInto, verdict.Memory, "%s of %d %s at address 0x%x runs into %s", verb, a.size,
			Plural(a.size, "byte"), o.Base+off, x.runsInto(o.Base+off, a.size))
	case a.align > 1 && !x.Options.AnyAlignment && !x.aligned(o, off, a.align):
		x.stopAs(verdict.Misaligned, verdict.Memory, "misaligned %s: offset %d of %s, alignment %d needed", verb, off, o,
			a.align)
	case a.size > policy.AccessBytes:
		x.EndRun(Unsupported, "", fmt.Sprintf("%s of %d bytes at once: more than the %d that are executed", verb, a.size,
			policy.AccessBytes))
	default:
		x.spend(int64(a.size))
		x.touch(o, off, a.size)
		return o, int64(off), true
	}
	return nil, 0, false
}

// behindNull reports whether the current instruction accesses with an argument what is at an offset of a null pointer.
func (x *Machine) behindNull(arg int) bool {
	return slices.ContainsFunc(ir.Bases(x.Instr.AddressOf(arg)), func(v ir.Value) bool {
		base := x.Eval(v)
		return base.Object == nil && base.Bits.IsZero()
	})
}

// runsInto is the live object that begins behind the first of n bytes at address at, or nil.
func (x *Machine) runsInto(at, n uint64) *Object {
	for i := sort.Search(len(x.Placed), func(i int) bool { return x.Placed[i].Base > at }); i < len(x.Placed); i++ {
		if o := x.Placed[i]; o.Base-at >= n {
			return nil
		} else if o.Region == nil && o.Dead == "" {
			return o
		}
	}
	return nil
}

// touch notes that bytes of a region were accessed that are in no object: none can be placed there later.
func (x *Machine) touch(o *Object, off, n uint64) {
	if o.Region == nil || o.Region.Access == ir.AccessVolatile || n == 0 {
		return
	}
	at := o.Base + off
	for _, t := range x.touched {
		if t.Base <= at && at <= t.Base+uint64(t.Size) {
			t.Size = max(t.Size, int64(at+n-t.Base))
			return
		}
	}
	x.touched = append(x.touched, &Object{Base: at, Size: int64(n)})
}

// goesOn ends the run as not modelled where an address is of nothing known, and nobody
// asks for the check: what is there goes on.
func (x *Machine) goesOn(c verdict.Check, what string) bool {
	if x.asks(x.Instr, c) {
		return false
	}
	x.EndRun(Unsupported, "", what+" at an address that is of no object and in no region, and the check "+string(c)+
		" is off")
	return true
}

func (x *Machine) aligned(o *Object, off uint64, align int64) bool {
	if o.align%align == 0 {
		return off%uint64(align) == 0
	}
	return (x.baseOf(o)+off)%uint64(align) == 0
}

// Plural is the word for n things.
func Plural(n uint64, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// describe names an object to people.
func (x *Machine) describe(o *Object) string {
	switch {
	case o.Variable != nil && o.earlier:
		return "'" + o.Variable.Name + "' of an earlier turn of the loop"
	case o.Variable != nil:
		return "'" + o.Variable.Name + "'"
	case o.IsLiteral():
		return "the string " + o.Literal()
	case o.Global != nil:
		return "'" + o.Global.Name + "'"
	case o.Func != nil:
		return "function '" + o.Func.Name + "'"
	case o.Region != nil:
		return "region '" + o.Region.Name + "'"
	case o.Block != nil:
		return "a label"
	case o.Kind == nullObject:
		return "a null pointer"
	case o.HarnessPointer() != "":
		return "what '" + o.HarnessPointer() + "' leads to"
	case o.Kind == HeapObject && o.Born != nil:
		return "the block allocated at " + o.Born.Pos.String()
	case o.Born != nil && o.Born.Op == ir.OpAlloca && o.Born.Name != "":
		return "'" + o.Born.Name + "'"
	}
	return "an object"
}
