package ir

import (
	"cmp"
	"slices"
)

// Register is a register of a device: Size bytes from At on, in the region of its peripheral.
type Register struct {
	Region string
	Name   string
	At     uint64
	Size   uint64
	Use    RegisterUse `json:",omitempty"`
	Fields []Field     `json:",omitempty"` // those that writes are held to
}

// RegisterUse says whether programs may read and write a register.
type RegisterUse uint8

// The uses. AnyUse also stands for one that is not known for sure.
const (
	AnyUse RegisterUse = iota
	ReadOnly
	WriteOnly
)

// Refuses reports whether a register of this use is not read, or not written.
func (u RegisterUse) Refuses(write bool) bool {
	return write && u == ReadOnly || !write && u == WriteOnly
}

// String is the use in words.
func (u RegisterUse) String() string { return [...]string{"", "read-only", "write-only"}[u] }

// RegisterAt finds the register that holds size bytes at an address: of those that do, the smallest, and of these the
// first.
func (s *Semantics) RegisterAt(region string, at, size uint64) (Register, bool) {
	var found Register
	for i, _ := slices.BinarySearchFunc(s.Registers, at+1, func(r Register, to uint64) int { return cmp.Compare(r.At, to) }); i > 0; i-- {
		r := s.Registers[i-1]
		if at-r.At >= longestRegister {
			break
		}
		if r.Region == region && at-r.At <= r.Size && size <= r.Size-(at-r.At) && (found.Size == 0 || r.Size <= found.Size) {
			found = r
		}
	}
	return found, found.Size > 0
}

// longestRegister is the size of the longest register that there is, in bytes.
const longestRegister uint64 = 8

// SortRegisters brings registers into the order of Semantics.Registers; of what is as long at the same place, the first
// stays in front. Longer ones than there are, and those without a size, are left out.
func SortRegisters(list []Register) []Register {
	list = slices.DeleteFunc(list, func(r Register) bool { return r.Size == 0 || r.Size > longestRegister })
	slices.SortStableFunc(list, func(a, b Register) int { return cmp.Compare(a.At, b.At) })
	return list
}

// RegistersOver lists the registers, of any region, that have one of size bytes at an address: those of several peripherals,
// or forms of one, may share it.
func (s *Semantics) RegistersOver(at, size uint64) []Register {
	var out []Register
	i, _ := slices.BinarySearchFunc(s.Registers, at+size, func(r Register, to uint64) int { return cmp.Compare(r.At, to) })
	for ; i > 0; i-- {
		r := s.Registers[i-1]
		if r.At < at && at-r.At >= longestRegister {
			break
		}
		if r.At >= at || at-r.At < r.Size {
			out = append(out, r)
		}
	}
	return out
}

// PlacesOver lists the multiples of size at which an access of size bytes meets registers of a region.
func (s *Semantics) PlacesOver(region string, size uint64) []uint64 {
	var out []uint64
	for _, r := range s.Registers {
		if r.Region != region {
			continue
		}
		for at := r.At - r.At%size; at < r.At+r.Size; at += size {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Misuse returns how an access of size bytes at an address of a region, a multiple of size, misuses what is there: all
// registers that have one of them refuse it, and one is the region's. "": it does not.
func (s *Semantics) Misuse(region string, at, size uint64, write bool) string {
	if at%size != 0 {
		return ""
	}
	here, own := s.RegistersOver(at, size), false
	for _, r := range here {
		if !r.Use.Refuses(write) {
			return ""
		}
		own = own || r.Region == region
	}
	if !own {
		return ""
	}
	verb := "read"
	if write {
		verb = "write"
	}
	r, ok := s.RegisterAt(region, at, size)
	if !ok {
		r = here[slices.IndexFunc(here, func(r Register) bool { return r.Region == region })]
	}
	return verb + " of " + region + "->" + r.Name + ", which is " + r.Use.String()
}

// AtRegister reports a volatile access at an address that is a number once the calls are known that led to it, the last one
// first. Another address may be whatever somebody passed: that it is of one register and not of the next is known by who
// calls.
func (i *Instr) AtRegister(calls []*Instr) bool {
	_, known := AddressThrough(i.volatileAddress(), calls)
	return known
}

// MayBeAtRegister reports a volatile access at an address that is a number, or that a caller may make one.
func (i *Instr) MayBeAtRegister() bool {
	known, passed := i.addressByItself()
	return known || passed
}

// ByCaller reports an access that may be one of a register, but whose address only a caller makes a number.
func (i *Instr) ByCaller() bool {
	known, passed := i.addressByItself()
	return !known && passed
}

// addressByItself reports of a volatile access whether its address is a number whoever calls, and whether it depends on
// what is passed.
func (i *Instr) addressByItself() (known, passed bool) {
	address := i.volatileAddress()
	if address == nil {
		return false, false
	}
	w := newChooser(nil)
	_, known = w.address(address, nil)
	return known, w.param
}

// IsVolatileAccess reports a volatile access.
func (i *Instr) IsVolatileAccess() bool { return i.volatileAddress() != nil }

// volatileAddress is the address of a volatile access; nil if i is none.
func (i *Instr) volatileAddress() Value {
	if i.Op != OpLoad && i.Op != OpStore && i.Op != OpCmpXchg && i.Op != OpAtomicRMW || !i.Flags.Has(Volatile) {
		return nil
	}
	if i.Op == OpStore {
		return i.AddressOf(1)
	}
	return i.AddressOf(0)
}
