package replay

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// watched repeats the execution as it is, and notes what parts hold in it and which numbers it compares.
func (d *redraw) watched(parts []part) (*interp.Outcome, error) {
	src := &otherContents{Source: input.NewRecorded(d.inputs), values: map[*ir.Instr][]valuePart{}, read: map[part]bool{},
		big: d.p.Module.Layout.BigEndian, held: map[part]uint64{}}
	for _, x := range parts {
		src.values[x.of] = append(src.values[x.of], valuePart{part: x, kept: true})
	}
	opts := d.p.Execution(policy.ReplaySteps)
	opts.Differ = func(a, b bits.Vec) {
		if a.Width() < 8 || a.Width() > 64 || len(d.compared) >= policy.RedrawCompared {
			return
		}
		if pair := [2]uint64{a.Low64(), b.Low64()}; !slices.Contains(d.compared, pair) {
			d.compared = append(d.compared, pair)
		}
	}
	out, err := interp.Run(d.ctx, d.p.Module, opts, src)
	d.held = src.held
	return out, err
}

// numbersFor lists the numbers that contents of parts are replaced by. One part alone is also given what makes numbers
// equal that the execution compared, where these are the part, or it and something more or less, or every bit that
// differs in it ("REDQUEEN: Fuzzing with Input-to-State Correspondence", Aschermann et al., NDSS 2019); and all numbers
// that one byte holds.
func (d *redraw) numbersFor(parts []part) []uint64 {
	if len(parts) != 1 {
		return d.drawn
	}
	if parts[0].bytes == 1 {
		out := make([]uint64, 256)
		for i := range out {
			out[i] = uint64(i)
		}
		return out
	}
	out, held := slices.Clone(d.drawn), d.held[parts[0]]
	for _, c := range d.compared {
		for _, x := range []uint64{c[0], c[1], held + c[1] - c[0], held + c[0] - c[1], held ^ c[0] ^ c[1]} {
			if !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	return out
}

// fixed are numbers that contents are replaced by: small ones, which most states hold, and great ones.
var fixed = [...]uint64{0, 1, 2, 3, 4, 8, 64, ^uint64(0), 1 << 63, 1<<63 - 1}

// constantsIn lists the numbers that a program compares others with, or takes parts of them by, and their neighbours:
// which state it is in, a magic number says.
func constantsIn(m *ir.Module) []uint64 {
	var out []uint64
	add := func(k bits.Vec) {
		n, ok := k.Uint64()
		for _, x := range []uint64{n, n + 1, n - 1} {
			if ok && len(out) < policy.RedrawConstants && !slices.Contains(out, x) && !slices.Contains(fixed[:], x) {
				out = append(out, x)
			}
		}
	}
	for _, f := range m.Funcs {
		if f.Made || f.Driven() || f.Pos.InLibrary() {
			continue
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, k := range in.Cases {
					add(k)
				}
				switch in.Op {
				case ir.OpIcmp, ir.OpAnd, ir.OpAdd, ir.OpSub, ir.OpXor:
				default:
					continue
				}
				for _, a := range in.Args {
					if c, ok := a.(*ir.Const); ok && c.Kind == ir.ConstInt {
						add(c.Bits)
					}
				}
			}
		}
	}
	return out
}

// drawnFrom is the number that part i is given in a draw; from its highest bits down where it holds fewer.
func drawnFrom(numbers []uint64, draw, i int) uint64 {
	if draw < len(numbers) {
		return numbers[draw]
	}
	x := uint64(draw)<<32 | uint64(i+1)
	for range 2 { // by a fixed generator
		x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	}
	if draw%2 == 0 {
		return x >> 60
	}
	return x
}
