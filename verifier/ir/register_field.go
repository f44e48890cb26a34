package ir

import (
	"fmt"
	"slices"
	"strings"
)

// Field is what the description of a device says of the bits of a register that a write is held to.
type Field struct {
	Name  string
	Low   int // number of its lowest bit
	Width int // in bits
	// the numbers that may be written; empty: any
	Takes []Span `json:",omitempty"`
	// a one that is written clears the bit, or the flag that it stands for; a zero changes nothing
	ClearedByOnes bool `json:",omitempty"`
}

// Span holds the numbers From..To.
type Span struct{ From, To uint64 }

// Mask has ones where the field is.
func (f *Field) Mask() uint64 { return lowOnes(f.Width) << f.Low }

// lowOnes has ones in its n lowest bits.
func lowOnes(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// takes words what may be written.
func (f *Field) takes() string {
	var words []string
	for _, s := range f.Takes {
		if s.From == s.To {
			words = append(words, fmt.Sprint(s.From))
		} else {
			words = append(words, fmt.Sprintf("%d..%d", s.From, s.To))
		}
	}
	return strings.Join(words, ", ")
}

// Misfit is a way in which a written number does not fit a register.
type Misfit struct {
	Mask  uint64 // of the bits that count
	Low   int    // number of the lowest of them
	Takes []Span // the numbers that fit, once shifted down; empty: 0 alone
	Text  string // what is wrong, with %s for the number
}

// Fits reports whether what is written fits, and the number that counts.
func (m *Misfit) Fits(written uint64) (uint64, bool) {
	n := written & m.Mask >> m.Low
	return n, n == 0 && len(m.Takes) == 0 || slices.ContainsFunc(m.Takes, func(s Span) bool { return s.From <= n && n <= s.To })
}

// HasFields reports whether a write of size bytes at an address is held to fields.
func (s *Semantics) HasFields(at, size uint64) bool {
	return slices.ContainsFunc(s.RegistersOver(at, size), func(r Register) bool { return len(r.Fields) > 0 })
}

// Misfits lists how the number that a store writes at an address of a region may not fit the fields of the register there.
// It looks at fields alone whose bits the code chooses (Choices): what was read of the device, or passed by an unknown
// caller, is not the code's. Fields of which a one that is written clears a flag are not to get what was read of them
// beside ones of the code: that clears whatever is set. calls holds the calls that led to the store, the last one first.
// Where several registers share the place, or the store is not of all of one, nothing is known.
func (s *Semantics) Misfits(in *Instr, calls []*Instr, region string, at, size uint64) []Misfit {
	if in.Op != OpStore {
		return nil
	}
	here := s.RegistersOver(at, size)
	if len(here) != 1 || here[0].At != at || here[0].Size != size || here[0].Region != region || len(here[0].Fields) == 0 {
		return nil
	}
	r, c := &here[0], ChoicesOf(in.Args[0], calls)
	var out []Misfit
	var clears uint64
	for i := range r.Fields {
		f := &r.Fields[i]
		if mask := f.Mask(); f.ClearedByOnes {
			clears |= mask
		} else if len(f.Takes) > 0 && mask&^c.Chosen == 0 {
			out = append(out, Misfit{Mask: mask, Low: f.Low, Takes: f.Takes,
				Text: "write of %s to " + region + "->" + r.Name + "." + f.Name + ", which takes " + f.takes()})
		}
	}
	if read := c.Read & clears; read != 0 && c.Ones&clears != 0 && sameAddress(c.From, in.Args[1], calls) {
		out = append(out, Misfit{Mask: read, Text: "write of ones that were read of " + region + "->" + r.Name +
			", which clear what is set there beside what the code names"})
	}
	return out
}

// sameAddress reports a read of the place that an address of the same function is of. The read may be in a caller, which
// passed what it read: then it is not looked at.
func sameAddress(read *Instr, address Value, calls []*Instr) bool {
	if read.Args[0] == address {
		return true
	}
	a, ok := AddressThrough(read.Args[0], calls)
	b, known := AddressThrough(address, calls)
	return ok && known && a == b
}
