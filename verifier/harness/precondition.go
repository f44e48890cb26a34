package harness

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// preconditions assumes the assertions that the function begins with, before it has any effect. They are what it asks of its
// callers; where the program calls it, they are checked. What is about variables alone, and holds of their initial values,
// is the program's own to keep.
func (h *harness) preconditions(args []ir.Value) {
	b := h.of.Blocks[0]
	for n := 0; n < len(h.of.Blocks) && !ir.HasEffect(b); n++ {
		if next := onlyTarget(b.Term()); next != nil && ir.WaysInto(next) <= 1 {
			b = next
			continue
		}
		if b.Term().Op == ir.OpSwitch {
			h.expectCase(b.Term(), args)
			return
		}
		a := ir.AssertionAt(b)
		if a == nil || !h.aboutArguments(a) && h.holdsAtFirst(a, b) {
			return
		}
		fails := h.fails(a, b, nil, args)
		if fails == nil {
			return
		}
		h.expect(h.not(fails), a.Failure)
		b = a.Holds
	}
}

// onlyTarget returns the block that control goes on to in any case, nil where that depends: a text beside what is asserted,
// as in assert(n > 0 && "n is positive"), is a test that always holds.
func onlyTarget(end *ir.Instr) *ir.Block {
	switch next := end.Targets; {
	case len(next) == 1:
		return next[0]
	case end.Op == ir.OpCondBr:
		if c, ok := end.Args[0].(*ir.Const); ok && c.Kind == ir.ConstInt {
			if c.Bits.IsZero() {
				return next[1]
			}
			return next[0]
		}
	}
	return nil
}

// aboutArguments reports whether an assertion at the head of the function reads an argument.
func (h *harness) aboutArguments(a *ir.Assertion) bool {
	seen := map[*ir.Instr]bool{}
	var reads func(v ir.Value) bool
	reads = func(v ir.Value) bool {
		in, ok := v.(*ir.Instr)
		if _, is := v.(*ir.Param); is || ok && in.Op == ir.OpLoad && h.isArgument(in.Args[0]) {
			return true
		}
		if !ok || seen[in] {
			return false
		}
		seen[in] = true
		return slices.ContainsFunc(in.Args, reads)
	}
	for b := range a.Tests {
		if reads(b.Term().Args[0]) {
			return true
		}
	}
	return false
}

// holdsAtFirst reports that an assertion at the end of b, which is about variables alone, holds of their initial values.
func (h *harness) holdsAtFirst(a *ir.Assertion, b *ir.Block) bool {
	try := h.p.newHarness(irbuild.Function(h.p.m, "firmproof.head", ir.Void(), h.of.Pos), h.of)
	again := *a
	fails := try.fails(&again, b, nil, nil)
	if fails == nil {
		return false
	}
	try.Assume(try.not(fails))
	try.Ret(nil)
	try.Finish()
	out, err := interp.Run(context.Background(), h.p.m, interp.Options{Entry: try.Func, MaxSteps: policy.ExpressionSteps * policy.AssertionTests},
		input.Zeros{})
	return err == nil && out.Kind == interp.Returned
}

// isArgument reports whether an address is of a parameter in C.
func (h *harness) isArgument(addr ir.Value) bool {
	return slices.ContainsFunc(h.vars, func(x *ir.Var) bool { return x != nil && x.Slot == addr })
}

// expect assumes c, which a failed assertion says.
func (h *harness) expect(c ir.Value, failure *ir.Instr) {
	h.Assume(c)
	h.out.Assumptions = verdict.AddAssumptions(h.out.Assumptions, ir.KeptBy(h.of, failure))
}

// expectCase assumes that a switch at the head of the function does not come to a failed assertion.
func (h *harness) expectCase(sw *ir.Instr, args []ir.Value) {
	var failure *ir.Instr
	fails := make([]bool, len(sw.Targets))
	for i, t := range sw.Targets {
		if in := leadsToFailure(t); in != nil {
			failure, fails[i] = in, true
		}
	}
	if failure == nil || !slices.Contains(fails, false) {
		return
	}
	v := h.evaluate(sw.Args[0], nil, args, 0)
	if v == nil {
		return
	}
	isOther, good := ir.Value(h.Int(ir.Int(1), 1)), ir.Value(h.Int(ir.Int(1), 0))
	for i, c := range sw.Cases {
		is := h.Compare(ir.EQ, v, &ir.Const{T: v.Type(), Kind: ir.ConstInt, Bits: c})
		isOther = h.And(isOther, h.not(is))
		if !fails[i+1] {
			good = h.Or(good, is)
		}
	}
	if !fails[0] {
		good = h.Or(good, isOther)
	}
	h.expect(good, failure)
}

