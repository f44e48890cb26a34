package frontend

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// endings makes the check `return` for C, where clang inserts none because it is
// the use of the result that is undefined, not the end of the function without
// one (C11 6.9.1p12). Each function that may end so notes in a variable how it
// ended, and each call whose result is used asks that variable afterwards.
//
// Functions are found by what clang makes of them at -O0: a local `retval`,
// stored by every `return` and loaded by the only `ret`.
func (t *translator) endings() {
	open := map[*ir.Func]*ir.Instr{} // to its retval
	indirect := false
	for _, f := range t.m.Funcs {
		if r := retval(f); r != nil && !alwaysStored(f, r) {
			open[f] = r
			indirect = indirect || f.Addr
		}
	}
	if len(open) == 0 {
		return
	}
	flag := t.libraryGlobal("returned", &ir.Const{T: t.intType(8), Kind: ir.ConstInt, Bits: t.byteConst(1).Bits}, false)
	at := &ir.Const{T: t.ptr, Kind: ir.ConstAddr, Global: flag}
	for _, f := range t.m.Funcs {
		switch r := open[f]; {
		case r != nil:
			t.noteEnding(f, r, at)
		case indirect && f.Addr && !f.IsDecl() && !f.Ret.IsVoid():
			t.beforeRet(f, func(*ir.Instr) []*ir.Instr { return []*ir.Instr{t.store(t.byteConst(1), at)} })
		}
	}
	for _, f := range t.m.Funcs {
		t.askEndings(f, at, func(call *ir.Instr) bool {
			k, direct := call.Callee.(*ir.Const)
			if !direct || k.Kind != ir.ConstAddr || k.Func == nil {
				return indirect
			}
			return open[k.Func] != nil
		})
	}
}

// retval is the local that holds the result of f, or nil if there is none that
// is stored and loaded whole.
func retval(f *ir.Func) *ir.Instr {
	if f.IsDecl() || f.Ret.IsVoid() {
		return nil
	}
	var slot *ir.Instr
	for _, in := range f.Blocks[0].Instrs {
		if in.Op == ir.OpAlloca && in.Name == "retval" && in.Access.Equal(f.Ret) {
			slot = in
		}
	}
	if slot == nil {
		return nil
	}
	rets := 0
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == ir.OpRet:
				l, ok := in.Args[0].(*ir.Instr)
				if !ok || l.Op != ir.OpLoad || l.Args[0] != ir.Value(slot) || l.Block != b {
					return nil
				}
				rets++
			case in.Op == ir.OpStore && in.Args[1] == ir.Value(slot) && in.Args[0] != ir.Value(slot),
				in.Op == ir.OpLoad:
			case uses(in, slot):
				return nil
			}
		}
	}
	if rets != 1 {
		return nil
	}
	return slot
}

func uses(in *ir.Instr, v ir.Value) bool {
	for _, a := range in.Args {
		if a == v {
			return true
		}
	}
	return in.Callee == v
}

// alwaysStored reports whether every path to the end of f stores slot.
func alwaysStored(f *ir.Func, slot *ir.Instr) bool {
	without := map[*ir.Block]bool{} // reached on some path without a store
	work := []*ir.Block{f.Blocks[0]}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if without[b] {
			continue
		}
		without[b] = true
		stored := false
		for _, in := range b.Instrs {
			stored = stored || in.Op == ir.OpStore && in.Args[1] == ir.Value(slot)
			if in.Op == ir.OpRet && !stored {
				return false
			}
		}
		if !stored {
			work = append(work, b.Succs()...)
		}
	}
	return true
}

func (t *translator) byteConst(v int64) *ir.Const { return (&fn{translator: t}).intConst(8, v) }

func (t *translator) store(v ir.Value, to ir.Value) *ir.Instr {
	return &ir.Instr{Op: ir.OpStore, T: t.void, Args: []ir.Value{v, to}, Access: v.Type(), Align: 1}
}

