package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// written says which bytes of an object have a value: those of the spans, or all.
type written struct {
	all   bool
	spans []span // in order, apart from each other
}

// span is the bytes from lo to hi-1.
type span struct{ lo, hi int64 }

// with returns w with n bytes at off too, if it is known which these are.
func (w written) with(off exact.Lin, n int64) written {
	lo, ok := off.Const.Int64()
	if w.all || !off.IsConst() || !ok || w.covers(off, n) {
		return w
	}
	now := span{lo, lo + n}
	var out []span
	for _, s := range w.spans {
		if s.hi < now.lo || now.hi < s.lo {
			out = append(out, s)
			continue
		}
		now = span{min(now.lo, s.lo), max(now.hi, s.hi)}
	}
	out = append(out, now)
	slices.SortFunc(out, func(x, y span) int { return int(x.lo - y.lo) })
	return written{spans: out[:min(len(out), policy.StateSpans)]}
}

// covers reports that n bytes at off have a value.
func (w written) covers(off exact.Lin, n int64) bool {
	lo, ok := off.Const.Int64()
	return w.all || off.IsConst() && ok && slices.ContainsFunc(w.spans, func(s span) bool {
		return s.lo <= lo && lo+n <= s.hi
	})
}

// and returns the bytes that have a value in both.
func (w written) and(x written) written {
	switch {
	case w.all:
		return x
	case x.all:
		return w
	}
	var out []span
	for _, s := range w.spans {
		for _, t := range x.spans {
			if lo, hi := max(s.lo, t.lo), min(s.hi, t.hi); lo < hi {
				out = append(out, span{lo, hi})
			}
		}
	}
	return written{spans: out}
}

// moved returns those of n bytes from on, as they are when they lie at to.
func (w written) moved(from, to, n int64) written {
	if w.all {
		return written{spans: []span{{to, to + n}}}
	}
	var out written
	for _, s := range w.spans {
		if lo, hi := max(s.lo, from), min(s.hi, from+n); lo < hi {
			out.spans = append(out.spans, span{lo - from + to, hi - from + to})
		}
	}
	return out
}

// outside returns the spans without the bytes from lo to hi-1.
func (w written) outside(lo, hi int64) []span {
	var out []span
	for _, s := range w.spans {
		if s.lo < lo {
			out = append(out, span{s.lo, min(s.hi, lo)})
		}
		if hi < s.hi {
			out = append(out, span{max(s.lo, hi), s.hi})
		}
	}
	return out
}

func (w written) equal(x written) bool { return w.all == x.all && slices.Equal(w.spans, x.spans) }
