package seg

import (
	"github.com/firmproof/firmproof/verifier/ir"
)

// funcFacts holds what is computed once per function.
type funcFacts struct {
	heads     map[*ir.Block]bool // targets of retreating edges
	escapes   map[*ir.Instr]bool
	liveIn    map[*ir.Block]map[ir.Value]bool // after the phis
	users     map[ir.Value][]*ir.Instr
	names     map[ir.Value]*ir.Var
	ghosts    []*ir.Param                      // of numeric parameters; made when first asked for
	result    *ir.Param                        // stands for what is returned; likewise
	addresses []*ir.Param                      // of pointer parameters; likewise
	slots     map[*ir.Instr]bool               // allocas that are only read and written as a whole
	slotsIn   map[*ir.Block]map[*ir.Instr]bool // those that are read before they are written
}

func (b *builder) factsOf(fn *ir.Func) *funcFacts {
	if f := b.facts[fn]; f != nil {
		return f
	}
	f := &funcFacts{heads: loopHeads(fn), escapes: ir.Escapes(fn), users: map[ir.Value][]*ir.Instr{},
		names: map[ir.Value]*ir.Var{}}
	for _, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			for _, a := range in.Args {
				if _, ok := a.(*ir.Const); !ok {
					f.users[a] = append(f.users[a], in)
				}
			}
		}
	}
	for _, v := range fn.Vars {
		if v.Slot != nil {
			f.names[v.Slot] = v
		}
	}
	f.liveIn = liveness(fn)
	f.slots = b.m.Layout.Slots(fn, f.escapes)
	f.slotsIn = ir.LiveSlots(fn, f.slots)
	b.facts[fn] = f
	return f
}

func (b *builder) escapes(fn *ir.Func) map[*ir.Instr]bool { return b.factsOf(fn).escapes }

// loopHeads are the targets of edges that go back in a depth-first walk.
func loopHeads(fn *ir.Func) map[*ir.Block]bool {
	heads := map[*ir.Block]bool{}
	state := map[*ir.Block]int{} // 1 on the path, 2 done
	type visit struct {
		blk  *ir.Block
		next int
	}
	stack := []visit{{fn.Blocks[0], 0}}
	state[fn.Blocks[0]] = 1
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		succs := v.blk.Succs()
		if v.next == len(succs) {
			state[v.blk] = 2
			stack = stack[:len(stack)-1]
			continue
		}
		t := succs[v.next]
		v.next++
		switch state[t] {
		case 0:
			state[t] = 1
			stack = append(stack, visit{t, 0})
		case 1:
			heads[t] = true
		}
	}
	return heads
}

// liveness computes which values are read after the phis of each block.
func liveness(fn *ir.Func) map[*ir.Block]map[ir.Value]bool {
	live := map[*ir.Block]map[ir.Value]bool{}
	for _, blk := range fn.Blocks {
		live[blk] = map[ir.Value]bool{}
	}
	for changed := true; changed; {
		changed = false
		for n := len(fn.Blocks) - 1; n >= 0; n-- {
			blk := fn.Blocks[n]
			now := liveFrom(blk, firstNonPhi(blk), live)
			if len(now) != len(live[blk]) {
				live[blk], changed = now, true
			}
		}
	}
	return live
}

// liveFrom returns the values that are read from instruction idx of blk on.
func liveFrom(blk *ir.Block, idx int, live map[*ir.Block]map[ir.Value]bool) map[ir.Value]bool {
	now := map[ir.Value]bool{}
	for _, t := range blk.Succs() {
		for v := range live[t] {
			now[v] = true
		}
		for _, in := range t.Instrs {
			if in.Op != ir.OpPhi {
				break
			}
			delete(now, in)
		}
		for _, in := range t.Instrs {
			if in.Op != ir.OpPhi {
				break
			}
			for n, p := range in.Incoming {
				if p == blk {
					read(now, in.Args[n])
				}
			}
		}
	}
	for i := len(blk.Instrs) - 1; i >= idx; i-- {
		in := blk.Instrs[i]
		delete(now, in)
		if in.Op == ir.OpPhi {
			continue
		}
		for _, a := range in.Args {
			read(now, a)
		}
		if in.Callee != nil {
			read(now, in.Callee)
		}
	}
	return now
}

