package interrupt

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// The check `race` claims at accesses of code that handlers interrupt, by the footprints of both (race_sites.go):
//
//	(R1) no handler writes what an access reads, or touches what it writes, between its parts (tear.go)
//	(R2) no handler writes a number between a read of it and the write of what was computed from that (race_update.go)
//	(R3) a variable that is not volatile is not read where a handler can run that writes it: the compiler may keep
//	     it in a register (C17 5.1.2.3p5)
//
// A counter of the program, one for each watched place and context, tells (R1) and (R2): handlers add to it in front of
// their accesses there, and the interrupted code compares it with what it was.

// counterWidth is how many bits a counter has: it wraps around in no execution that anybody waits for.
const counterWidth int = 32

// context is where handlers run: that of each handler where some preempt others, or else one for all of them.
type context struct {
	active int64             // the value of the variable active meanwhile
	funcs  map[*ir.Func]bool // that run there
	low    bool              // handlers interrupt it
}

// foreign is an access by the code of handlers.
type foreign struct {
	places.Access
	in   *ir.Instr
	f    *ir.Func
	size int64 // in bytes, 0: not known
}

// watch is a place that handlers are watched at while an access of it is under way.
type watch struct {
	addr     ir.Value
	size     int64
	counters []*ir.Global // by context; nil: none of its code gets there
	at       *ir.Global   // holds addr meanwhile, where handlers compare it with theirs; nil: nothing to compare
	who      string       // the handlers that get there
}

// mark is what a handler does in front of an access: it counts, where the addresses are those of the same memory.
type mark struct {
	*watch
	compare bool
}

// site is what is claimed of one access of interrupted code.
type site struct {
	torn     []claim   // (R1), of what it reads and of what it writes
	update   *update   // (R2), of a write
	reads    []*update // (R2), of a read: those that it begins
	register *register // (R3)
}

// register is a claim of a read of a variable that is not volatile.
type register struct {
	f    *ir.Func // the code of a handler that writes the variable
	at   *ir.Global
	what string
}

// claim is that of a watch, in words.
type claim struct {
	*watch
	what string
}

// races puts in what the check `race` needs.
type races struct {
	*interrupts
	contexts []context
	handlers []places.Reach // by handler: what its code is
	names    []string       // of the handlers
	main     map[*ir.Func]bool
	foreign  []foreign
	sites    map[*ir.Instr]*site
	marks    map[int][]mark     // by the number of the access in foreign
	made     map[*ir.Instr]bool // instructions that count
	named    map[string]int
}

// racesOf finds what to claim in the functions that points are put into, and has handlers count.
func (w *interrupts) racesOf(list []Handler, handlers, woven []*ir.Func, entries []string) *races {
	r := &races{interrupts: w, sites: map[*ir.Instr]*site{}, marks: map[int][]mark{}, made: map[*ir.Instr]bool{},
		main: map[*ir.Func]bool{}, named: map[string]int{}}
	nested := preempted(list)
	all := context{active: 1, funcs: map[*ir.Func]bool{}}
	for i, f := range handlers {
		reached := codeFrom(w.Module, f)
		r.handlers, r.names = append(r.handlers, reached), append(r.names, f.CName)
		if len(nested) > 0 {
			r.contexts = append(r.contexts, context{int64(i + 1), reached.Funcs, nested[list[i].Name]})
			continue
		}
		for g := range reached.Funcs {
			all.funcs[g] = true
		}
	}
	if len(nested) == 0 {
		r.contexts = []context{all}
	}
	for _, e := range entries {
		for f := range codeFrom(w.Module, w.Module.Func(e)).Funcs {
			r.main[f] = true
		}
	}
	r.foreignAccesses()
	for _, f := range woven {
		if r.interrupted(f) {
			r.sitesIn(f)
		}
	}
	r.count()
	return r
}

// codeFrom walks the functions that an execution from f may call: where a call through a pointer is among them, all
// whose address the program takes.
func codeFrom(m *ir.Module, f *ir.Func) places.Reach {
	out := places.Reached(m, f)
	for todo := slices.Collect(maps.Keys(out.Funcs)); len(todo) > 0; {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range g.Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpCall || ir.CalledFunc(in) != nil {
					continue
				}
				for _, h := range m.MayCall(in) {
					if out.Funcs[h] {
						continue
					}
					for k := range places.Reached(m, h).Funcs {
						if !out.Funcs[k] {
							out.Funcs[k] = true
							todo = append(todo, k)
						}
					}
				}
			}
		}
	}
	return out
}

// interrupted reports whether handlers may interrupt f: it runs as a part of the program, or of such a handler.
func (r *races) interrupted(f *ir.Func) bool {
	if r.main[f] {
		return true
	}
	handled := false
	for _, c := range r.contexts {
		if c.low && c.funcs[f] {
			return true
		}
		handled = handled || c.funcs[f]
	}
	return !handled
}

// claim fails where bad holds.
func (r *races) claim(bad ir.Value, c claim) {
	var args []ir.Value
	for _, g := range c.counters {
		if g != nil {
			args = append(args, r.AddrOfGlobal(g))
		}
	}
	r.fail(bad, c.what, args...)
}

// fail violates the check where bad holds, and goes on behind it. args tell where the other access is: counters of it,
// or the variable and the function.
func (r *races) fail(bad ir.Value, what string, args ...ir.Value) {
	name := r.Block.Name
	fails, holds := r.NewBlock(name+".race"), r.NewBlock(name+".calm")
	r.Branch(bad, fails, holds)
	r.At(fails)
	r.Emit(&ir.Instr{Op: ir.OpTrap, Check: verdict.Race, What: what, Args: args})
	r.Emit(&ir.Instr{Op: ir.OpUnreachable})
	r.At(holds)
}
