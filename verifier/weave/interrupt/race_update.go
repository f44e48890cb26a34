package interrupt

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
)

// update is a write of what was computed from reads of the same memory, in one function: `count++`. What counts is the
// last of these reads.
type update struct {
	claim
	write   *ir.Instr
	reads   []*ir.Instr
	compare bool // the addresses have to be compared

	// what the last read leaves for the write: values where both are in one block, else locals that hold them
	inBlock bool
	before  []ir.Value // the counters
	address ir.Value
	begun   ir.Value // whether there was such a read, in a local
}

// updatesIn finds what to claim by (R2) in f.
func (r *races) updatesIn(f *ir.Func, vars map[ir.Value]*ir.Var, escapes map[*ir.Instr]bool) {
	for _, u := range updatesOf(f, func(in *ir.Instr) bool { return !isLocal(in.Args[0], escapes) }) {
		addr := u.write.Args[1]
		a := places.Access{Addr: addr, Reads: true} // of what handlers write
		size := r.sizeOf(u.write, a)
		name := shownAt(vars, addr, size)
		if r.isOneInstruction(u.write) {
			continue
		}
		w, why := r.watchOf(f, a, size, siteName(vars, addr, size))
		if w == nil && why == "" {
			continue
		}
		if w != nil && w.at != nil && !r.once(f) {
			why = "handlers are not followed through a pointer in a function that runs more than once at a time"
		}
		if why != "" {
			r.undecided(f, u.write, name, why)
			continue
		}
		u.claim = claim{w, fmt.Sprintf("%s %s between this write and the read that it was computed from, and that is lost",
			w.does("write"), name)}
		r.at(u.write).update = u
		for _, l := range u.reads {
			s := r.at(l)
			s.reads = append(s.reads, u)
		}
	}
}

// once reports whether no two calls of f are active at a time: it is not recursive, and runs in one context.
func (r *races) once(f *ir.Func) bool {
	n := 0
	if r.main[f] {
		n++
	}
	for _, c := range r.contexts {
		if c.funcs[f] {
			n++
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if g := ir.CalledFunc(in); in.Op == ir.OpCall && (g == nil || !g.IsDecl() && codeFrom(r.Module, g).Funcs[f]) {
				return false
			}
		}
	}
	return n <= 1
}

// isOneInstruction reports a change of one bit of a register that the AVR's sbi and cbi get at.
func (r *races) isOneInstruction(write *ir.Instr) bool {
	at, ok := ir.ConstantAddress(write.Args[1])
	if !ok || !r.isAVR() || at >= 0x40 || r.Module.Layout.StoreSize(write.Access) != 1 {
		return false
	}
	v, _ := write.Args[0].(*ir.Instr)
	for v != nil && (v.Op == ir.OpTrunc || v.Op == ir.OpZext) {
		v, _ = v.Args[0].(*ir.Instr)
	}
	if v == nil || v.Op != ir.OpOr && v.Op != ir.OpAnd {
		return false
	}
	for _, a := range v.Args {
		if k, ok := a.(*ir.Const); ok && k.Kind == ir.ConstInt {
			mask := uint8(k.Bits.Low64())
			if v.Op == ir.OpAnd {
				mask = ^mask
			}
			return mask != 0 && mask&(mask-1) == 0
		}
	}
	return false
}

// updatesOf lists the writes of f that are computed from reads of the same memory that is meant says of.
func updatesOf(f *ir.Func, meant func(load *ir.Instr) bool) []*update {
	d := &dependence{meant: meant, values: map[*ir.Instr]reads{}}
	d.solve(f)
	var out []*update
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpStore {
				continue
			}
			u := &update{write: in}
			for _, l := range d.order {
				if !d.at[in][l] || !l.Access.Equal(in.Access) {
					continue
				}
				switch meet(l.Args[0], 1, in.Args[1], 1) {
				case apart:
					continue
				case maybe:
					if l.Args[0] != in.Args[1] {
						u.compare = true
					}
				}
				u.reads = append(u.reads, l)
			}
			if len(u.reads) > 0 {
				u.inBlock = u.direct()
				out = append(out, u)
			}
		}
	}
	return out
}

// direct reports whether a read stands in front of the write in its block, and leaves the last of these.
func (u *update) direct() bool {
	var last *ir.Instr
	for _, in := range u.write.Block.Instrs {
		if in == u.write {
			break
		}
		if slices.Contains(u.reads, in) {
			last = in
		}
	}
	if last != nil {
		u.reads = []*ir.Instr{last}
	}
	return last != nil
}

// beginUpdate keeps what the counters are at a read: of what it reads, which is what is written, or the write is none of an
// update.
func (r *races) beginUpdate(u *update, read *ir.Instr) {
	before := r.begin(u.watch, read.Args[0])
	if u.inBlock {
		u.before, u.address = before, read.Args[0]
		return
	}
	r.slots(u)
	for i, v := range before {
		if v != nil {
			r.Store(v, u.before[i], 1)
		}
	}
	r.Store(read.Args[0], u.address, 1)
	r.Store(r.Int(ir.Int(8), 1), u.begun, 1)
}

// slots makes the locals of an update whose read is in another block.
func (r *races) slots(u *update) {
	if u.begun != nil {
		return
	}
	slot := func(zero ir.Value) ir.Value {
		s := r.local(zero.Type(), 1)
		r.locals = append(r.locals, &ir.Instr{Op: ir.OpStore, T: ir.Void(), Args: []ir.Value{zero, s}, Access: zero.Type(),
			Align: 1, Pos: r.Pos, Block: r.Func.Blocks[0]})
		return s
	}
	for _, g := range u.counters {
		var s ir.Value
		if g != nil {
			s = slot(r.Int(ir.Int(counterWidth), 0))
		}
		u.before = append(u.before, s)
	}
	u.address, u.begun = slot(r.Null()), slot(r.Int(ir.Int(8), 0))
}

// endUpdate claims (R2) in front of the write.
func (r *races) endUpdate(u *update) {
	before, address := u.before, u.address
	var bad ir.Value = r.Int(ir.Int(1), 1)
	if !u.inBlock {
		r.slots(u)
		before = nil
		for _, s := range u.before {
			if s == nil {
				before = append(before, nil)
				continue
			}
			before = append(before, r.Load(ir.Int(counterWidth), s))
		}
		address = r.Load(r.Ptr(), u.address)
		bad = r.Compare(ir.NE, r.Load(ir.Int(8), u.begun), r.Int(ir.Int(8), 0))
	}
	if u.compare {
		bad = r.And(bad, r.Compare(ir.EQ, address, u.write.Args[1]))
	}
	r.claim(r.And(bad, r.changed(u.watch, before)), u.claim)
}
