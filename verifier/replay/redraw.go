package replay

import (
	"context"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Decisive tells which of some contents that a harness made up a violation depends on: the execution is repeated with
// others in their place, of each alone and of all at once. ids are the assumptions that name them, at is where it
// fails. The answer is no contents where it fails so whatever they hold. known is false where the executions do not tell:
// the violation comes without inputs, it is not seen where contents stand, or there are too many.
func Decisive(ctx context.Context, p *problem.Problem, c *verdict.Claim, at *ir.Instr, ids []string) (of Contents,
	known bool) {
	d, made := newRedraw(ctx, p, c, at, ids)
	if d == nil {
		return Contents{}, false
	}
	var all []part
	for _, id := range ids {
		if len(made[id]) == 0 {
			return Contents{}, false
		}
		all = append(all, made[id]...)
	}
	maybe := Contents{}
	for _, id := range ids {
		switch how, with := d.differs(made[id]); how {
		case passes:
			return Contents{ID: id, Passing: with}, true
		case elsewhere:
			if maybe.ID == "" {
				maybe.ID = id
			}
		case untold:
			return maybe, maybe.ID != ""
		}
	}
	if maybe.ID == "" && len(ids) > 1 {
		if how, _ := d.differs(all); how != fails {
			return Contents{}, false // only together
		}
	}
	return maybe, true
}

// redraw repeats an execution that fails with other contents.
type redraw struct {
	ctx    context.Context
	p      *problem.Problem
	inputs []input.Input
	at     ir.At
	steps  int64
	left   int      // executions
	drawn  []uint64 // numbers that contents are replaced by

	compared [][2]uint64     // that the execution compared and that are not equal
	held     map[part]uint64 // by the parts, in the execution
}

// redrawn is what executions with other contents come to.
type redrawn uint8

const (
	untold     redrawn = iota
	fails              // where it failed before, each of them
	elsewhere          // one of them does something else, and may not come to the place
	passes             // one of them comes to the place and does not fail there
	ends               // it ends without a failure, and does not come to the place: of one alone
	unholdable         // the harness may hold nothing like that: of one alone
)

// newRedraw prepares repetitions of the execution that violates c where at stands, and finds the parts that assumptions
// of the IDs are about where it came to: other entries of the program have the same. nil: it does not fail there, or
// takes no inputs.
func newRedraw(ctx context.Context, p *problem.Problem, c *verdict.Claim, at *ir.Instr,
	ids []string) (*redraw, map[string][]part) {
	e, ok := c.Evidence.(input.Execution)
	if !ok {
		return nil, nil
	}
	d := &redraw{ctx: ctx, p: beyond(p, e), inputs: e.Inputs, at: ir.At{Instr: at, Check: c.Check},
		left: policy.RedrawTrials}
	all := madeIn(p.Module, ids, func(*ir.Block) bool { return true })
	first, err := d.watched(slices.Concat(slices.Collect(maps.Values(all))...))
	if err != nil || !d.fails(first) {
		return nil, nil
	}
	d.drawn = append(constantsIn(p.Module), fixed[:]...)
	d.steps = 2*first.Executed + policy.ShrinkSlack
	d.left = min(d.left, int(policy.RedrawSteps/(first.Executed+first.Accessed/policy.BytesPerStep+1)))
	return d, madeIn(p.Module, ids, func(b *ir.Block) bool { return first.Visits[b] > 0 })
}

// beyond returns p without the claims that an execution goes past.
func beyond(p *problem.Problem, e input.Execution) *problem.Problem {
	past := maps.Clone(p.Past)
	if past == nil {
		past = ir.Past{}
	}
	for _, at := range e.Past {
		past[at] = true
	}
	return p.Without(past)
}

func (d *redraw) fails(out *interp.Outcome) bool {
	return out.Kind == interp.Violation && out.Instr == d.at.Instr && out.Check == d.at.Check
}

// differs says what executions with other contents of parts come to, and with which numbers one passes.
func (d *redraw) differs(parts []part) (how redrawn, with []uint64) {
	same, best := 0, untold
	numbers := d.numbersFor(parts)
	for draw := range len(numbers) + policy.RedrawRandom {
		values := make([]uint64, len(parts))
		for i := range parts {
			values[i] = drawnFrom(numbers, draw, i)
		}
		switch d.with(parts, values) {
		case untold:
			return best, nil
		case unholdable:
		case fails:
			same++
		case passes:
			return passes, values
		case elsewhere, ends:
			best = elsewhere
		}
	}
	if best == untold && same >= policy.RedrawLeast {
		return fails, nil
	}
	return best, nil
}

// with says what the execution comes to with numbers in the place of parts.
func (d *redraw) with(parts []part, values []uint64) redrawn {
	if d.left--; d.left < 0 || d.ctx.Err() != nil {
		return untold
	}
	src := &otherContents{Source: ThenZeros(d.inputs), values: map[*ir.Instr][]valuePart{}, read: map[part]bool{},
		big: d.p.Module.Layout.BigEndian}
	for i, x := range parts {
		src.values[x.of] = append(src.values[x.of], valuePart{part: x, value: values[i]})
	}
	out, err := interp.Run(d.ctx, d.p.Module, d.p.Execution(d.steps), src)
	switch {
	case err != nil:
		return untold
	case out.Kind == interp.AssumeFailed:
		return unholdable
	case slices.ContainsFunc(parts, func(x part) bool { return !src.read[x] }):
		return untold // the harness puts something else there
	case d.fails(out):
		return fails
	case out.Visits[d.at.Instr.Block] > 0 || slices.ContainsFunc(d.at.Instr.Block.Preds, func(b *ir.Block) bool {
		return d.at.Instr.AlwaysFails() && out.Visits[b] > 0
	}):
		return passes
	case out.Kind == interp.Returned || out.Kind == interp.Exited:
		return ends
	}
	return elsewhere
}

// valuePart is a part and the number that is there instead.
type valuePart struct {
	part
	value uint64
	kept  bool // it holds what it held
}

// number is the value in the width of the part: the greatest and the least one where it is the greatest or the least.
func (v valuePart) number() uint64 {
	w := 8 * uint(v.bytes)
	if w >= 64 {
		return v.value
	}
	if v.value == 1<<63 || v.value == 1<<63-1 {
		return v.value >> (64 - w)
	}
	return v.value & (1<<w - 1)
}

// otherContents gives the inputs of a source, with other numbers in some parts.
type otherContents struct {
	input.Source
	values map[*ir.Instr][]valuePart
	big    bool
	read   map[part]bool   // those that were asked for
	held   map[part]uint64 // what those hold that are kept
}

// Next implements input.Source.
func (o *otherContents) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	v, ok := o.Source.Next(kind, at, width)
	for _, x := range o.values[at] {
		switch {
		case kind != input.Nondet:
		case x.kept:
			o.held[x.part] = v.Low64()
		default:
			v, o.read[x.part] = bits.Trunc(bits.New(max(width, 64), x.number()), width), true
		}
	}
	return v, ok
}

// Havoc implements input.Source.
func (o *otherContents) Havoc(at *ir.Instr, n int64) (func(int64) byte, bool) {
	f, ok := o.Source.Havoc(at, n)
	list := o.values[at]
	if !ok || len(list) == 0 {
		return f, ok
	}
	return func(i int64) byte {
		for _, x := range list {
			k := i - x.off
			if k < 0 || k >= x.bytes || k >= 8 {
				continue
			}
			if o.big {
				k = x.bytes - 1 - k
			}
			if x.kept {
				o.held[x.part] = o.held[x.part]&^(0xff<<(8*uint(k))) | uint64(f(i))<<(8*uint(k))
				continue
			}
			o.read[x.part] = true
			return byte(x.number() >> (8 * uint(k)))
		}
		return f(i)
	}, true
}
