package weave

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// A number of an enumeration is one of its enumerators, or what the program itself stores there, unless the enumerators
// are bits to be combined, or a call in the program passes another constant.

// maxRuns bounds the runs of enumerators that are told apart; beyond, those between the least and the greatest count.
const maxRuns = 8

// run is consecutive numbers.
type run struct{ low, high int64 }

// runsOf returns the runs of consecutive values that the enumerators of t have, ascending; nil: t is no enumeration, or
// its enumerators are bits to be combined.
func runsOf(t *ir.DType) []run {
	if t == nil || t.Kind != ir.DEnum || len(t.Enum) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(slices.Values(t.Enum), func(a, b ir.DEnumerator) int {
		return cmp.Compare(a.Value, b.Value)
	})
	var out []run
	for _, e := range sorted {
		if n := len(out); n > 0 && (e.Value == out[n-1].high || e.Value == out[n-1].high+1) {
			out[n-1].high = e.Value
		} else {
			out = append(out, run{e.Value, e.Value})
		}
	}
	switch {
	case len(out) > 1 && areBits(sorted):
		return nil
	case len(out) > maxRuns:
		return []run{{out[0].low, out[len(out)-1].high}}
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
func enumerators(t *ir.DType, w int) interval {
	runs := runsOf(t)
	switch {
	case runs == nil || w != t.Bits:
		return full(w)
	case t.Signed:
		return signed(w, runs[0].low, runs[len(runs)-1].high)
	}
	return unsigned(w, runs[0].low, runs[len(runs)-1].high)
}

// isEnumerator reports whether v is a constant among the runs of t.
func isEnumerator(v ir.Value, t *ir.DType) bool {
	k, ok := v.(*ir.Const)
	return ok && k.Kind == ir.ConstInt && exactly(k, k.Bits.Width()).run(t.Signed).within(runsOf(t))
}

// enumerations notes the parameters of enumerations; of functions whose address is taken, calls may pass anything.
func (s *spans) enumerations(m *ir.Module) {
	for _, f := range m.Funcs {
		if f.IsDecl() || f.Addr {
			continue
		}
		for i, v := range paramVars(f) {
			if v != nil && runsOf(v.T) != nil {
				s.enums[f.Params[i]] = v.T
			}
		}
	}
}

// param returns what a parameter holds: an enumerator, where calls pass nothing else.
func (s *spans) param(p *ir.Param) interval {
	if t := s.enums[p]; t != nil && !s.passed[p] {
		return enumerators(t, p.T.Width)
	}
	return full(p.T.Width)
}

// paramRuns returns the values that parameter i has if it is of an enumeration and no call passes another constant.
func (h *harness) paramRuns(i int) []run {
	if i < 0 {
		return nil // passed in parts
	}
	v := h.vars[i]
	if v == nil || h.given(v.Name).Low != nil {
		return nil
	}
	runs := runsOf(v.T)
	for _, c := range h.p.calls[h.of] {
		if k, ok := c.Args[i].(*ir.Const); ok && k.Kind == ir.ConstInt && !isEnumerator(k, v.T) {
			return nil
		}
	}
	return runs
}

// memberRuns returns the values that member f of a t has if it is of an enumeration: its enumerators, and what the
// program stores there.
func (p *Program) memberRuns(t *ir.DType, f *ir.DField) []run {
	runs := runsOf(f.T)
	if f.IsBits || runs == nil {
		return nil
	}
	at := place{of: layoutOf(t), off: f.BitOff / 8}
	x := p.spans.at[at]
	switch {
	case p.spans.wild[at.of]:
		return nil
	case x == nil || x.unset:
		return runs
	case x.any || x.some && x.bits != f.T.Bits || x.bits > 60:
		return nil
	case !x.some:
		return runs
	}
	stored := x.value.run(f.T.Signed)
	switch {
	case stored == full(x.bits).run(f.T.Signed):
		return nil
	case stored.within(runs):
		return runs
	}
	return append(runs, stored)
}

// run returns the numbers of an interval, with a sign or without.
func (x interval) run(signed bool) run {
	if signed {
		return run{x.slow, x.shigh}
	}
	return run{x.ulow, x.uhigh}
}

// within reports whether all of r is in one of the runs.
func (r run) within(runs []run) bool {
	return slices.ContainsFunc(runs, func(s run) bool { return s.low <= r.low && r.high <= s.high })
}

// enumerated assumes that v, an enumeration of type t, is in one of the runs.
func (h *harness) enumerated(t *ir.DType, v ir.Value, runs []run) *ir.Instr {
	var in ir.Value
	for _, r := range runs {
		least, most := h.bounds(v, r.low, r.high, t.Signed)
		if in == nil {
			in = h.and(least, most)
		} else {
			in = h.or(in, h.and(least, most))
		}
	}
	return h.assume(in)
}

// enumeratedAt assumes that member f of the structure at p+off, a t, holds what its enumeration names.
func (h *harness) enumeratedAt(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	if runs := h.p.memberRuns(t, f); runs != nil && h.given(name).Low == nil {
		in := h.enumerated(f.T, h.load(ir.Int(f.T.Bits), h.gep(p, off+f.BitOff/8, nil, 0)), runs)
		brings(h.note(name, verdict.Interval, verdict.Observed, "%s is an enumerator of %s, or what the program stores there", name, f.T.Name), in)
	} else if f.T.Kind == ir.DEnum && h.given(name).Low == nil {
		h.hint(name, t, f, p, off)
	}
}

// enumText writes in C that a place of an enumeration is in one of the runs.
func enumText(name string, runs []run) string {
	parts := make([]string, len(runs))
	for i, r := range runs {
		parts[i] = fmt.Sprintf("%d <= %s && %s <= %d", r.low, name, name, r.high)
		if r.low == r.high {
			parts[i] = fmt.Sprintf("%s == %d", name, r.low)
		}
		if len(runs) > 1 && r.low != r.high {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, " || ")
}
