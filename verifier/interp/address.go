package interp

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
)

// addRegions makes the memory map's regions objects at fixed addresses.
func (x *Machine) addRegions() {
	for i := range x.Options.Regions {
		r := &x.Options.Regions[i]
		n := -1 - len(x.Module.Funcs) - i
		o := &Object{Number: n, Kind: regionObject, Size: int64(r.Size), align: 1, readOnly: r.Access == ir.AccessRead,
			Region: r,
			Fill:   FillUnknown,
			Base:   r.Base, HasBase: true, Source: x.src.ObjectBytes(n, nil)}
		x.regions = append(x.regions, o)
		x.place(o)
	}
}

// place enters an object that has an address into the list by address, behind the region that begins there.
func (x *Machine) place(o *Object) {
	i := sort.Search(len(x.Placed), func(i int) bool { return x.Placed[i].Base > o.Base })
	x.Placed = append(x.Placed, nil)
	copy(x.Placed[i+1:], x.Placed[i:])
	x.Placed[i] = o
}

// baseOf is o's address: the source's, or a free one, in a region of the memory
// map where there is one for o.
func (x *Machine) baseOf(o *Object) uint64 {
	if o.HasBase {
		return o.Base
	}
	x.sealed("the address of an object is looked at")
	o.HasBase = true
	if b, ok := x.src.Base(o.Number + o.leapt); ok {
		o.Base, _ = b.Uint64()
		x.place(o)
		return o.Base
	}
	if !x.findPlace(o, false) && !x.findPlace(o, true) {
		x.EndRun(Unsupported, "", fmt.Sprintf("no address left for %d bytes", o.Size))
		return 0
	}
	x.place(o)
	return o.Base
}

// findPlace gives o a free address, in a region of the memory map where there is one for o. With reuse it may be one
// that an object had which is dead for good.
func (x *Machine) findPlace(o *Object, reuse bool) bool {
	homeless := true
	for _, r := range x.regions {
		if r.Region.Access == ir.AccessVolatile || o.Func == nil && o.readOnly != (r.Region.Access == ir.AccessRead) {
			continue
		}
		homeless = false
		if x.findPlaceIn(o, max(r.Base, 8), r.Base+uint64(r.Size)-1, reuse) {
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
	found := x.findPlaceIn(o, first, bits.Ones(x.PtrBits).Low64(), reuse)
	x.cursor = o.Base + uint64(o.Size) + 1
	return found
}

// lowestAddress is where objects begin that the memory map has no place for.
const lowestAddress = 0x1000

// findPlaceIn gives o the first free address from first on, with its end at last at most.
func (x *Machine) findPlaceIn(o *Object, first, last uint64, reuse bool) bool {
	align := uint64(max(o.align, 8))
	for at := first; ; {
		if at > last-min(last, align) {
			return false
		}
		at = (at + align - 1) / align * align
		if last < at || last-at < uint64(o.Size) {
			return false
		}
		clash := x.clash(at, uint64(o.Size)+1, reuse)
		if clash == nil {
			o.Base = at
			return true
		}
		if at = clash.Base + uint64(clash.Size) + 1; at < clash.Base {
			return false
		}
	}
}

// clash returns the object with an address that meets [at, at+n) or touches it, or nil: an object, unless reuse is set
// and it is dead for good, a volatile region, or a part of another region that was accessed without an object.
func (x *Machine) clash(at, n uint64, reuse bool) *Object {
	for _, o := range x.touched {
		if at < o.Base+uint64(o.Size) && o.Base < at+n {
			return o
		}
	}
	for i := sort.Search(len(x.Placed), func(i int) bool { return x.Placed[i].Base >= at+n }) - 1; i >= 0; i-- {
		o := x.Placed[i]
		if o.Region != nil && o.Region.Access != ir.AccessVolatile || reuse && o.gone() {
			continue
		}
		if at < o.Base+uint64(o.Size)+1 {
			return o
		}
		if o.Region == nil && o.Dead == "" && !reuse {
			break // objects that are alive do not overlap, so that those below end earlier
		}
	}
	return nil
}

// exposed is ToInt where the program gets the number: it may keep track of the object by that from now on.
func (x *Machine) exposed(v Value, w int) Value {
	if v.Object != nil {
		v.Object.numbered = true
	}
	return x.ToInt(v, w)
}

// ToInt is the address that a pointer stands for, at width w; integers pass.
func (x *Machine) ToInt(v Value, w int) Value {
	if v.Object == nil {
		v.Bits = Resize(v.Bits, w)
		if !v.Defined() {
			v.Undef = Resize(v.Undef, w)
		}
		return v
	}
	out := v
	out.Bits = Resize(bits.Add(v.Bits, bits.New(x.PtrBits, x.baseOf(v.Object))), w)
	if w != x.PtrBits {
		out.Object = nil
	}
	if !v.Defined() {
		out.Undef = Resize(v.Undef, w)
	}
	return out
}

// Resize cuts b to width w or extends it with zeros.
func Resize(b bits.Vec, w int) bits.Vec {
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
func (x *Machine) toPtr(v Value) Value {
	if v.toObject() && v.Object.Dead == "" {
		v.Bits = bits.Sub(Resize(v.Bits, x.PtrBits), bits.New(x.PtrBits, x.baseOf(v.Object)))
		return v
	}
	v.Object = nil // of a dead object, or behind null, the number is left
	v.Bits = Resize(v.Bits, x.PtrBits)
	if !v.Defined() {
		v.Undef = Resize(v.Undef, x.PtrBits)
	}
	a := v.Bits.Low64()
	if o := x.containing(a); o != nil {
		v.Object, v.Bits = o, bits.New(x.PtrBits, a-o.Base)
	}
	return v
}

// containing is the live object or region with address a inside, or nil.
func (x *Machine) containing(a uint64) *Object {
	if a == 0 && !x.Options.AddressZero {
		return nil
	}
	x.sealed("memory is found by its address")
	for n := range x.Objects { // the source may know addresses that the program did not ask for yet
		o := x.Objects[n]
		if o == nil {
			if b, ok := x.src.Base(n); ok && n < len(x.Module.Globals) && b.Low64() <= a {
				o = x.global(x.Module.Globals[n])
			}
		}
		if o != nil && !o.HasBase && o.Dead == "" {
			if _, ok := x.src.Base(o.Number + o.leapt); ok {
				x.baseOf(o)
			}
		}
	}
	for i := sort.Search(len(x.Placed), func(i int) bool { return x.Placed[i].Base > a }) - 1; i >= 0; i-- {
		if o := x.Placed[i]; o.Dead == "" && a-o.Base < uint64(o.Size) {
			return o
		}
	}
	return nil
}
