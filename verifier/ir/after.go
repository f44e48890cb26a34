package ir

// After holds the instructions that an execution may come to from some instructions on.
type After struct {
	m    *Module
	from map[*Block]int // by block: the first instruction that it may come to
	work []*Block
	todo map[*Block]bool
	back map[*Func]bool // may return
	call map[*Func][]*Instr
	free bool // code that is not known may call back
}

// AfterOf follows the control flow from each of ins, which are included, through calls
// into functions and returns to every caller, whichever call it was. Calls through
// pointers may be of any function whose address is taken. Code that is not known,
// which one of ins or a later instruction calls, may call back every function but entry.
func AfterOf(m *Module, entry *Func, ins ...*Instr) *After {
	a := &After{m: m, from: map[*Block]int{}, todo: map[*Block]bool{}, back: map[*Func]bool{},
		call: map[*Func][]*Instr{}}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, x := range b.Instrs {
				for _, g := range m.MayCall(x) {
					a.call[g] = append(a.call[g], x)
				}
			}
		}
	}
	for _, in := range ins {
		a.mark(in.Block, index(in))
	}
	for len(a.work) > 0 {
		b := a.work[len(a.work)-1]
		a.work = a.work[:len(a.work)-1]
		a.todo[b] = false
		a.block(entry, b)
	}
	return a
}

// Has reports whether in may be executed then; nil has none.
func (a *After) Has(in *Instr) bool {
	if a == nil {
		return false
	}
	first, ok := a.from[in.Block]
	return ok && index(in) >= first
}

func index(in *Instr) int {
	for i, x := range in.Block.Instrs {
		if x == in {
			return i
		}
	}
	return 0
}

// mark notes that b may be executed from its i-th instruction on.
func (a *After) mark(b *Block, i int) {
	if old, ok := a.from[b]; ok && old <= i {
		return
	}
	a.from[b] = i
	if !a.todo[b] {
		a.todo[b] = true
		a.work = append(a.work, b)
	}
}

func (a *After) block(entry *Func, b *Block) {
	for _, x := range b.Instrs[a.from[b]:] {
		switch x.Op {
		case OpCall:
			for _, f := range a.m.MayCall(x) {
				a.mark(f.Blocks[0], 0)
			}
			if a.unknown(x) && !a.free {
				a.free = true
				for _, f := range a.m.Funcs {
					if f != entry && !f.IsDecl() {
						a.mark(f.Blocks[0], 0)
					}
				}
			}
		case OpRet:
			if a.back[b.Func] {
				continue
			}
			a.back[b.Func] = true
			for _, c := range a.call[b.Func] {
				a.mark(c.Block, index(c)+1)
			}
		}
		for _, t := range x.Targets {
			a.mark(t, 0)
		}
	}
}

// unknown reports whether x may run code that is neither in the module nor modelled.
func (a *After) unknown(x *Instr) bool {
	k, ok := x.Callee.(*Const)
	return !ok || x.Model == ModelNone && (k.Func == nil || k.Func.IsDecl() && k.Func.Model == ModelNone)
}
