package verifier

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Executions that settle claims without a formula: a program that reads nothing
// from its environment has one execution, and a violation that many inputs reach
// is found by trying some.

const (
	aloneSteps = 20_000_000 // instructions of the only execution
	aloneLeast = 20_000     // below, unwinding is as good
	probeSteps = 200_000    // instructions of one run on tried inputs
	probeTotal = 3_000_000  // of all such runs
	probeSeeds = 200
)

func (b *bounded) interpOptions(steps int64) interp.Options {
	return interp.Options{Semantics: b.plan.Semantics, Entry: b.entry, Checks: b.plan.Checks, Past: b.plan.Past,
		MaxSteps: steps}
}

// alone runs a program that depends on nothing: what its only execution does not
// violate is proved. It is false when the program reads an input, runs long, or
// violates something, which is then settled.
func (b *bounded) alone(ctx context.Context) bool {
	if !b.free() || b.plan.Depth > 0 || b.plan.Checks.Has(verdict.Unwinding) || b.plan.Checks.Has(verdict.Stack) ||
		len(b.entry.Params) > 0 {
		return false
	}
	defer b.stage("execute")(nil)
	part, cancel := share(ctx, alonePercent)
	defer cancel()
	opts := b.interpOptions(aloneSteps)
	opts.Sealed = true
	opts.Checks = verdict.CheckSet{verdict.Uninitialised: true}
	for c, on := range b.plan.Checks {
		opts.Checks[c] = on || c == verdict.Uninitialised
	}
	out, err := interp.Run(part, b.m, opts, input.Zeros{})
	if err != nil {
		return false
	}
	switch {
	case out.Kind == interp.Violation && b.plan.Checks.Has(out.Check):
		b.violatedBy(ctx, nil, out)
		return false
	case out.Executed < aloneLeast || out.Kind != interp.Returned && out.Kind != interp.Exited &&
		out.Kind != interp.AssumeFailed && out.Kind != interp.Undefined:
		return false
	}
	visited := func(k *ir.Block) bool { return out.Visits[k] > 0 }
	cert := &verdict.Certificate{Method: "execution",
		Detail:  []string{"the program reads no input and no unknown memory: its only execution violates nothing"},
		Checked: "interpreter"}
	for _, c := range encode.ListClaims(b.m, b.plan.Checks, visited) {
		b.res.Claims = append(b.res.Claims, verdict.Claim{ID: c.ID, Check: c.Check, Message: c.Message, Pos: c.Pos,
			Status: verdict.Proved, Replay: verdict.NotRun,
			Certificate: cert, Unreachable: !visited(c.Instr.Block)})
	}
	return true
}

// violatedBy settles the claim that an execution on inputs violates, if it does
// so again.
func (b *bounded) violatedBy(ctx context.Context, inputs []input.Input, out *interp.Outcome) bool {
	claims := encode.ListClaims(b.m, b.plan.Checks, func(k *ir.Block) bool { return out.Visits[k] > 0 })
	i := slices.IndexFunc(claims, func(c encode.Claim) bool { return c.Instr == out.Instr && c.Check == out.Check })
	if i < 0 || b.settled[claims[i].ID] != nil || notFollowed(inputs) != nil {
		return false
	}
	now, err := b.execute(ctx, inputs, false)
	if err != nil || !sameFailure(now, out) {
		return false
	}
	c := b.confirmed(ctx, newClaim(&group{id: claims[i].ID, first: &claims[i]}), inputs, now)
	b.settled[c.ID] = c
	return true
}

// probe tries inputs; violations that it meets are settled.
func (b *bounded) probe(ctx context.Context) {
	defer b.stage("probe")(nil)
	consts := constantsIn(b.m)
	left := int64(probeTotal)
	for seed := uint64(0); seed < probeSeeds && left > 0 && ctx.Err() == nil; seed++ {
		rec := &input.Recorder{Source: &tries{seed: seed*0x9e3779b97f4a7c15 + 1, mode: seed % 5, consts: consts}}
		out, err := interp.Run(ctx, b.m, b.interpOptions(min(left, probeSteps)), rec)
		if err != nil {
			return
		}
		left -= out.Executed + 1000
		if out.Kind == interp.Violation && b.plan.Checks.Has(out.Check) && b.violatedBy(ctx, rec.Inputs, out) &&
			b.plan.FirstOnly {
			return
		}
		if len(rec.Inputs) == 0 {
			return
		}
	}
}

// tries is a source of inputs that are often interesting, by a fixed generator.
type tries struct {
	input.Zeros
	seed, mode uint64
	consts     []int64
}

func (t *tries) random() uint64 {
	t.seed ^= t.seed << 13
	t.seed ^= t.seed >> 7
	t.seed ^= t.seed << 17
	return t.seed
}

// Next answers with a constant of the program, a small number, any number, or
// 0 and 1, as the mode says.
func (t *tries) Next(kind input.Kind, at *ir.Instr, width int) (bits.Vec, bool) {
	if kind == input.MallocOK || kind == input.Undef {
		return t.Zeros.Next(kind, at, width)
	}
	switch r := t.random(); {
	case t.mode == 0 || t.mode == 1 && r&1 == 0:
		return bits.NewInt(width, t.consts[t.random()%uint64(len(t.consts))]), true
	case t.mode <= 2:
		return bits.NewInt(width, int64(r%17)), true
	case t.mode == 3:
		return bits.NewInt(width, int64(t.random()>>1)), true
	}
	return bits.NewInt(width, int64(t.random()>>5&1)), true
}

// maxTried is how many constants of the program are tried as inputs.
const maxTried = 256

// constantsIn lists the constants that m compares with, and their neighbours.
func constantsIn(m *ir.Module) []int64 {
	out := []int64{0, 1, -1, 2}
	m.Compared(func(_ *ir.Instr, c *ir.Const) {
		if n, ok := c.Bits.Int64(); ok && len(out) < maxTried && !slices.Contains(out, n) {
			out = append(out, n, n+1, n-1)
		}
	})
	return out
}
