package encode

import "github.com/firmproof/firmproof/verifier/policy"

// havoc holds what becomes unknown at one arrival at a loop.
type havoc struct {
	objs map[string]*objHavoc // by object key
	phis map[int]*place       // by number in the header
}

type objHavoc struct {
	whole, live bool
	u           bool     // with whole: may have indeterminate bits
	places      []*place // by offset
}

// place is a range of bytes of an object, or a phi.
type place struct {
	off, n int64
	ptr    bool
	spots  map[string]spot // what a pointer can be, by object key; "" is an address
	u      bool            // may be indeterminate
}

// spot is where in an object a pointer can be: at offset c, or with any at every
// multiple of 1<<zeros.
type spot struct {
	c     uint64
	any   bool
	zeros int
}

func (s spot) join(o spot) spot {
	if !s.any && !o.any && s.c == o.c {
		return s
	}
	return spot{any: true, zeros: min(s.low(), o.low())}
}

func (s spot) low() int {
	if s.any {
		return s.zeros
	}
	return min(16, trailing(s.c))
}

func trailing(c uint64) int {
	n := 0
	for ; n < 16 && c>>uint(n)&1 == 0; n++ {
	}
	return n
}

// tooMany reports whether so many elements are unknown that numbers of their own cost more than they tell.
func (h *objHavoc) tooMany() bool {
	undefined := 0
	for _, p := range h.places {
		if p.u {
			undefined++
		}
	}
	return len(h.places) > policy.UnknownElements || undefined > policy.UndefinedElements
}

func (h *objHavoc) find(off, n int64) *place {
	for _, p := range h.places {
		if p.off == off && p.n == n {
			return p
		}
	}
	return nil
}

func (h *objHavoc) overlaps(off, n int64) bool {
	for _, p := range h.places {
		if p.off < off+n && off < p.off+p.n {
			return true
		}
	}
	return false
}
