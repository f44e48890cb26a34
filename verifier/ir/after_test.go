package ir

import "testing"

// TestAfter builds
//
//	main:  a: call f; br b    b: call unknown; condbr b, c    c: call g; ret
//	f: ret    g: call f; ret    h: ret (its address is taken)
//
// and asks what may be executed from several places on.
func TestAfter(t *testing.T) {
	m := &Module{}
	fn := func(name string, blocks ...string) *Func {
		f := &Func{Name: name, Ret: Void()}
		for i, b := range blocks {
			f.Blocks = append(f.Blocks, &Block{Index: i, Name: b, Func: f})
		}
		m.Funcs = append(m.Funcs, f)
		return f
	}
	main, f, g, h, unknown := fn("main", "a", "b", "c"), fn("f", "entry"), fn("g", "entry"), fn("h", "entry"),
		fn("unknown")
	h.Addr = true
	put := func(b *Block, in *Instr) *Instr {
		in.Block = b
		b.Instrs = append(b.Instrs, in)
		return in
	}
	call := func(b *Block, to *Func) *Instr {
		return put(b, &Instr{Op: OpCall, Callee: &Const{Kind: ConstAddr, Func: to}})
	}
	a, b, c := main.Blocks[0], main.Blocks[1], main.Blocks[2]
	callF := call(a, f)
	put(a, &Instr{Op: OpBr, Targets: []*Block{b}})
	before := put(b, &Instr{Op: OpFence})
	callUnknown := call(b, unknown)
	put(b, &Instr{Op: OpCondBr, Targets: []*Block{b, c}})
	callG := call(c, g)
	end := put(c, &Instr{Op: OpRet})
	retF, retH := put(f.Blocks[0], &Instr{Op: OpRet}), put(h.Blocks[0], &Instr{Op: OpRet})
	gCallsF := call(g.Blocks[0], f)
	put(g.Blocks[0], &Instr{Op: OpRet})

	for _, x := range []struct {
		name     string
		from, to *Instr
		want     bool
	}{
		{"itself", callG, callG, true},
		{"later in the block", callG, end, true},
		{"earlier in the block, which is in a loop", callUnknown, before, true},
		{"before the loop", callUnknown, callF, false},
		{"before, in a block of no loop", end, callG, false},
		{"a callee of a callee", callG, retF, true},
		{"back in every caller", retF, callG, true},
		{"back in another caller", gCallsF, before, true},
		{"before the call that returns", retF, callF, false},
		{"called back by unknown code", callUnknown, retH, true},
		{"no unknown code from here on", end, retH, false},
		{"the entry is not called back", callUnknown, callF, false},
	} {
		if got := AfterOf(m, main, x.from).Has(x.to); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}
