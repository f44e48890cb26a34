// Package frame holds functions and loops to the assigns clauses of their contracts
// (CBMC: dynamic frames). In front of whatever writes or frees memory it puts
//
//	assert(firmproof_contract_may_write(p, n))
//
// a function in C (package contract) that knows the targets of the clause in force
// and the objects made since. Left out is what cannot be a target:
//
//	(F1) locals written by name: they are younger than the clause, unless a loop with
//	     a contract stands around the write and not around their declaration
//	(F2) what the compiler made, and what contracts themselves write
//
// What writes in a way that is not followed becomes an unsupported instruction.
package frame

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
)

// Names of what contracts are made of; all begin with one of the prefixes.
const (
	prefix    = "firmproof_"
	checks    = "__firmproof_check_"
	uses      = "__firmproof_use_"
	mayWrite  = "firmproof_contract_may_write"
	mayFree   = "firmproof_contract_may_free"
	assertion = "firmproof_contract_assert"
	local     = "firmproof_contract_local"
	enter     = "firmproof_contract_enter"
	leave     = "firmproof_contract_leave"
	writeText = "firmproof_contract_write_text"
	freeText  = "firmproof_contract_free_text"
	maxLocals = 8
)

// Instrument puts the checks into m, if it has contracts. It changes m: call it
// before the module is shared.
func Instrument(m *ir.Module) {
	w := &weaver{m: m, write: m.Func(mayWrite), free: m.Func(mayFree), assert: m.Func(assertion), local: m.Func(local)}
	if w.write == nil || w.assert == nil || m.Func(enter) == nil {
		return
	}
	for _, g := range m.Globals {
		switch g.Name {
		case writeText:
			w.writeText = g
		case freeText:
			w.freeText = g
		}
	}
	for _, f := range m.Funcs {
		if !f.IsDecl() && !ours(f.Name) {
			w.function(f)
		}
	}
}

func ours(name string) bool {
	return strings.HasPrefix(name, prefix) || strings.HasPrefix(name, checks) || strings.HasPrefix(name, uses)
}

type weaver struct {
	m                   *ir.Module
	write, free         *ir.Func
	assert, local       *ir.Func
	writeText, freeText *ir.Global

	f     *ir.Func
	g     *unwind.Graph
	loops map[*unwind.Loop]bool // with contracts

	frames  map[*unwind.Loop]ir.Value           // the frame of each
	inside  map[*unwind.Loop]map[*ir.Block]bool // the blocks of its turns
	leaving map[*ir.Block]int                   // of how many loops a block is on the way out

	names map[ir.Value]string      // of C variables, by their allocas
	born  map[ir.Value][]*ir.Block // where their scopes begin
	slots map[ir.Value]int         // of locals of loops that are also reached by address
	out   []*ir.Instr              // the block being made
	at    *ir.Instr                // what the new instructions stand in front of
}

func (w *weaver) function(f *ir.Func) {
	w.f, w.g = f, unwind.Analyse(f)
	w.look()
	for _, b := range f.Blocks {
		w.out = nil
		for _, in := range b.Instrs {
			w.at = in
			w.before(b, in)
			w.out = append(w.out, in)
			if in.Op == ir.OpCall && in.Model == ir.ModelLifetimeStart {
				w.declare(b, root(in.Args[len(in.Args)-1]))
			}
		}
		b.Instrs = w.out
	}
	id := 0
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			in.ID = id
			id++
		}
	}
	f.NumInstr = id
}

// look finds the loops with contracts, and the names and scopes of variables.
func (w *weaver) look() {
	w.frames = map[*unwind.Loop]ir.Value{}
	w.loops, w.names, w.born, w.slots = map[*unwind.Loop]bool{}, map[ir.Value]string{}, map[ir.Value][]*ir.Block{},
		map[ir.Value]int{}
	for _, v := range w.f.Vars {
		if v.Slot != nil {
			w.names[v.Slot] = v.Name
		}
	}
	escapes := ir.Escapes(w.f)
	for _, b := range w.f.Blocks {
		for _, in := range b.Instrs {
			switch k, _ := in.Callee.(*ir.Const); {
			case in.Op != ir.OpCall:
			case in.Model == ir.ModelLifetimeStart:
				a := root(in.Args[len(in.Args)-1])
				w.born[a] = append(w.born[a], b)
			case k != nil && k.Func != nil && k.Func.Name == enter:
				if l := w.g.Inner(b); l != nil {
					w.loops[l], w.frames[l] = true, root(in.Args[0])
				}
			}
		}
	}
	w.turns()
	for _, b := range w.f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && escapes[in] && w.inLoop(in) {
				w.slots[in] = len(w.slots)
			}
		}
	}
}

// inLoop reports whether the scope of a begins inside of a loop with a contract.
func (w *weaver) inLoop(a ir.Value) bool {
	for _, b := range w.born[a] {
		if w.around(b) != nil {
			return true
		}
	}
	return false
}

// around is the innermost loop with a contract of whose turns b is a part, or nil.
func (w *weaver) around(b *ir.Block) *unwind.Loop {
	for l := w.g.Inner(b); l != nil; l = l.Parent {
		if w.loops[l] && w.inside[l][b] {
			return l
		}
	}
	return nil
}

// exempt reports (F1) and (F2) for an address used in b.
func (w *weaver) exempt(b *ir.Block, addr ir.Value) bool {
	switch r := root(addr).(type) {
	case *ir.Const:
		return r.Global != nil && ours(r.Global.Name)
	case *ir.Instr:
		if r.Op != ir.OpAlloca {
			return false
		}
		name, known := w.names[r]
		l := w.around(b)
		if l == nil || !known || ours(name) {
			return true
		}
		for _, s := range w.born[r] {
			if w.g.In(s, l) {
				return true
			}
		}
	}
	return false
}

// root is what an address is computed from.
func root(v ir.Value) ir.Value {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpGep && in.Op != ir.OpBitcast && in.Op != ir.OpFreeze {
			return v
		}
		v = in.Args[0]
	}
}

// declare tells the clause in force of a local variable of its loop.
func (w *weaver) declare(b *ir.Block, a ir.Value) {
	k, ok := w.slots[a]
	if !ok || w.around(b) == nil {
		return
	}
	in := a.(*ir.Instr)
	if k >= maxLocals || w.local == nil {
		w.unsupported(fmt.Sprintf("more than %d locals of loops with contracts that are reached by address", maxLocals))
		return
	}
	w.call(w.local, a, w.number(w.local.Params[1].T, w.m.Layout.SizeOf(in.Access)), w.number(w.local.Params[2].T,
		int64(k)))
}

func (w *weaver) number(t *ir.Type, n int64) *ir.Const {
	return &ir.Const{T: t, Kind: ir.ConstInt, Bits: bits.NewInt(t.Width, n)}
}

func (w *weaver) add(in *ir.Instr) *ir.Instr {
	in.Block, in.Pos = w.at.Block, w.at.Pos
	w.out = append(w.out, in)
	return in
}

func (w *weaver) unsupported(what string) {
	w.add(&ir.Instr{Op: ir.OpUnsupported, T: ir.Void(), What: what})
}

// call adds a call of f.
func (w *weaver) call(f *ir.Func, args ...ir.Value) *ir.Instr {
	return w.add(&ir.Instr{Op: ir.OpCall, T: f.Ret, Args: args, Sig: f.Sig(), Model: f.Model,
		Callee: w.address(&ir.Const{Func: f})})
}

func (w *weaver) address(c *ir.Const) *ir.Const {
	c.T, c.Kind = ir.Ptr(w.m.Layout.PtrBits), ir.ConstAddr
	return c
}
