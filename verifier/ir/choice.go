package ir

import "github.com/firmproof/firmproof/verifier/policy"

// Choices says of the bits of a number where they come from. Those in none of its masks come from elsewhere: what the
// device says, what an unknown caller passes, what memory holds.
type Choices struct {
	Chosen uint64 // the code alone decides: constants, and what conditions select among them
	Ones   uint64 // of Chosen, those that are always 1
	Zeros  uint64 // likewise 0
	Read   uint64 // bits of the volatile read From, at the place where they were
	From   *Instr // nil: Read is empty
}

// known is the number itself, where every bit of its type is.
func (c *Choices) known(t *Type) (uint64, bool) {
	all := lowOnes(widthOf(t))
	return c.Ones, all != 0 && (c.Ones|c.Zeros)&all == all
}

// widthOf is the number of bits of an integer of at most 64, else 0.
func widthOf(t *Type) int {
	if t == nil || !t.IsInt() || t.Width > 64 {
		return 0
	}
	return t.Width
}

// ChoicesOf looks where the bits of v come from, through the calls that led here, the last one first. It says the same of
// an instruction each time that the same calls lead to it.
func ChoicesOf(v Value, calls []*Instr) Choices {
	return newChooser(calls).of(v, calls)
}

// AddressThrough is the number that an address is, given the calls that led here, the last one first.
func AddressThrough(v Value, calls []*Instr) (uint64, bool) {
	if v == nil {
		return 0, false
	}
	return newChooser(calls).address(v, calls)
}

// chooser looks where bits come from.
type chooser struct {
	left  int             // values that are looked at; what is behind comes from elsewhere
	again bool            // a function is called within itself: nothing is known of what is passed
	param bool            // a parameter was come to that no call passes anything for
	open  map[*Instr]bool // what is joined
}

// newChooser prepares looking through calls. Of recursion, the engines may follow one call that stands for all.
func newChooser(calls []*Instr) *chooser {
	w := &chooser{left: policy.ChosenValues, open: map[*Instr]bool{}}
	seen := map[*Func]bool{}
	for _, in := range calls {
		to := CalledFunc(in)
		w.again = w.again || to == nil || seen[to]
		seen[to] = true
	}
	return w
}

func (w *chooser) of(v Value, calls []*Instr) Choices {
	if w.left--; w.left < 0 {
		return Choices{}
	}
	all := lowOnes(widthOf(v.Type()))
	switch v := v.(type) {
	case *Const:
		if n, ok := v.Bits.Uint64(); ok && v.Kind == ConstInt {
			return Choices{Chosen: all, Ones: n & all, Zeros: all &^ n}
		}
	case *Param:
		if arg, up := w.passed(v, calls); arg != nil {
			return w.of(arg, up)
		}
	case *Instr:
		return w.instr(v, calls, all)
	}
	return Choices{}
}

// passed is what the innermost call passes for p, and the calls that led to that; nil where a call is not known, or is one
// of the driver, whose arguments stand for those of any caller.
func (w *chooser) passed(p *Param, calls []*Instr) (Value, []*Instr) {
	if len(calls) == 0 {
		w.param = true
		return nil, nil
	}
	to := CalledFunc(calls[0])
	if w.again || calls[0].Block.Func.Made || p.Index >= len(to.Params) || to.Params[p.Index] != p ||
		p.Index >= len(calls[0].Args) {
		return nil, nil
	}
	return calls[0].Args[p.Index], calls[1:]
}

// address is the number that an address is.
func (w *chooser) address(v Value, calls []*Instr) (uint64, bool) {
	if w.left--; w.left < 0 {
		return 0, false
	}
	if v.Type().IsInt() {
		c := w.of(v, calls)
		return c.known(v.Type())
	}
	switch v := v.(type) {
	case *Const:
		n, ok := v.Bits.Uint64()
		return n, ok && v.Kind == ConstInt
	case *Param:
		if arg, up := w.passed(v, calls); arg != nil {
			return w.address(arg, up)
		}
	case *Instr:
		switch v.Op {
		case OpIntToPtr, OpBitcast, OpFreeze:
			return w.address(v.Args[0], calls)
		case OpGep:
			return w.element(v, calls)
		case OpLoad:
			return w.same(v, storedBefore(v), calls)
		}
	}
	return 0, false
}

