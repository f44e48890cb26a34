package interp

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// addRegions makes the memory map's regions objects at fixed addresses.
func (x *Machine) addRegions() {
	for i := range x.o.Regions {
		r := &x.o.Regions[i]
		n := -1 - len(x.m.Funcs) - i
		o := &object{num: n, kind: regionObject, size: int64(r.Size), align: 1, readOnly: r.Access == ir.AccessRead,
			region: r,
			fill:   fillUnknown,
			base:   r.Base, hasBase: true, init: x.src.ObjectBytes(n, nil)}
		x.regions = append(x.regions, o)
		x.place(o)
	}
}

// place enters an object that has an address into the list by address, behind the region that begins there.
func (x *Machine) place(o *object) {
	i := sort.Search(len(x.placed), func(i int) bool { return x.placed[i].base > o.base })
	x.placed = append(x.placed, nil)
	copy(x.placed[i+1:], x.placed[i:])
	x.placed[i] = o
}

// baseOf is o's address: the source's, or a free one, in a region of the memory
// map where there is one for o.
func (x *Machine) baseOf(o *object) uint64 {
	if o.hasBase {
		return o.base
	}
	x.sealed("the address of an object is looked at")
	o.hasBase = true
	if b, ok := x.src.Base(o.num + o.leapt); ok {
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
func (x *Machine) findPlace(o *object, reuse bool) bool {
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
func (x *Machine) findPlaceIn(o *object, first, last uint64, reuse bool) bool {
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

// clash returns the object with an address that meets [at, at+n) or touches it, or nil: an object, unless reuse is set
// and it is dead for good, a volatile region, or a part of another region that was accessed without an object.
func (x *Machine) clash(at, n uint64, reuse bool) *object {
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
func (x *Machine) toInt(v value, w int) value {
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
func (x *Machine) toPtr(v value) value {
	if v.toObject() && v.obj.dead == "" {
		v.bits = bits.Sub(resize(v.bits, x.pw), bits.New(x.pw, x.baseOf(v.obj)))
		return v
	}
	v.obj = nil // of a dead object, or behind null, the number is left
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
func (x *Machine) containing(a uint64) *object {
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
			if _, ok := x.src.Base(o.num + o.leapt); ok {
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