func read(now map[ir.Value]bool, v ir.Value) {
	if _, ok := v.(*ir.Const); !ok {
		now[v] = true
	}
}

// liveAt returns the values that are read from instruction idx on.
func (b *builder) liveAt(fn *ir.Func, blk *ir.Block, idx int) map[ir.Value]bool {
	f := b.factsOf(fn)
	if idx == firstNonPhi(blk) {
		return f.liveIn[blk]
	}
	return liveFrom(blk, idx, f.liveIn)
}

// nameOf names a value as in C, if that is known.
func (b *builder) nameOf(v ir.Value) string {
	in, ok := v.(*ir.Instr)
	if !ok {
		if p, ok := v.(*ir.Param); ok {
			return p.Name
		}
		return b.label(v)
	}
	f := b.factsOf(in.Block.Func)
	if x := f.names[in]; x != nil {
		return x.Name
	}
	if in.Op == ir.OpLoad {
		if a, ok := in.Args[0].(*ir.Instr); ok && f.names[a] != nil {
			return f.names[a].Name
		}
	}
	if in.Name != "" {
		return in.Name
	}
	return b.label(in)
}

// class is the reading that suits a value: that of the C variable that holds it,
// else that of its uses (BV-07, simplified: a poor choice costs precision only).
func (b *builder) class(in *ir.Instr) rep {
	f := b.factsOf(in.Block.Func)
	if in.Op == ir.OpLoad {
		if r, ok := signOf(f.varAt(in.Args[0])); ok {
			return r
		}
	}
	votes := anyRep
	for _, u := range f.users[in] {
		switch u.Op {
		case ir.OpStore:
			if r, ok := signOf(f.varAt(u.Args[1])); ok && u.Args[0] == ir.Value(in) {
				return r
			}
		case ir.OpSdiv, ir.OpSrem, ir.OpAshr, ir.OpSext, ir.OpSiToFp:
			return signed
		case ir.OpUdiv, ir.OpUrem, ir.OpLshr, ir.OpZext, ir.OpUiToFp:
			votes = unsigned
		case ir.OpIcmp:
			switch u.Pred {
			case ir.SGT, ir.SGE, ir.SLT, ir.SLE:
				return signed
			case ir.UGT, ir.UGE, ir.ULT, ir.ULE:
				votes = unsigned
			}
		case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl:
			if u.Flags.Has(ir.NSW) {
				return signed
			}
		}
	}
	return votes
}

// varAt is the C variable at an address, if it is one.
func (f *funcFacts) varAt(a ir.Value) *ir.DType {
	if x := f.names[a]; x != nil {
		return x.T
	}
	if c, ok := a.(*ir.Const); ok && c.Global != nil && c.Global.Var != nil && c.Off == 0 {
		return c.Global.Var.T
	}
	return nil
}

func signOf(t *ir.DType) (rep, bool) {
	for t != nil && t.Kind == ir.DEnum && t.Elem != nil {
		t = t.Elem
	}
	if t == nil {
		return anyRep, false
	}
	switch t.Kind {
	case ir.DInt, ir.DChar:
		if t.Signed {
			return signed, true
		}
		return unsigned, true
	case ir.DBool, ir.DEnum, ir.DPointer:
		return unsigned, true
	}
	return anyRep, false
}

func (b *builder) paramRep(fn *ir.Func, p *ir.Param) rep {
	for _, v := range fn.Vars {
		if v.Param && v.Name == b.paramName(fn, p) || v.Slot == ir.Value(p) {
			if r, ok := signOf(v.T); ok {
				return r
			}
		}
	}
	return anyRep
}

// paramName is the parameter's name in C.
func (b *builder) paramName(fn *ir.Func, p *ir.Param) string {
	for _, v := range fn.Vars {
		if v.Slot == ir.Value(p) {
			return v.Name
		}
	}
	return p.Name
}
