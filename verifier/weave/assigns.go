package weave

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// Functions and loops are held to the assigns clauses of their contracts (CBMC:
// dynamic frames). In front of whatever writes or frees memory stands
//
//	assert(firmproof_contract_may_write(p, n))
//
// a function in C (pipeline/contract) that knows the targets of the clause in force
// and the objects made since. Left out is what cannot be a target:
//
//	(F1) locals written by name: they are younger than the clause, unless a loop with
//	     a contract stands around the write and not around their declaration
//	(F2) what the compiler made, and what contracts themselves write
//
// What writes in a way that is not followed becomes an unsupported instruction.

// Names of what contracts are made of; all begin with one of the prefixes.
const (
	ownPrefix     = "firmproof_"
	contractPart  = "firmproof_contract_"
	checkPrefix   = "__firmproof_check_"
	usePrefix     = "__firmproof_use_"
	mayWriteName  = "firmproof_contract_may_write"
	mayFreeName   = "firmproof_contract_may_free"
	assertName    = "firmproof_contract_assert"
	localName     = "firmproof_contract_local"
	enterName     = "firmproof_contract_enter"
	leaveName     = "firmproof_contract_leave"
	writeTextName = "firmproof_contract_write_text"
	freeTextName  = "firmproof_contract_free_text"
)

// Assigns puts the checks into m, if it has contracts.
func Assigns(m *ir.Module) {
	w := &assigns{Builder: &irbuild.Builder{Module: m}, write: m.Func(mayWriteName), free: m.Func(mayFreeName),
		assert: m.Func(assertName), local: m.Func(localName)}
	if w.write == nil || w.assert == nil || m.Func(enterName) == nil {
		return
	}
	for _, g := range m.Globals {
		switch g.Name {
		case writeTextName:
			w.writeText = g
		case freeTextName:
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
	return strings.HasPrefix(name, ownPrefix) || strings.HasPrefix(name, checkPrefix) || strings.HasPrefix(name,
		usePrefix)
}

// assigns puts in the checks of one program.
type assigns struct {
	*irbuild.Builder
	write, free         *ir.Func
	assert, local       *ir.Func
	writeText, freeText *ir.Global

	g     *unwind.Graph
	loops map[*unwind.Loop]bool // with contracts

	frames  map[*unwind.Loop]ir.Value           // the frame of each
	inside  map[*unwind.Loop]map[*ir.Block]bool // the blocks of its turns
	leaving map[*ir.Block]int                   // of how many loops a block is on the way out

	names map[ir.Value]string      // of C variables, by their allocas
	born  map[ir.Value][]*ir.Block // where their scopes begin
	slots map[ir.Value]int         // of locals of loops that are also reached by address
}

func (w *assigns) function(f *ir.Func) {
	w.Func, w.g = f, unwind.Analyse(f)
	w.look()
	for _, b := range f.Blocks {
		w.Rewrite(b, func(in *ir.Instr) {
			w.before(in)
			w.Keep(in)
			if in.Op == ir.OpCall && in.Model == ir.ModelLifetimeStart {
				w.declare(ir.Root(in.Args[len(in.Args)-1]))
			}
		})
	}
	ir.Number(f)
}

// look finds the loops with contracts, and the names and scopes of variables.
func (w *assigns) look() {
	w.frames = map[*unwind.Loop]ir.Value{}
	w.loops, w.names, w.born, w.slots = map[*unwind.Loop]bool{}, map[ir.Value]string{}, map[ir.Value][]*ir.Block{},
		map[ir.Value]int{}
	for _, v := range w.Func.Vars {
		if v.Slot != nil {
			w.names[v.Slot] = v.Name
		}
	}
	escapes := ir.Escapes(w.Func)
	for _, b := range w.Func.Blocks {
		for _, in := range b.Instrs {
			switch k, _ := in.Callee.(*ir.Const); {
			case in.Op != ir.OpCall:
			case in.Model == ir.ModelLifetimeStart:
				a := ir.Root(in.Args[len(in.Args)-1])
				w.born[a] = append(w.born[a], b)
			case k != nil && k.Func != nil && k.Func.Name == enterName:
				if l := w.g.Inner(b); l != nil {
					w.loops[l], w.frames[l] = true, ir.Root(in.Args[0])
				}
			}
		}
	}
	w.turns()
	for _, b := range w.Func.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpAlloca && escapes[in] && w.inLoop(in) {
				w.slots[in] = len(w.slots)
			}
		}
	}
}

// inLoop reports whether the scope of a begins inside of a loop with a contract.
func (w *assigns) inLoop(a ir.Value) bool {
	for _, b := range w.born[a] {
		if w.around(b) != nil {
			return true
		}
	}
	return false
}

// around is the innermost loop with a contract of whose turns b is a part, or nil.
func (w *assigns) around(b *ir.Block) *unwind.Loop {
	for l := w.g.Inner(b); l != nil; l = l.Parent {
		if w.loops[l] && w.inside[l][b] {
			return l
		}
	}
	return nil
}

// exempt reports (F1) and (F2) for an address used in the current block.
func (w *assigns) exempt(addr ir.Value) bool {
	switch r := ir.Root(addr).(type) {
	case *ir.Const:
		return r.Global != nil && ours(r.Global.Name)
	case *ir.Instr:
		if r.Op != ir.OpAlloca {
			return false
		}
		name, known := w.names[r]
		l := w.around(w.Block)
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

// declare tells the clause in force of a local variable of its loop.
func (w *assigns) declare(a ir.Value) {
	k, ok := w.slots[a]
	if !ok || w.around(w.Block) == nil {
		return
	}
	in := a.(*ir.Instr)
	if k >= policy.AssignsLocals || w.local == nil {
		w.Unsupported(fmt.Sprintf("more than %d locals of loops with contracts that are reached by address",
			policy.AssignsLocals))
		return
	}
	w.Call(w.local, a, w.Int(w.local.Params[1].T, w.Module.Layout.SizeOf(in.Access)), w.Int(w.local.Params[2].T,
		int64(k)))
}
