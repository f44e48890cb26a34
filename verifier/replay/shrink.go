package replay

import (
	"context"
	"slices"
	"sort"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
)

// shrinker makes the inputs of a failure small.
type shrinker struct {
	ctx    context.Context
	p      *problem.Problem
	inputs []input.Input
	want   *interp.Outcome
	left   int64                    // trials
	while  func([]input.Input) bool // nil: any inputs will do
}

// shrink makes input values smaller one by one while the same failure is
// reached: deterministic, and never accepted without a replay.
func shrink(ctx context.Context, p *problem.Problem, inputs []input.Input, want *interp.Outcome) []input.Input {
	return ShrinkWhile(ctx, p, inputs, want, nil)
}

// ShrinkWhile makes the inputs of the failure that the execution want is small, as long as while holds of them.
func ShrinkWhile(ctx context.Context, p *problem.Problem, inputs []input.Input, want *interp.Outcome,
	while func([]input.Input) bool) []input.Input {
	s := &shrinker{ctx: ctx, p: p, inputs: inputs, want: want, while: while,
		left: min(policy.ShrinkTrials, policy.ShrinkSteps/(want.Executed+want.Accessed/policy.BytesPerStep+1)+1)}
	if want.Executed > policy.ShrinkLong {
		s.left = min(s.left, policy.ShrinkFewTrials)
	}
	for i := range inputs {
		if s.left == 0 {
			break
		}
		switch in := &inputs[i]; in.Kind {
		case input.Nondet, input.Param, input.VolatileRead, input.Unspecified:
			if in.Value.Width() > 0 {
				s.value(i)
			}
		case input.Havoc, input.Bytes:
			s.bytes(i)
		}
	}
	return s.inputs
}

// goesOn reports whether there are trials and time left.
func (s *shrinker) goesOn() bool { return s.left > 0 && s.ctx.Err() == nil }

// try replaces input i if the failure stays.
func (s *shrinker) try(i int, in input.Input) bool {
	if !s.goesOn() {
		return false
	}
	s.left--
	cand := slices.Clone(s.inputs)
	cand[i] = in
	// a run past the failure may be endless: firmware's loops are
	out, err := execute(s.ctx, s.p, cand, 2*s.want.Executed+policy.ShrinkSlack, false)
	if err != nil || !sameFailure(out, s.want) || s.while != nil && !s.while(cand) {
		return false
	}
	s.inputs = cand
	return true
}

func (s *shrinker) tryValue(i int, v bits.Vec) bool {
	in := s.inputs[i]
	if in.Value == v {
		return true
	}
	in.Value = v
	return s.try(i, in)
}

// value prefers 0 and 1, then the low bits of the value, with its sign if they
// need it; of what is left each bit that is not needed goes, highest first.
func (s *shrinker) value(i int) {
	w := s.inputs[i].Value.Width()
	if s.tryValue(i, bits.New(w, 0)) || s.tryValue(i, bits.New(w, 1)) {
		return
	}
	for k := 4; k < w; k *= 2 {
		low := bits.Trunc(s.inputs[i].Value, k)
		if s.tryValue(i, bits.Zext(low, w)) || s.inputs[i].Value.Sign() && s.tryValue(i, bits.Sext(low, w)) {
			break
		}
	}
	for k := w - 1; k >= 0 && s.goesOn(); k-- {
		v := s.inputs[i].Value
		if v.Sign() { // small is near to 0 from below
			if !v.Bit(k) {
				s.tryValue(i, bits.Or(v, bits.ShlVec(bits.New(w, 1), bits.New(w, uint64(k)))))
			}
		} else if v.Bit(k) {
			s.tryValue(i, bits.Xor(v, bits.ShlVec(bits.New(w, 1), bits.New(w, uint64(k)))))
		}
	}
}

// bytes prefers zeros: all, else one after the other.
func (s *shrinker) bytes(i int) {
	in := s.inputs[i]
	if len(in.Bytes) == 0 {
		return
	}
	in.Bytes = map[int64]byte{}
	if s.try(i, in) {
		return
	}
	var at []int64
	for off, b := range s.inputs[i].Bytes {
		if b != 0 {
			at = append(at, off)
		}
	}
	sort.Slice(at, func(a, b int) bool { return at[a] < at[b] })
	for _, off := range at {
		if !s.goesOn() {
			return
		}
		in.Bytes = map[int64]byte{}
		for o, b := range s.inputs[i].Bytes {
			if o != off {
				in.Bytes[o] = b
			}
		}
		s.try(i, in)
	}
}
