package ranges

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// wordFlow finds between which numbers the words of a function are, where control comes to them: an analysis with intervals
// (Cousot and Cousot 1977) of its registers, and of those variables that hold a number and that nothing else gets at.
type wordFlow struct {
	f      *ir.Func
	param  func(p *ir.Param) Interval              // what a parameter holds
	slots  map[*ir.Instr]int                       // such variables, and their bits
	memory func(in *ir.Instr) (Interval, bool)     // what another load gives, if that is known
	at     func(in *ir.Instr) (places.Place, bool) // the place that another load or store goes to, if that is known
	sole   func(in *ir.Instr) bool                 // reports loads and stores of volatile numbers that nobody else writes
	// called for each store of a number to other places that others may see: not for one that the next takes the place of
	stored func(in *ir.Instr, v Interval)
	passes func(in *ir.Instr, v Interval) // called for each store to memory that is followed
	once   map[*ir.Instr]bool             // variables that hold an address which stays the same
	cells  map[*ir.Instr]cell             // the memory that loads and stores go to, where it is followed
	first  map[cell]*ir.Instr             // one of them
	marks  bool                           // what is known of a word counts as limited on a later way, too
	in     []map[cell]Interval            // of variables and memory, by the index of a block; nil: not reached
	regs   map[*ir.Instr]Interval
	users  map[*ir.Instr][]*ir.Block // of registers, in blocks other than their own
	todo   []*ir.Block               // blocks of which more is known than when they were visited
}

// run analyses the function, and calls stored for each store that control can come to.
func (x *wordFlow) run() {
	x.slots, x.users = numberSlots(x.f), usersElsewhere(x.f)
	x.findCells()
	x.in, x.regs = make([]map[cell]Interval, len(x.f.Blocks)), map[*ir.Instr]Interval{}
	x.in[0] = map[cell]Interval{}
	visits, gone := make([]int, len(x.f.Blocks)), map[[2]*ir.Block]bool{} // which ways control can go
	for x.todo = []*ir.Block{x.f.Blocks[0]}; len(x.todo) > 0; {
		b := x.todo[0]
		x.todo = x.todo[1:]
		if visits[b.Index]++; visits[b.Index] > policy.WordVisits {
			x.giveUp()
			return
		}
		env := x.block(b, nil)
		for _, to := range b.Succs() {
			out, ok := x.along(b, to, env)
			way := [2]*ir.Block{b, to}
			back := to.Index <= b.Index // each loop has such a way
			if ok && (x.arrive(to, out, back && visits[to.Index] > policy.WordGrowth) || !gone[way]) {
				gone[way] = true
				x.again(to)
			}
		}
	}
	for _, b := range x.f.Blocks {
		if x.in[b.Index] == nil {
			continue
		}
		env := x.block(b, x.stored)
		for _, to := range b.Succs() {
			if out, ok := x.along(b, to, env); ok {
				x.publish(b, to, out)
			}
		}
	}
}

// again has a block visited once more, if control can come to it.
func (x *wordFlow) again(b *ir.Block) {
	if x.in[b.Index] != nil && !slices.Contains(x.todo, b) {
		x.todo = append(x.todo, b)
	}
}

// giveUp takes each store for one of any number.
func (x *wordFlow) giveUp() {
	for _, b := range x.f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore && in.Args[0].Type().IsInt() {
				x.stored(in, Full(in.Args[0].Type().Width))
			}
		}
	}
}

// usersElsewhere returns the blocks other than their own in which registers are used.
func usersElsewhere(f *ir.Func) map[*ir.Instr][]*ir.Block {
	out := map[*ir.Instr][]*ir.Block{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				if d, ok := a.(*ir.Instr); ok && d.T.IsInt() && (d.Block != b || in.Op == ir.OpPhi) {
					out[d] = append(out[d], b)
				}
			}
		}
	}
	return out
}

// numberSlots returns the variables of f that hold a number, and are read and written as a whole by f alone.
func numberSlots(f *ir.Func) map[*ir.Instr]int {
	slots, escapes := map[*ir.Instr]int{}, ir.Escapes(f)
	casts := map[*ir.Instr]*ir.Instr{} // of variables, as markers of their lifetimes name them
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && in.Access.IsInt() && !escapes[in] {
				if c, ok := in.Args[0].(*ir.Const); ok && c.Kind == ir.ConstInt && c.Bits.IsOne() {
					slots[in] = in.Access.Width
				}
			} else if slot, ok := castOf(in); ok {
				casts[in] = slot
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				slot, ok := a.(*ir.Instr)
				whole := in.Op == ir.OpLoad || in.Op == ir.OpStore && i == 1
				lifetime := in.Op == ir.OpCall &&
					(in.Model == ir.ModelLifetimeStart || in.Model == ir.ModelLifetimeEnd)
				switch {
				case !ok || lifetime || casts[in] == slot && slot.Op == ir.OpAlloca,
					whole && in.Access.IsInt() && in.Access.Width == slots[slot]:
				default:
					delete(slots, slot)
					delete(slots, casts[slot])
				}
			}
		}
	}
	return slots
}

