package check

import "math/bits"

// words is a set of words of w bits: lo and the n that follow it, modulo 2^w. A sign does not matter to it. Widths are
// 1 to 64.
type words struct{ lo, n uint64 }

func mask(w int) uint64 { return ^uint64(0) >> (64 - w) }

// all is each word of w bits.
func all(w int) words { return words{0, mask(w)} }

// between is the words from low to high, which may be less than zero.
func between(low, high int64, w int) words {
	return words{uint64(low) & mask(w), min(uint64(high-low), mask(w))}
}

// past adds two numbers, and reports whether the sum is more than w bits hold.
func past(a, b uint64, w int) (uint64, bool) {
	sum, carry := bits.Add64(a, b, 0)
	return sum, carry > 0 || sum > mask(w)
}

// holds reports whether all of y is in x.
func (x words) holds(y words, w int) bool {
	end, over := past((y.lo-x.lo)&mask(w), y.n, w)
	return x.n == mask(w) || !over && end <= x.n
}

// join is a set that holds both.
func (x words) join(y words, w int) words {
	best := all(w)
	for _, c := range [2][2]words{{x, y}, {y, x}} { // from the begin of one
		if end, over := past((c[1].lo-c[0].lo)&mask(w), c[1].n, w); !over && max(end, c[0].n) < best.n {
			best = words{c[0].lo, max(end, c[0].n)}
		}
	}
	return best
}

// meet is a set that holds what is in both; ok is false where nothing is.
func (x words) meet(y words, w int) (out words, ok bool) {
	if x.n == mask(w) {
		return y, true
	}
	begin := (y.lo - x.lo) & mask(w) // as x begins at zero
	end, over := past(begin, y.n, w)
	wraps := over && y.n < mask(w)
	switch end &= mask(w); {
	case y.n == mask(w):
		return x, true
	case begin <= x.n && wraps: // two parts
		if x.n <= y.n {
			return x, true
		}
		return y, true
	case begin <= x.n:
		return words{y.lo, min(x.n, end) - begin}, true
	case wraps:
		return words{x.lo, min(x.n, end)}, true
	}
	return words{}, false
}

// unsigned is the least and the greatest of x without a sign.
func (x words) unsigned(w int) (low, high uint64) {
	if end, over := past(x.lo, x.n, w); !over {
		return x.lo, end
	}
	return 0, mask(w)
}

// signed is the least and the greatest of x with a sign.
func (x words) signed(w int) (low, high int64) {
	half := uint64(1) << (w - 1)
	from, to := words{(x.lo + half) & mask(w), x.n}.unsigned(w)
	return int64(from - half), int64(to - half)
}

// wider is x, which grew to y, with an end that grew at the end of what words with a sign can be.
func (x words) wider(y words, w int) words {
	half := uint64(1) << (w - 1)
	low, high := y.signed(w)
	switch {
	case y.lo == x.lo && high < int64(half-1) && y.n < half:
		return between(low, int64(half-1), w)
	case (y.lo+y.n-x.lo-x.n)&mask(w) == 0 && low > -int64(half-1)-1 && y.n < half:
		return between(-int64(half-1)-1, high, w)
	}
	return all(w)
}
