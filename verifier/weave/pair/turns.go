package pair

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// turning writes both versions turn by turn: loops of the old one are paired with loops of the new one, and executions
// are cut where they come to the header of such a loop. Both begin each piece in the same memory:
//
//	what the piece may write is saved; a piece of the old version; what it left is saved; memory is put back
//	the piece of the new version that begins at the same header
//	asserted: it came to the same header, or both returned; memory holds the same; so many events
//
// By induction over pieces, the new version alone does what the old one alone does, if all that is asserted holds. A pair
// of headers that do not belong together makes an assertion fail; it proves nothing.
type turning struct {
	*pairing
	args    [2][]ir.Value
	funcs   [2]*ir.Func
	graphs  [2]*unwind.Graph
	short   [2]map[*unwind.Loop]int   // loops that are copied turn by turn, and for how many
	frames  [2]map[*ir.Instr]ir.Value // variables of both versions
	headers [][2]*ir.Block            // the paired ones
	points  []*ir.Block               // where pieces from the headers begin
	end     *ir.Block                 // both returned
	arrived ir.Value                  // where the piece of the old version came to: an index of headers, or returned
	gives   [2]ir.Value               // where results are kept; nil: there are none
}

// returned is where a piece comes to that returns, in the place of the index of a header.
const returned int = -1

// Turns is as Pair, but has both versions turn their loops together. What it asserts implies what Pair asserts, FactEnd
// aside, and a violation of it is none of the versions. The error says why there are no loops that turn together.
func (j *Joined) Turns(old, now string, args Arguments) (*Paired, error) {
	return j.pair(old, now, args, true)
}

// inTurns writes what takes the place of the call.
func (t *turning) inTurns(call *ir.Instr) {
	t.watch()
	t.makeTwins()
	t.args = [2][]ir.Value{t.passedBefore(call.Args), call.Args}
	for i := range t.objects {
		o := &t.objects[i]
		o.saved = [2]ir.Value{t.copyOf(o), t.copyOf(o)}
	}
	for side, f := range t.funcs {
		t.frames[side] = map[*ir.Instr]ir.Value{}
		for _, in := range f.Blocks[0].Instrs {
			if in.Op == ir.OpAlloca {
				t.frames[side][in] = t.variable(in, side)
			}
		}
		if !f.Ret.IsVoid() {
			t.gives[side] = t.Alloca("", f.Ret, t.Int(t.Word(), 1))
		}
	}
	t.arrived = t.Alloca("", ir.Int(32), t.Int(t.Word(), 1))
	for range t.headers {
		t.points = append(t.points, t.NewBlock("turn"))
	}
	t.end = t.NewBlock("returned")
	t.piece([2]*ir.Block{t.funcs[0].Blocks[0], t.funcs[1].Blocks[0]})
	for i, b := range t.points {
		t.At(b)
		t.piece(t.headers[i])
	}
	t.At(t.end)
	for side, at := range t.gives {
		if at != nil {
			t.results[side] = t.Load(t.funcs[side].Ret, at)
		}
	}
	t.compareResults()
}

// variable makes a local variable of a version.
func (t *turning) variable(in *ir.Instr, side int) ir.Value {
	n, _ := constInt(in)
	v := t.Alloca(in.Name, in.Access, t.Int(t.Word(), n))
	v.Align = in.Align
	if side == 0 {
		v.Name = OldPrefix + in.Name
	}
	return v
}

// piece writes the pieces of both versions that begin at blocks of theirs, into the block at hand and new ones.
func (t *turning) piece(from [2]*ir.Block) {
	for i := range t.objects {
		o := &t.objects[i]
		t.copyBytes(o.saved[0], o.at, o.size)
	}
	t.log.begin(t.Builder)
	pos := t.Pos
	back := t.NewBlock("back")
	t.version(0, from[0], func(at int) {
		t.Store(t.Int(ir.Int(32), int64(at)), t.arrived, 4)
		t.Jump(back)
	})
	t.At(back)
	t.Pos = pos
	for i := range t.objects {
		o := &t.objects[i]
		t.copyBytes(o.saved[1], o.at, o.size)
		t.copyBytes(o.at, o.saved[0], o.size)
	}
	t.version(1, from[1], func(at int) {
		t.Pos = pos
		t.meet(at)
	})
}

// meet asserts that both versions came to the same place in the same memory, and goes on there.
func (t *turning) meet(at int) {
	t.claim(FactTurn, t.now.CName, t.Compare(ir.EQ, t.Load(ir.Int(32), t.arrived), t.Int(ir.Int(32), int64(at))))
	if t.log != nil {
		t.claim(FactEvents, t.now.CName, t.log.sameCount(t.Builder))
	}
	if at == returned {
		for i := range t.objects {
			t.compareObject(&t.objects[i])
		}
		t.compareTwins()
		t.Jump(t.end)
		return
	}
	t.strict = true // the next piece of the old version begins in what the new one left
	for i := range t.objects {
		t.compareWhole(&t.objects[i])
	}
	t.strict = false
	t.compareTwins()
	t.log.restart(t.Builder)
	t.Jump(t.points[at])
}

// compareWhole asserts that memory holds the same, with what lies between members and behind the last whole element:
// later pieces begin in it.
func (t *turning) compareWhole(o *memory) {
	bytes := *o
	if o.t == nil || hasGaps(o.t) || o.fixed <= 0 && !isMultiple(o.size, ir.SizeInC(o.t)) {
		bytes.t = nil
	}
	t.compareObject(&bytes)
}

// isMultiple reports whether a size is a multiple of one, a power of two, also where it is larger than memory.
func isMultiple(size ir.Value, one int64) bool {
	if one == 1 {
		return true
	}
	in, ok := size.(*ir.Instr)
	if !ok || in.Op != ir.OpMul || one&(one-1) != 0 {
		return false
	}
	k, ok := in.Args[1].(*ir.Const)
	return ok && k.Kind == ir.ConstInt && k.Bits.Signed().IsInt64() && k.Bits.Signed().Int64()%one == 0
}

// hasGaps reports whether objects of a C type have bytes that no member has.
func hasGaps(t *ir.DType) bool {
	size := ir.SizeInC(t)
	switch t.Kind {
	case ir.DStruct:
		next := int64(0)
		for i := range t.Fields {
			f := &t.Fields[i]
			if f.IsBits || f.BitOff != 8*next || f.T == nil || ir.SizeInC(f.T) <= 0 || hasGaps(f.T) {
				return true
			}
			next += ir.SizeInC(f.T)
		}
		return next != size
	case ir.DArray:
		return t.Elem != nil && t.Count > 0 && (hasGaps(t.Elem) || t.Count*ir.SizeInC(t.Elem) != size)
	}
	return t.Kind != ir.DUnion && 8*size != int64(t.Bits)
}

// version writes the piece of a version that begins at a block, up to where it comes to a paired header or returns:
// arrive writes what follows there.
func (t *turning) version(side int, from *ir.Block, arrive func(at int)) {
	c := &pieceOf{turning: t, side: side, from: from, blocks: map[copyOf]*ir.Block{},
		values: map[valueOf]ir.Value{}, arrivals: map[int]*ir.Block{}}
	for i, p := range t.funcs[side].Params {
		c.values[valueOf{p, 0}] = t.args[side][i]
	}
	for in, v := range t.frames[side] {
		c.values[valueOf{in, 0}] = v
	}
	c.write()
	for at := returned; at < len(t.headers); at++ {
		if b := c.arrivals[at]; b != nil {
			t.At(b)
			arrive(at)
		}
	}
}