// castOf returns the instruction that in is another type of.
func castOf(in *ir.Instr) (*ir.Instr, bool) {
	if in.Op != ir.OpBitcast {
		return nil, false
	}
	of, ok := in.Args[0].(*ir.Instr)
	return of, ok
}

// arrive joins what is known on one more way to a block, and reports whether that is news.
func (x *wordFlow) arrive(to *ir.Block, env map[cell]Interval, widen bool) bool {
	old := x.in[to.Index]
	if old == nil {
		x.in[to.Index] = env
		return true
	}
	news := false
	for c, was := range old {
		now, ok := env[c]
		switch w := x.width(c); {
		case !ok:
			delete(old, c)
			news = true
		case !now.within(was):
			next := was.join(now)
			if widen {
				next = was.widened(next, w, nil)
			}
			old[c], news = next, true
		case x.marks && now.limited && !was.limited:
			was.limited = true
			old[c], news = was, true
		}
	}
	return news
}

// block follows the instructions of a block, and returns what is known of the variables, and of memory, at its end. One
// of which nothing is known is not among them.
func (x *wordFlow) block(b *ir.Block, stored func(*ir.Instr, Interval)) map[cell]Interval {
	env := maps.Clone(x.in[b.Index])
	for _, in := range b.Instrs {
		x.seenBy(in, env, stored)
		switch {
		case in.Op == ir.OpAlloca:
			delete(env, cell{slot: in})
		case in.Op == ir.OpStore && in.Args[0].Type().IsInt():
			v := x.value(in.Args[0])
			c, followed := x.cells[in]
			if slot, ok := in.Args[1].(*ir.Instr); ok && x.slots[slot] > 0 {
				if env[cell{slot: slot}] = v; v.isFull(x.slots[slot]) {
					delete(env, cell{slot: slot})
				}
			} else if followed {
				delete(env, c)
				if c.pending = true; stored != nil && x.passes != nil {
					x.passes(in, v)
				}
				env[c] = v
			} else if stored != nil {
				stored(in, v)
			}
		case in.T.IsInt():
			old, visited := x.regs[in]
			if x.regs[in] = x.result(in, env); !visited || old != x.regs[in] {
				for _, user := range x.users[in] {
					x.again(user)
				}
			}
		}
	}
	return env
}

// value returns what is known of a word.
func (x *wordFlow) value(v ir.Value) Interval {
	w := v.Type().Width
	switch v := v.(type) {
	case *ir.Const:
		if v.Kind == ir.ConstInt {
			return exactly(v, w)
		}
	case *ir.Param:
		return x.param(v)
	case *ir.Instr:
		if r, ok := x.regs[v]; ok {
			return r
		}
	}
	return Full(w)
}

// result returns what is known of the value of an instruction.
func (x *wordFlow) result(in *ir.Instr, env map[cell]Interval) Interval {
	w := in.T.Width
	switch in.Op {
	case ir.OpLoad:
		c, ok := x.cells[in]
		slot, isSlot := in.Args[0].(*ir.Instr)
		if isSlot = isSlot && x.slots[slot] > 0; isSlot {
			c, ok = cell{slot: slot}, true
		}
		if key, known := holds(env, c); ok && known {
			return env[key]
		}
		if v, ok := x.memory(in); ok && !isSlot {
			return v
		}
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpUdiv, ir.OpSdiv, ir.OpUrem, ir.OpSrem, ir.OpShl, ir.OpLshr, ir.OpAshr,
		ir.OpAnd, ir.OpOr, ir.OpXor:
		return binary(in.Op, w, x.value(in.Args[0]), x.value(in.Args[1]))
	case ir.OpZext, ir.OpSext, ir.OpTrunc:
		return converted(in.Op, x.value(in.Args[0]), in.Args[0].Type().Width, w)
	case ir.OpSelect:
		return x.value(in.Args[1]).join(x.value(in.Args[2]))
	case ir.OpFreeze:
		return x.value(in.Args[0])
	case ir.OpPhi:
		var out Interval
		some := false
		for i, a := range in.Args {
			switch {
			case x.in[in.Incoming[i].Index] == nil:
			case !some:
				out, some = x.value(a), true
			default:
				out = out.join(x.value(a))
			}
		}
		if some {
			return out
		}
	case ir.OpExtractValue: // of an addition, ... that tells of its overflow
		if call, ok := firstOf(in); ok {
			return binary(overflowing[call.Model], w, x.value(call.Args[0]), x.value(call.Args[1]))
		}
	}
	return Full(w)
}

// overflowing holds the operation of each model that gives a result and whether it overflows.
var overflowing = map[ir.Model]ir.Op{ir.ModelSaddO: ir.OpAdd, ir.ModelUaddO: ir.OpAdd, ir.ModelSsubO: ir.OpSub,
	ir.ModelUsubO: ir.OpSub, ir.ModelSmulO: ir.OpMul, ir.ModelUmulO: ir.OpMul}