// same is the number that the addresses of list all are, of which an instruction's result is one.
func (w *chooser) same(in *Instr, list []Value, calls []*Instr) (at uint64, ok bool) {
	if w.open[in] {
		return 0, false
	}
	w.open[in] = true
	defer delete(w.open, in)
	for i, v := range list {
		n, known := w.address(v, calls)
		if !known || i > 0 && n != at {
			return 0, false
		}
		at, ok = n, true
	}
	return at, ok
}

// element is the number that a computed address is.
func (w *chooser) element(in *Instr, calls []*Instr) (uint64, bool) {
	at, ok := w.address(in.Args[0], calls)
	for i, index := range in.Args[1:] {
		c := w.of(index, calls)
		n, known := c.known(index.Type())
		if shift := 64 - widthOf(index.Type()); known {
			at += uint64(int64(n<<shift) >> shift * in.Scales[i])
		}
		ok = ok && known
	}
	return at + uint64(in.Off), ok
}

func (w *chooser) instr(in *Instr, calls []*Instr, all uint64) Choices {
	switch in.Op {
	case OpLoad:
		if in.Flags.Has(Volatile) && all != 0 {
			return Choices{Read: all, From: in}
		}
		return w.joined(in, storedBefore(in), calls, all)
	case OpZext:
		c := w.of(in.Args[0], calls)
		top := all &^ lowOnes(widthOf(in.Args[0].Type()))
		c.Chosen, c.Zeros = c.Chosen|top, c.Zeros|top
		return c
	case OpTrunc, OpFreeze:
		return w.of(in.Args[0], calls).within(all)
	case OpSelect:
		return join(w.of(in.Args[1], calls), w.of(in.Args[2], calls))
	case OpPhi:
		return w.joined(in, in.Args, calls, all)
	case OpAnd, OpOr, OpXor, OpShl, OpLshr, OpAdd, OpSub, OpMul, OpUdiv, OpUrem, OpSdiv, OpSrem, OpAshr, OpIcmp:
		if len(in.Args) == 2 {
			return binaryChoices(in, w.of(in.Args[0], calls), w.of(in.Args[1], calls), all)
		}
	case OpSext:
		if c := w.of(in.Args[0], calls); c.Chosen == lowOnes(widthOf(in.Args[0].Type())) {
			return Choices{Chosen: all}
		}
	}
	return Choices{}
}

// joined is what holds of an instruction whose result is one of list; what depends on itself adds nothing.
func (w *chooser) joined(in *Instr, list []Value, calls []*Instr, all uint64) Choices {
	if w.open[in] {
		return Choices{Chosen: all}
	}
	if len(list) == 0 {
		return Choices{}
	}
	w.open[in] = true
	defer delete(w.open, in)
	out := w.of(list[0], calls)
	for _, v := range list[1:] {
		out = join(out, w.of(v, calls))
	}
	return out
}

// storedBefore lists the values that a read of a local variable may find, where nothing else than the stores of its function
// can change the variable; nil where that is not so.
func storedBefore(load *Instr) (out []Value) {
	slot, ok := load.Args[0].(*Instr)
	if !ok || slot.Op != OpAlloca || !isPlain(slot, load.Access) {
		return nil
	}
	for _, in := range StoresBefore(load) {
		out = append(out, in.Args[0])
	}
	return out
}

// isPlain reports a local variable that its function reads and writes as a whole, as type t, and does nothing else with, but
// for beginning and ending its scope.
func isPlain(slot *Instr, t *Type) bool {
	marks := markCasts(slot.Block.Func)
	for _, b := range slot.Block.Func.Blocks {
		for _, in := range b.Instrs {
			for n, a := range in.Args {
				if a != Value(slot) || marks[in] || marksScope(in) {
					continue
				}
				if in.Op != OpLoad && (in.Op != OpStore || n != 1) || in.Flags.Has(Volatile) || !in.Access.Equal(t) {
					return false
				}
			}
		}
	}
	return true
}