// noteEnding keeps beside slot whether it was stored, and leaves that in the flag.
func (t *translator) noteEnding(f *ir.Func, slot *ir.Instr, flag *ir.Const) {
	set := &ir.Instr{Op: ir.OpAlloca, T: t.ptr, Name: "retval.set", Args: []ir.Value{t.byteConst(1)},
		Access: t.intType(8), Align: 1}
	for _, b := range f.Blocks {
		var out []*ir.Instr
		for _, in := range b.Instrs {
			if in.Op == ir.OpRet {
				v := &ir.Instr{Op: ir.OpLoad, T: t.intType(8), Args: []ir.Value{set}, Access: t.intType(8), Align: 1}
				out = append(out, at(in, v), at(in, t.store(v, flag)))
			}
			out = append(out, in)
			switch {
			case in == slot:
				out = append(out, at(in, set), at(in, t.store(t.byteConst(0), set)))
			case in.Op == ir.OpStore && in.Args[1] == ir.Value(slot):
				out = append(out, at(in, t.store(t.byteConst(1), set)))
			}
		}
		b.Instrs = out
	}
	number(f)
}

// beforeRet puts what make gives in front of every ret of f.
func (t *translator) beforeRet(f *ir.Func, make func(ret *ir.Instr) []*ir.Instr) {
	for _, b := range f.Blocks {
		ret := b.Term()
		if ret.Op != ir.OpRet {
			continue
		}
		b.Instrs = b.Instrs[:len(b.Instrs)-1]
		for _, in := range make(ret) {
			b.Instrs = append(b.Instrs, at(ret, in))
		}
		b.Instrs = append(b.Instrs, ret)
	}
	number(f)
}

// at gives in the place of like.
func at(like, in *ir.Instr) *ir.Instr {
	in.Block, in.Pos = like.Block, like.Pos
	return in
}

// askEndings splits the blocks of f behind each call that asked chooses and
// whose result is used: the claim `return` fails if the callee gave none.
func (t *translator) askEndings(f *ir.Func, flag *ir.Const, asked func(*ir.Instr) bool) {
	used := map[*ir.Instr]bool{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				if u, ok := a.(*ir.Instr); ok {
					used[u] = true
				}
			}
		}
	}
	var blocks []*ir.Block
	changed := false
	for _, b := range f.Blocks {
		blocks = append(blocks, b)
		for i := 0; i < len(b.Instrs); i++ {
			in := b.Instrs[i]
			if in.Op != ir.OpCall || in.Model != ir.ModelNone || !used[in] || !asked(in) {
				continue
			}
			changed = true
			rest := &ir.Block{Func: f, Name: b.Name + ".returned", Instrs: b.Instrs[i+1:]}
			bad := &ir.Block{Func: f, Name: b.Name + ".noresult"}
			bad.Instrs = []*ir.Instr{at(in, &ir.Instr{Op: ir.OpTrap, T: t.void, Check: verdict.Return,
				What: "the result is used of a function that ended without one"}),
				at(in, &ir.Instr{Op: ir.OpUnreachable, T: t.void})}
			bad.Instrs[0].Block, bad.Instrs[1].Block = bad, bad
			v := at(in, &ir.Instr{Op: ir.OpLoad, T: t.intType(8), Args: []ir.Value{flag}, Access: t.intType(8),
				Align: 1})
			is := at(in, &ir.Instr{Op: ir.OpIcmp, T: t.intType(1), Pred: ir.NE, Args: []ir.Value{v, t.byteConst(0)}})
			br := at(in, &ir.Instr{Op: ir.OpCondBr, T: t.void, Args: []ir.Value{is}, Targets: []*ir.Block{rest, bad}})
			head := append([]*ir.Instr(nil), b.Instrs[:i]...)
			if k, direct := in.Callee.(*ir.Const); !direct || k.Func == nil {
				head = append(head, at(in, t.store(t.byteConst(1), flag))) // a callee from elsewhere notes nothing
			}
			b.Instrs = append(head, in, v, is, br)
			for _, s := range rest.Instrs {
				s.Block = rest
			}
			for _, s := range rest.Succs() {
				renamePred(s, b, rest)
			}
			blocks = append(blocks, rest, bad)
			b, i = rest, -1
		}
	}
	if changed {
		f.Blocks = blocks
		number(f)
	}
}

// renamePred says in the phis of b that from is now to.
func renamePred(b, from, to *ir.Block) {
	for _, in := range b.Instrs {
		if in.Op != ir.OpPhi {
			return
		}
		for i, p := range in.Incoming {
			if p == from {
				in.Incoming[i] = to
			}
		}
	}
}

// number gives blocks and instructions of f their numbers again.
func number(f *ir.Func) {
	for n, b := range f.Blocks {
		b.Index = n
	}
	ir.Number(f)
	ir.SetPreds(f)
}
