package replay

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Range is a range of numbers that some contents may hold.
type Range struct {
	Low, High int64
	Signed    bool
}

// Harmless returns a range of numbers for contents that a harness made up, with which the execution that violates c at
// an instruction comes there and does no harm: around a small one, up to where it fails, or does something else that is
// no end. id is the assumption that names them. ok is false where there is no such number, or none that it fails with.
func Harmless(ctx context.Context, p *problem.Problem, c *verdict.Claim, at *ir.Instr, id string) (r Range, ok bool) {
	d, made := newRedraw(ctx, p, c, at, []string{id})
	if d == nil {
		return r, false
	}
	list := made[id]
	if len(list) != 1 || list[0].bytes > 8 || list[0].kind == ir.EQ {
		return r, false
	}
	s := &search{d: d, part: list[0], known: map[int64]redrawn{}}
	r.Signed = list[0].kind == ir.SLE
	least, most := limitsOf(8*uint(list[0].bytes), r.Signed)
	from, found := s.start(least, most)
	if !found {
		return r, false
	}
	r.Low, r.High = s.last(from, least), s.last(from, most)
	return r, (r.Low > least || r.High < most) && d.ctx.Err() == nil && d.left >= 0
}

// limitsOf returns the least and the greatest number of so many bits that a line of `assume` can name.
func limitsOf(bits uint, signed bool) (least, most int64) {
	const named = 999_999_999_999_999_999
	switch {
	case signed && bits < 60:
		return -(1 << (bits - 1)), 1<<(bits-1) - 1
	case signed:
		return -named, named
	case bits < 60:
		return 0, 1<<bits - 1
	}
	return 0, named
}

// search tries numbers in the place of one part.
type search struct {
	d     *redraw
	part  part
	known map[int64]redrawn
}

// try says what the execution comes to with n.
func (s *search) try(n int64) redrawn {
	out, known := s.known[n]
	if !known {
		out = s.d.with([]part{s.part}, []uint64{uint64(n)})
		s.known[n] = out
	}
	return out
}

// good reports whether the execution does no harm with n, whether or not it comes to the place.
func (s *search) good(n int64) bool {
	out := s.try(n)
	return out == passes || out == ends
}

// start returns a small number with which the execution comes to the place and does not fail.
func (s *search) start(least, most int64) (int64, bool) {
	list := []int64{0, 1}
	for _, x := range s.d.drawn {
		if n := int64(x); n >= least && n <= most && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for _, n := range list {
		if s.try(n) == passes {
			return n, true
		}
	}
	return 0, false
}

// last returns the number farthest from one that is good, in the direction of end, with those tried in between good.
func (s *search) last(from, end int64) int64 {
	if s.good(end) && s.good(from/2+end/2) {
		return end
	}
	good, bad, step := from, end, int64(1)
	for way := sign(end - from); bad == end && (end-good)*way > step; step *= 2 {
		if n := good + way*step; s.good(n) {
			good = n
		} else {
			bad = n
		}
	}
	for (bad-good)*sign(end-from) > 1 {
		if n := good + (bad-good)/2; s.good(n) {
			good = n
		} else {
			bad = n
		}
	}
	return good
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}
