package ir

// within leaves out all bits but those of a mask.
func (c Choices) within(mask uint64) Choices {
	c.Chosen, c.Ones, c.Zeros, c.Read = c.Chosen&mask, c.Ones&mask, c.Zeros&mask, c.Read&mask
	if c.Read == 0 {
		c.From = nil
	}
	return c
}

// join is what holds of a number that is one of two.
func join(a, b Choices) Choices {
	out := Choices{Chosen: a.Chosen & b.Chosen, Ones: a.Ones & b.Ones, Zeros: a.Zeros & b.Zeros}
	if a.From == b.From {
		out.Read, out.From = a.Read&b.Read, a.From
	}
	return out.within(^uint64(0))
}

// binaryChoices is what holds of the result of an operation, whose operands and result have the bits of all, if there is a number.
func binaryChoices(in *Instr, a, b Choices, all uint64) Choices {
	operand := lowOnes(widthOf(in.Args[0].Type()))
	if operand == 0 {
		return Choices{}
	}
	switch in.Op {
	case OpAnd:
		out := Choices{Chosen: a.Chosen&b.Chosen | a.Zeros | b.Zeros, Ones: a.Ones & b.Ones, Zeros: a.Zeros | b.Zeros}
		return out.passing(a, b.Ones).passing(b, a.Ones)
	case OpOr:
		out := Choices{Chosen: a.Chosen&b.Chosen | a.Ones | b.Ones, Ones: a.Ones | b.Ones, Zeros: a.Zeros & b.Zeros}
		return out.passing(a, b.Zeros).passing(b, a.Zeros)
	case OpXor:
		out := Choices{Chosen: a.Chosen & b.Chosen, Ones: a.Ones&b.Zeros | a.Zeros&b.Ones, Zeros: a.Ones&b.Ones | a.Zeros&b.Zeros}
		return out.passing(a, b.Zeros).passing(b, a.Zeros)
	case OpShl, OpLshr:
		by, ok := b.known(in.Args[1].Type())
		if !ok || by >= 64 {
			break
		}
		if in.Op == OpShl {
			low := lowOnes(int(by))
			return Choices{Chosen: a.Chosen<<by | low, Ones: a.Ones << by, Zeros: a.Zeros<<by | low}.within(all)
		}
		high := all &^ (all >> by)
		return Choices{Chosen: a.Chosen>>by | high, Ones: a.Ones >> by, Zeros: a.Zeros>>by | high}
	}
	if a.Chosen&operand != operand || b.Chosen&operand != operand {
		return Choices{}
	}
	x, known := a.known(in.Args[0].Type())
	y, both := b.known(in.Args[1].Type())
	if n, ok := computed(in.Op, x, y); ok && known && both {
		return Choices{Chosen: all, Ones: n & all, Zeros: all &^ n}
	}
	return Choices{Chosen: all}
}

// computed is the result of the operations that addresses and places of fields are made with, modulo 2^64.
func computed(op Op, x, y uint64) (uint64, bool) {
	switch op {
	case OpAdd:
		return x + y, true
	case OpSub:
		return x - y, true
	case OpMul:
		return x * y, true
	}
	return 0, false
}

// passing adds the bits of a read that an operation leaves as they are, those of a mask.
func (c Choices) passing(from Choices, mask uint64) Choices {
	if read := from.Read & mask; read != 0 && (c.From == nil || c.From == from.From) {
		c.Read, c.From = c.Read|read, from.From
	}
	return c
}
