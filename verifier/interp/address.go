package interp

import (
	"fmt"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// addRegions makes the memory map's regions objects at fixed addresses.
func (x *machine) addRegions() {
	for i := range x.o.Regions {
		r := &x.o.Regions[i]
		n := -1 - len(x.m.Funcs) - i
		o := &object{num: n, kind: regionObject, size: int64(r.Size), align: 1, readOnly: r.Access == ir.AccessRead,
			region: r,
			fill:   fillUnknown,
			base:   r.Base, hasBase: true, init: x.src.ObjectBytes(n)}
		x.regions = append(x.regions, o)
		x.place(o)
	}
}

// place enters an object that has an address into the list by address, behind the region that begins there.
func (x *machine) place(o *object) {
	i := sort.Search(len(x.placed), func(i int) bool { return x.placed[i].base > o.base })
	x.placed = append(x.placed, nil)
	copy(x.placed[i+1:], x.placed[i:])
	x.placed[i] = o
}

// baseOf is o's address: the source's, or a free one, in a region of the memory
// map where there is one for o.
func (x *machine) baseOf(o *object) uint64 {
	if o.hasBase {
		return o.base
	}
	x.sealed("the address of an object is looked at")
	o.hasBase = true
	if b, ok := x.src.Base(o.num); ok {
		o.base, _ = b.Uint64()
		x.place(o)
		return o.base
	}
	if !x.findPlace(o, false) && !x.findPlace(o, true) {
		x.end(Unsupported, "", fmt.Sprintf("no address left for %d bytes", o.size))
		return 0
	}
	x.place(o)
	return o.base
}

// findPlace gives o a free address, in a region of the memory map where there is one for o. With reuse it may be one
// that an object had which is dead for good.
func (x *machine) findPlace(o *object, reuse bool) bool {
	homeless := true
	for _, r := range x.regions {
		if r.region.Access == ir.AccessVolatile || o.fn == nil && o.readOnly != (r.region.Access == ir.AccessRead) {
			continue
		}
		homeless = false
		if x.findPlaceIn(o, max(r.base, 8), r.base+uint64(r.size)-1, reuse) {
			return true
		}
	}
	if !homeless {
		return false
	}
	first := x.cursor
	if reuse {
		first = lowestAddress
	}
	found := x.findPlaceIn(o, first, bits.Ones(x.pw).Low64(), reuse)
	x.cursor = o.base + uint64(o.size) + 1
	return found
}

// lowestAddress is where objects begin that the memory map has no place for.
const lowestAddress = 0x1000

// findPlaceIn gives o the first free address from first on, with its end at last at most.
func (x *machine) findPlaceIn(o *object, first, last uint64, reuse bool) bool {
	align := uint64(max(o.align, 8))
	for at := first; ; {
		if at > last-min(last, align) {
			return false
		}
		at = (at + align - 1) / align * align
		if last < at || last-at < uint64(o.size) {
			return false
		}
		clash := x.clash(at, uint64(o.size)+1, reuse)
		if clash == nil {
			o.base = at
			return true
		}
		if at = clash.base + uint64(clash.size) + 1; at < clash.base {
			return false
		}
	}
}

// clash is what has an address that meets [at, at+n) or touches it, or nil: an object, unless reuse is set and it
// is dead for good, a volatile region, or a part of another region that was accessed without an object.
func (x *machine) clash(at, n uint64, reuse bool) *object {
	for _, o := range x.touched {
		if at < o.base+uint64(o.size) && o.base < at+n {
			return o
		}
	}
	for i := sort.Search(len(x.placed), func(i int) bool { return x.placed[i].base >= at+n }) - 1; i >= 0; i-- {
		o := x.placed[i]
		if o.region != nil && o.region.Access != ir.AccessVolatile || reuse && o.gone() {
			continue
		}
		if at < o.base+uint64(o.size)+1 {
			return o
		}
		if o.region == nil && o.dead == "" && !reuse {
			break // objects that are alive do not overlap, so that those below end earlier
		}
	}
	return nil
}

// toInt is the address that a pointer stands for, at width w; integers pass.
func (x *machine) toInt(v value, w int) value {
	if v.obj == nil {
		v.bits = resize(v.bits, w)
		if !v.defined() {
			v.undef = resize(v.undef, w)
		}
		return v
	}
	out := v
	out.bits = resize(bits.Add(v.bits, bits.New(x.pw, x.baseOf(v.obj))), w)
	if w != x.pw {
		out.obj = nil
	}
	if !v.defined() {
		out.undef = resize(v.undef, w)
	}
	return out
}

func resize(b bits.Vec, w int) bits.Vec {
	switch {
	case b.Width() > w:
		return bits.Trunc(b, w)
	case b.Width() < w:
		return bits.Zext(b, w)
	}
	return b
}

// toPtr makes a pointer of an integer (docs/SEMANTICS.md, Memory): the place
// it is the address of as long as that object is alive, else whatever live object or region contains it.
func (x *machine) toPtr(v value) value {
	if v.obj != nil && v.obj.dead == "" {
		v.bits = bits.Sub(resize(v.bits, x.pw), bits.New(x.pw, x.baseOf(v.obj)))
		return v
	}
	v.obj = nil // of a dead object the number is left
	v.bits = resize(v.bits, x.pw)
	if !v.defined() {
		v.undef = resize(v.undef, x.pw)
	}
	a := v.bits.Low64()
	if o := x.containing(a); o != nil {
		v.obj, v.bits = o, bits.New(x.pw, a-o.base)
	}
	return v
}

// containing is the live object or region with address a inside, or nil.
func (x *machine) containing(a uint64) *object {
	if a == 0 && !x.o.AddressZero {
		return nil
	}
	x.sealed("memory is found by its address")
	for n := range x.objects { // the source may know addresses that the program did not ask for yet
		o := x.objects[n]
		if o == nil {
			if b, ok := x.src.Base(n); ok && n < len(x.m.Globals) && b.Low64() <= a {
				o = x.global(x.m.Globals[n])
			}
		}
		if o != nil && !o.hasBase && o.dead == "" {
			if _, ok := x.src.Base(o.num); ok {
				x.baseOf(o)
			}
		}
	}
	for i := sort.Search(len(x.placed), func(i int) bool { return x.placed[i].base > a }) - 1; i >= 0; i-- {
		if o := x.placed[i]; o.dead == "" && a-o.base < uint64(o.size) {
			return o
		}
	}
	return nil
}

// access is what a memory instruction wants to do.
type access struct {
	size  uint64 // bytes
	align int64  // 1: any
	write bool
}

// maxAccess bounds the bytes of one access: of memset and its relatives, whose sizes the inputs choose.
const maxAccess = 1 << 26

// reach finds the object and offset of an access, or ends the run: checks
// `uninitialised` and `memory` (LL-107, LL-108, LL-109).
func (x *machine) reach(p value, a access) (*object, int64, bool) {
	if !x.decide(p, "address") {
		return nil, 0, false
	}
	if p.obj == nil {
		p = x.toPtr(p)
	}
	verb := "read"
	if a.write {
		verb = "write"
	}
	o := p.obj
	if o == nil {
		addr := p.bits.Low64()
		if addr == 0 {
			x.stop(verdict.Memory, "%s through a null pointer", verb)
		} else if x.behindNull() {
			x.stop(verdict.Memory, "%s through a null pointer: %d %s at offset %d", verb, a.size,
				plural(a.size, "byte"), addr)
		} else if !x.goesOn(verdict.Memory, verb) {
			x.stop(verdict.Memory, "%s of %d %s at address 0x%x, which is in no object", verb, a.size,
				plural(a.size, "byte"), addr)
		}
		return nil, 0, false
	}
	off := p.bits.Low64()
	if x.readBytes(o, int64(off), int64(a.size)); a.write {
		x.wroteBytes(o, int64(off), int64(a.size))
	}
	switch {
	case o.global != nil && o.global.Beyond != "":
		x.end(Unsupported, "", o.global.Beyond)
	case o.global != nil && o.global.InProgramMemory():
		x.end(Unsupported, "", verb+" of "+o.global.Name+", which is in program memory, as data")
	case o.kind == funcObject || o.kind == labelObject:
		x.stop(verdict.Memory, "%s of code: %s", verb, x.describe(o))
	case o.dead != "":
		x.stop(verdict.Memory, "%s of %s after %s", verb, x.describe(o), o.death())
	case (off > uint64(o.size) || uint64(o.size)-off < a.size) && o.global != nil && o.global.MayMark() &&
		!x.asks(x.cur, verdict.Memory):
		x.end(Unsupported, "", verb+" where "+o.global.Name+
			" may end, which is defined nowhere, and the check memory is off")
	case off > uint64(o.size) || uint64(o.size)-off < a.size:
		at, _ := p.bits.Int64()
		x.stop(verdict.Memory, "%s of %d %s at offset %s of %s (%d %s)%s", verb, a.size, plural(a.size, "byte"),
			p.bits.Signed(), x.describe(o), o.size, plural(uint64(o.size), "byte"), x.wouldBe(o, at))
		x.outside(o, at, int64(a.size), 0, o.size)
	case !a.write && o.region != nil && o.region.NoRead:
		x.stop(verdict.Memory, "%s of region %s, which can only be written", verb, o.region.Name)
	case a.write && o.readOnly:
		x.stop(verdict.Memory, "write of the constant %s", strings.TrimPrefix(x.describe(o), "the "))
	case o.region != nil && x.runsInto(o.base+off, a.size) != nil:
		x.stop(verdict.Memory, "%s of %d %s at address 0x%x runs into %s", verb, a.size, plural(a.size, "byte"),
			o.base+off, x.describe(x.runsInto(o.base+off, a.size)))
	case a.align > 1 && !x.o.AnyAlignment && !x.aligned(o, off, a.align):
		x.stop(verdict.Memory, "misaligned %s: offset %d of %s, alignment %d needed", verb, off, x.describe(o), a.align)
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

// behindNull reports whether the address of the current load or store is that of a null pointer and an offset.
func (x *machine) behindNull() bool {
	if x.cur == nil || len(x.cur.Args) == 0 {
		return false
	}
	at := x.cur.Args[0]
	if x.cur.Op == ir.OpStore {
		at = x.cur.Args[1]
	}
	for {
		gep, ok := at.(*ir.Instr)
		if !ok || gep.Op != ir.OpGep {
			return false
		}
		at = gep.Args[0]
		if base := x.eval(at); base.obj == nil && base.bits.IsZero() {
			return true
		}
	}
}

// runsInto is the live object that begins behind the first of n bytes at address at, or nil.
func (x *machine) runsInto(at, n uint64) *object {
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
func (x *machine) touch(o *object, off, n uint64) {
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
func (x *machine) goesOn(c verdict.Check, what string) bool {
	if x.asks(x.cur, c) {
		return false
	}
	x.end(Unsupported, "", what+" at an address that is of no object and in no region, and the check "+string(c)+
		" is off")
	return true
}

func (x *machine) aligned(o *object, off uint64, align int64) bool {
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
func (x *machine) describe(o *object) string {
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
	case o.kind == heapObject && o.born != nil && strings.HasPrefix(o.born.Name, ir.BehindPointer):
		return "what '" + strings.TrimPrefix(o.born.Name, ir.BehindPointer) + "' leads to"
	case o.kind == heapObject && o.born != nil:
		return "the block allocated at " + o.born.Pos.String()
	case o.born != nil && o.born.Op == ir.OpAlloca && o.born.Name != "":
		return "'" + o.born.Name + "'"
	}
	return "an object"
}