// leadsToFailure returns the failed assertion that control comes to from b on in any case, without an effect before; nil
// if it may come elsewhere.
func leadsToFailure(b *ir.Block) *ir.Instr {
	for range policy.ExpressionSteps {
		if in := ir.AssertFails(b); in != nil || ir.HasEffect(b) || len(b.Term().Targets) != 1 {
			return in
		}
		b = b.Term().Targets[0]
	}
	return nil
}

// not negates a truth value.
func (h *harness) not(v ir.Value) ir.Value { return h.Xor(v, h.Int(ir.Int(1), 1)) }

// fails returns whether a way from b on, which control comes to where reached holds (nil: always), leads to the failure
// of the assertion; nil where that depends on more than the arguments.
func (h *harness) fails(a *ir.Assertion, b *ir.Block, reached ir.Value, args []ir.Value) ir.Value {
	if a.Steps++; a.Steps > policy.AssertionTests*policy.AssertionTests {
		return nil
	}
	c := h.evaluate(b.Term().Args[0], reached, args, 0)
	if c == nil {
		return nil
	}
	out := ir.Value(h.Int(ir.Int(1), 0))
	for i, next := range b.Term().Targets {
		way := c
		if i == 1 {
			way = h.not(c)
		}
		if reached != nil {
			way = h.And(reached, way)
		}
		switch {
		case next == a.Holds:
			continue
		case a.Tests[next]:
			if way = h.fails(a, next, way, args); way == nil {
				return nil
			}
		}
		out = h.Or(out, way)
	}
	return out
}

// evaluate computes v, which stands at the head of the function where control comes to if reached holds (nil: always),
// from the arguments; nil where it depends on more.
func (h *harness) evaluate(v, reached ir.Value, args []ir.Value, depth int) ir.Value {
	switch v := v.(type) {
	case *ir.Const:
		return v
	case *ir.Param:
		return args[v.Index]
	case *ir.Instr:
		if depth > policy.ExpressionSteps {
			return nil
		}
		if v.Op == ir.OpLoad {
			for i, x := range h.vars {
				if x != nil && x.Slot == v.Args[0] && h.of.Params[i].T.Equal(v.T) {
					return args[i]
				}
			}
		}
		switch v.Op {
		case ir.OpLoad:
			if ir.IsLocal(v.Args[0]) || v.Flags&ir.Volatile != 0 {
				return nil
			}
		case ir.OpAdd, ir.OpSub, ir.OpMul:
			if v.Flags.Has(ir.NSW) || v.Flags.Has(ir.NUW) { // the function may overflow there
				return nil
			}
		case ir.OpSdiv, ir.OpSrem, ir.OpUdiv, ir.OpUrem:
			k, ok := v.Args[1].(*ir.Const)
			divides := ok && k.Kind == ir.ConstInt && !k.Bits.IsZero() && !k.Bits.IsOnes()
			if exact := v.Op == ir.OpSdiv && v.Flags.Has(ir.Exact); !divides && !exact { // elements between two pointers
				return nil
			}
		case ir.OpPtrToInt, ir.OpGep, ir.OpIcmp, ir.OpZext, ir.OpSext, ir.OpTrunc, ir.OpAnd, ir.OpOr, ir.OpXor,
			ir.OpFreeze, ir.OpBitcast:
		default:
			return nil
		}
		in := *v
		in.Args = make([]ir.Value, len(v.Args))
		for i, a := range v.Args {
			if in.Args[i] = h.evaluate(a, reached, args, depth+1); in.Args[i] == nil {
				return nil
			}
		}
		if v.Op == ir.OpLoad && reached != nil { // elsewhere the address may be none
			spare := h.anyBlock("", h.Int(h.Word(), h.Module.Layout.SizeOf(v.Access)))
			in.Args[0] = h.Emit(&ir.Instr{Op: ir.OpSelect, T: h.Ptr(), Args: []ir.Value{reached, in.Args[0], spare}})
		}
		return h.Emit(&in)
	}
	return nil
}
