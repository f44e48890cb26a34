package weave

import "github.com/firmproof/firmproof/verifier/ir"

// remainder returns between which numbers v is by `& constant` or `% constant`, as of its type with a sign.
func remainder(v ir.Value) (low, high int64, ok bool) {
	in, isInstr := v.(*ir.Instr)
	if !isInstr {
		return 0, 0, false
	}
	switch in.Op {
	case ir.OpZext, ir.OpSext, ir.OpTrunc:
		low, high, ok = remainder(in.Args[0])
		return low, high, ok && (in.Op != ir.OpZext || low >= 0) && signedIn(in.Type().Width, low, high)
	case ir.OpAnd:
		for _, a := range in.Args {
			if c, is := number(a); is && c >= 0 {
				return 0, c, true
			}
		}
	case ir.OpUrem:
		if c, is := number(in.Args[1]); is && c > 0 {
			return 0, c - 1, true
		}
	case ir.OpSrem:
		if c, is := number(in.Args[1]); is && c > 0 {
			if least, _, known := interval(in.Args[0], 0); known && least >= 0 {
				return 0, c - 1, true
			}
			return 1 - c, c - 1, true
		}
	}
	return 0, 0, false
}

// interval returns between which numbers v is, as of its type with a sign, by the widths of what it is made of.
func interval(v ir.Value, depth int) (low, high int64, ok bool) {
	if c, is := number(v); is {
		return c, c, true
	}
	in, isInstr := v.(*ir.Instr)
	if !isInstr || depth > maxSteps {
		return 0, 0, false
	}
	switch in.Op {
	case ir.OpZext:
		if w := in.Args[0].Type().Width; w < 32 {
			return 0, 1<<w - 1, true
		}
	case ir.OpAdd:
		a, b, first := interval(in.Args[0], depth+1)
		c, d, second := interval(in.Args[1], depth+1)
		return a + c, b + d, first && second && signedIn(in.Type().Width, a+c, b+d)
	}
	return 0, 0, false
}

// number returns the number that v is as a constant, as of its type with a sign; ok is false where ranges do not go as
// far.
func number(v ir.Value) (n int64, ok bool) {
	c, isConst := v.(*ir.Const)
	if !isConst || c.Kind != ir.ConstInt || c.Bits.Width() > 64 {
		return 0, false
	}
	n = c.Bits.Signed().Int64()
	return n, n > -most && n < most
}

// signedIn reports whether all numbers of a range are some of w bits with a sign.
func signedIn(w int, low, high int64) bool {
	return w > 1 && (w > 62 || low >= -1<<(w-1) && high < 1<<(w-1))
}
