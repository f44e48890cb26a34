package ranges

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// A number of an enumeration is one of its enumerators, or what the program itself stores there, unless the enumerators
// are bits to be combined, or a call in the program passes another constant.

// Run is consecutive numbers.
type Run struct{ Low, High int64 }

// RunsOf returns the runs of consecutive values that the enumerators of t have, ascending; nil: t is no enumeration, or
// its enumerators are bits to be combined.
func RunsOf(t *ir.DType) []Run {
	if t == nil || t.Kind != ir.DEnum || len(t.Enum) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(t.Enum), func(a, b ir.DEnumerator) int {
		return cmp.Compare(a.Value, b.Value)
	})
	var out []Run
	for _, e := range sorted {
		if n := len(out); n > 0 && (e.Value == out[n-1].High || e.Value == out[n-1].High+1) {
			out[n-1].High = e.Value
		} else {
			out = append(out, Run{e.Value, e.Value})
		}
	}
	switch {
	case len(out) > 1 && areBits(sorted):
		return nil
	case len(out) > policy.EnumeratorRuns:
		return []Run{{out[0].Low, out[len(out)-1].High}}
	}
	return out
}

// areBits reports whether each enumerator is made of bits that others name, two at least.
func areBits(list []ir.DEnumerator) bool {
	var named uint64
	for _, e := range list {
		if bits.OnesCount64(uint64(e.Value)) == 1 {
			named |= uint64(e.Value)
		}
	}
	return bits.OnesCount64(named) > 1 && !slices.ContainsFunc(list, func(e ir.DEnumerator) bool {
		return uint64(e.Value)&^named != 0
	})
}

// enumerators returns the words of w bits from the least to the greatest enumerator of t; any if it is no enumeration.
func enumerators(t *ir.DType, w int) Interval {
	runs := RunsOf(t)
	if runs == nil || w != t.Bits {
		return Full(w)
	}
	return around(runs, t.Signed, w)
}

// Enumerated returns the numbers that a place of type t holds: the enumerators, and what the program stores there; nil: t is
// no enumeration, or what is stored there is not known.
func (s *Table) Enumerated(at places.Place, t *ir.DType) []Run {
	runs, x := RunsOf(t), s.At[at]
	switch {
	case runs == nil || s.Wild[at.Of]:
		return nil
	case x == nil || x.Unset || at.Global != nil && at.Global.Extern:
		return runs
	case x.Any || x.Some && x.Bits != t.Bits || x.Bits > 60:
		return nil
	case !x.Some:
		return runs
	}
	v := x.Value
	if x.Passed {
		v = v.join(x.passing)
	}
	switch stored := v.Run(t.Signed); {
	case stored == Full(x.Bits).Run(t.Signed):
		return nil
	case stored.Within(runs):
		return runs
	default:
		return append(runs, stored)
	}
}

// around returns the words of w bits from the least to the greatest number of runs, of which there are some.
func around(runs []Run, isSigned bool, w int) Interval {
	if isSigned {
		return signed(w, runs[0].Low, runs[len(runs)-1].High)
	}
	return unsigned(w, runs[0].Low, runs[len(runs)-1].High)
}

// IsEnumerator reports whether v is a constant among the runs of t.
func IsEnumerator(v ir.Value, t *ir.DType) bool {
	k, ok := v.(*ir.Const)
	return ok && k.Kind == ir.ConstInt && exactly(k, k.Bits.Width()).Run(t.Signed).Within(RunsOf(t))
}

// Tells reports whether `number pred c` comes out in one way for all numbers of the runs, and in the other one for some that
// are in none: whoever asks expects these, too.
func Tells(runs []Run, isSigned bool, pred ir.Pred, c *ir.Const) bool {
	if len(runs) == 0 {
		return false
	}
	w := c.T.Width
	all, at, in := Full(w), exactly(c, w), around(runs, isSigned || runs[0].Low < 0, w)
	return slices.ContainsFunc([]ir.Pred{pred, pred.Negated()}, func(p ir.Pred) bool {
		return compared(in, p, at, w).empty() && !compared(all, p, at, w).empty()
	})
}

// enumerations notes the parameters of enumerations; of functions whose address is taken, calls may pass anything.
func (s *Table) enumerations(m *ir.Module) {
	for _, f := range m.Funcs {
		if f.IsDecl() || f.Addr {
			continue
		}
		for i, v := range ir.ParamVars(f) {
			if v != nil && RunsOf(v.T) != nil {
				s.enums[f.Params[i]] = v.T
			}
		}
	}
}

// param returns what a parameter holds: an enumerator, where calls pass nothing else.
func (s *Table) param(p *ir.Param) Interval {
	if t := s.enums[p]; t != nil && !s.passed[p] {
		return enumerators(t, p.T.Width)
	}
	return Full(p.T.Width)
}

// Run returns the numbers of an interval, with a sign or without.
func (x Interval) Run(signed bool) Run {
	if signed {
		return Run{x.slow, x.shigh}
	}
	return Run{x.Ulow, x.Uhigh}
}

// Within reports whether all of r is in one of the runs.
func (r Run) Within(runs []Run) bool {
	return slices.ContainsFunc(runs, func(s Run) bool { return s.Low <= r.Low && r.High <= s.High })
}

// EnumText writes in C that a place of an enumeration is in one of the runs.
func EnumText(name string, runs []Run) string {
	parts := make([]string, len(runs))
	for i, r := range runs {
		parts[i] = fmt.Sprintf("%d <= %s && %s <= %d", r.Low, name, name, r.High)
		if r.Low == r.High {
			parts[i] = fmt.Sprintf("%s == %d", name, r.Low)
		}
		if len(runs) > 1 && r.Low != r.High {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, " || ")
}
