package replay

import (
	"context"
	"fmt"
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
// fails. The answer is "" where it fails so whatever they hold. known is false where the executions do not tell: the
// violation comes without inputs, it is not seen where contents stand, or there are too many.
func Decisive(ctx context.Context, p *problem.Problem, c *verdict.Claim, at *ir.Instr, ids []string) (id string,
	known bool) {
	e, ok := c.Evidence.(input.Execution)
	if !ok {
		return "", false
	}
	past := ir.Past{}
	maps.Copy(past, p.Past)
	for _, at := range e.Past {
		past[at] = true
	}
	d := &redraw{ctx: ctx, p: p.Without(past), inputs: e.Inputs, at: ir.At{Instr: at, Check: c.Check},
		left: policy.RedrawTrials}
	made := madeIn(p.Module, ids)
	first, err := d.watched(slices.Concat(slices.Collect(maps.Values(made))...))
	if err != nil || !d.fails(first) {
		return "", false
	}
	d.drawn = append(constantsIn(p.Module), fixed[:]...)
	d.steps = 2*first.Executed + policy.ShrinkSlack
	d.left = min(d.left, int(policy.RedrawSteps/(first.Executed+first.Accessed/policy.BytesPerStep+1)))
	var all []part
	for _, id := range ids {
		if len(made[id]) == 0 {
			return "", false
		}
		all = append(all, made[id]...)
	}
	maybe := ""
	for _, id := range ids {
		switch d.differs(made[id]) {
		case passes:
			return id, true
		case elsewhere:
			if maybe == "" {
				maybe = id
			}
		case untold:
			return maybe, maybe != ""
		}
	}
	if maybe == "" && len(ids) > 1 && d.differs(all) != fails {
		return "", false // only together
	}
	return maybe, true
}

// part is bytes that a harness made up: of the block that a call fills, or the value that it gives.
type part struct {
	of         *ir.Instr
	off, bytes int64
}

// madeIn finds the parts that assumptions about contents are about: what the comparison reads that brings each in.
func madeIn(m *ir.Module, ids []string) map[string][]part {
	out := map[string][]part{}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, id := range in.Assumes {
					if in.Model == ir.ModelAssume && slices.Contains(ids, id) {
						if x, is := madeBy(b, in.Args[0]); is {
							out[id] = append(out[id], x)
						}
					}
				}
			}
		}
	}
	return out
}

// madeBy finds what block b makes of the number that a condition compares with itself.
func madeBy(b *ir.Block, condition ir.Value) (part, bool) {
	compare, _ := condition.(*ir.Instr)
	if compare == nil || compare.Op != ir.OpIcmp || compare.Args[0] != compare.Args[1] {
		return part{}, false
	}
	load, _ := compare.Args[0].(*ir.Instr)
	if load == nil || load.Op != ir.OpLoad {
		return part{}, false
	}
	of := part{bytes: int64(load.T.Width+7) / 8}
	to := load.Args[0]
	for _, in := range b.Instrs {
		if in.Op == ir.OpStore && in.Args[1] == to { // behind the call that fills the block
			call, _ := in.Args[0].(*ir.Instr)
			if call == nil || call.Model != ir.ModelNondet {
				return part{}, false
			}
			of.of = call
		}
	}
	if of.of != nil {
		return of, true
	}
	block := to
	for {
		gep, _ := block.(*ir.Instr)
		if gep == nil || gep.Op != ir.OpGep || len(gep.Args) != 1 {
			break
		}
		block, of.off = gep.Args[0], of.off+gep.Off
	}
	for _, f := range b.Func.Blocks {
		for _, in := range f.Instrs {
			if in.Model == ir.ModelHavoc && in.Args[0] == block {
				of.of = in
			}
		}
	}
	return of, of.of != nil
}

// SameParts reports whether two assumptions of two programs are about the same bytes of blocks of the same names.
func SameParts(m *ir.Module, id string, other *ir.Module, otherID string) bool {
	shown := func(m *ir.Module, id string) []string {
		var out []string
		for _, x := range madeIn(m, []string{id})[id] {
			at := fmt.Sprint(x.off, x.bytes, x.of.Name)
			if x.of.Model == ir.ModelHavoc {
				block, _ := x.of.Args[0].(*ir.Instr)
				at += block.Name
			}
			out = append(out, at)
		}
		return out
	}
	return slices.Equal(shown(m, id), shown(other, otherID))
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
	untold    redrawn = iota
	fails             // where it failed before, each of them
	elsewhere         // one of them does something else, and may not come to the place
	passes            // one of them comes to the place and does not fail there
)

func (d *redraw) fails(out *interp.Outcome) bool {
	return out.Kind == interp.Violation && out.Instr == d.at.Instr && out.Check == d.at.Check
}

// differs says what executions with other contents of parts come to.
func (d *redraw) differs(parts []part) redrawn {
	same, best := 0, untold
	numbers := d.numbersFor(parts)
	for draw := range len(numbers) + policy.RedrawRandom {
		if d.left--; d.left < 0 || d.ctx.Err() != nil {
			return best
		}
		src := &otherContents{Source: ThenZeros(d.inputs), values: map[*ir.Instr][]valuePart{}, read: map[part]bool{},
			big: d.p.Module.Layout.BigEndian}
		for i, x := range parts {
			src.values[x.of] = append(src.values[x.of], valuePart{part: x, value: drawnFrom(numbers, draw, i)})
		}
		out, err := interp.Run(d.ctx, d.p.Module, d.p.Execution(d.steps), src)
		switch {
		case err != nil:
			return best
		case out.Kind == interp.AssumeFailed: // nothing that the harness may hold
		case slices.ContainsFunc(parts, func(x part) bool { return !src.read[x] }):
			return best // the harness puts something else there
		case d.fails(out):
			same++
		case out.Visits[d.at.Instr.Block] > 0 || slices.ContainsFunc(d.at.Instr.Block.Preds, func(b *ir.Block) bool {
			return d.at.Instr.AlwaysFails() && out.Visits[b] > 0
		}):
			return passes
		default:
			best = elsewhere
		}
	}
	if best == untold && same >= policy.RedrawLeast {
		return fails
	}
	return best
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
