package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Cuts makes Encode walk loops once instead of unwinding them: at the first
// arrival at a loop's header everything that a turn may change becomes unknown,
// one turn is walked from there, and its back edge ends. What may change is found
// by walking: a walk that sees a back edge change more than was unknown at the
// header notes that here, and has to be repeated (Formula.Grown). A walk that is
// not Grown covers every execution (induction over turns; DESIGN.md).
//
// The zero value cuts no loop; walks add the loops that do not end by themselves.
// Recursive functions are cut likewise (cut_call.go).
type Cuts struct {
	All   bool // cut every loop that can be cut, even those that end by themselves
	Turns int  // for how many turns innermost loops are cut, 0 for one (cut_turns.go)

	loops  map[string]bool     // by name
	funcs  map[string]bool     // recursive functions, by name
	places map[string]*havoc   // by arrival
	arrays map[string]bool     // read at unknown places, by object key
	pairs  map[string]bool     // read at two places that differ by a constant, by object key
	stride map[*ir.Instr]int64 // of memory without a declared type, by what made it: size of the elements
}

// Header is a control point that executions pass again and again in an unknown
// state, of which invariants are to be found: the header of a cut loop in one
// context, the entry of a recursive function, or the way back from its calls.
type Header struct {
	Key      string // the same in every walk
	Pos      verdict.Pos
	What     string       // for people, of a function: where in it
	Loop     *unwind.Loop // nil for a function
	Func     *ir.Func     // nil for a loop
	Call     *ir.Instr    // the outermost call of Func
	Vars     []Var
	Sites    []Site    // where the unknown state is assumed: one, or one per turn, or one per call that comes back
	Arrivals []Arrival // of a loop the first is the entry, the others are back edges
	Consts   map[int][]bits.Vec
	Calls    bool // the way back from calls: some Vars are of before the call
}

// Var is a number that invariants speak about.
type Var struct {
	Name   string
	Width  int
	Moves  bool  // turns may change it
	Offset bool  // where a pointer points to
	Cell   bool  // the element of an array that the ghost index names
	Count  int64 // with Cell: elements of the array, 0 if that is not known
	Ghost  bool  // the ghost index
	Next   int   // 1 + the Cell that it is the element behind; 0 if it is none
	Mask   bool  // 1 where what MaskedName names has indeterminate bits
	Outer  bool  // of a loop around, as it is at its header
	Before int   // 1 + the variable that is its value before the call; 0 if there is none
	From   Origin
	Array  Origin // with Cell: the array
}

// Origin says what a Var is the number of, the zero value if that is nothing that
// executions name.
type Origin struct {
	Param  int // 1 + its index
	Result bool
	Reg    *ir.Instr // a register
	Global *ir.Global
	Slot   *ir.Instr // an alloca
	Off    int64     // in Global or what Slot made
	After  bool      // the call, not before it
}

// Site is a place of the walk where the state is any that invariants allow.
type Site struct {
	Guard  ilr.Term   // control gets here, and goes on
	Values []ilr.Term // of the Vars
	Entry  []ilr.Term // what they were on entry of the loop, or before the call
}

// Arrival is a way to a header.
type Arrival struct {
	Guard  ilr.Term
	Values []ilr.Term // of the Vars
	Entry  []ilr.Term // as in Site
	After  int        // how many of Formula.Sites come before it in the walk
}

// Passage names a Site: Formula.Headers[Header].Sites[Site].
type Passage struct{ Header, Site int }

// Read is a read of an array that has a ghost cell.
type Read struct {
	Guard, Index ilr.Term
}

// cutter is the state of one walk that cuts loops.
type cutter struct {
	*Cuts
	at    *ir.Instr    // the instruction at hand
	pc    *memory.Path // of it, before its claims
	keys  map[*memory.Object]string
	byKey map[string]*memory.Object
	count map[string]int
	cells map[*memory.Object]int64      // arrays with a ghost cell: size of their elements
	ghost string                        // name of the ghost index
	stems map[*memory.Object][]ilr.Term // offsets that arrays were read at
	grown bool
	stop  bool             // the walk is no use any more: a loop has to be cut that was not
	calls map[*ir.Func]int // activations of functions that call themselves
}

// arrival is one cut loop on its way from the header to the back edge, or one
// outermost call of a recursive function.
type arrival struct {
	key   string
	loop  *unwind.Loop // nil for a function
	fn    *ir.Func     // that calls itself
	in    *ir.Instr    // where gaps are
	fr    *frame       // of the loop, or of the function
	what  string       // for people
	mark  int          // objects below existed
	head  *memory.State
	vals  []memory.Val
	hav   *havoc
	done  map[*memory.Object]*objHavoc // what was made unknown in this walk
	regs  []register
	vars  []*cutVar
	index int // in Formula.Headers
	turns int // for which it is cut
}

func (e *encoder) startCuts(c *Cuts) {
	if c == nil {
		return
	}
	if c.loops == nil {
		c.loops, c.funcs, c.places = map[string]bool{}, map[string]bool{}, map[string]*havoc{}
		c.arrays, c.pairs, c.stride = map[string]bool{}, map[string]bool{}, map[*ir.Instr]int64{}
	}
	e.cutter = &cutter{Cuts: c, keys: map[*memory.Object]string{}, byKey: map[string]*memory.Object{},
		count: map[string]int{},
		cells: map[*memory.Object]int64{}, stems: map[*memory.Object][]ilr.Term{}, calls: map[*ir.Func]int{}}
}

// made tells the cutter of a new object.
func (e *encoder) made(o *memory.Object) {
	if e.cutter != nil {
		e.cutter.know(o)
	}
}

// number makes key distinct from the earlier ones of this walk.
func (c *cutter) number(key string) string {
	c.count[key]++
	return fmt.Sprintf("%s#%d", key, c.count[key])
}

// know gives a new object its key.
func (c *cutter) know(o *memory.Object) {
	key := ""
	switch {
	case o.Kind == memory.ObjGlobal:
		key = "global " + o.Name
	case o.Kind == memory.ObjFunc:
		key = "func " + o.Name
	case o.Kind == memory.ObjRegion:
		key = fmt.Sprintf("region %d", o.Region)
	case o.Kind == memory.ObjNull:
		key = "null"
	case o.Instr != nil:
		key = c.number(fmt.Sprintf("%s.%d", o.Instr.Block.Func.Name, o.Instr.ID))
	default:
		key = c.number("object " + o.Name)
	}
	c.keys[o], c.byKey[key] = key, o
}

// mustCut notes that l has to be cut; the walk has to be repeated.
func (e *encoder) mustCut(l *unwind.Loop, st *memory.State) bool {
	if e.cutter == nil || e.cutter.loops[l.Name] {
		return false
	}
	if irreducible(l) {
		one := *st
		e.gap(&one, l.Header.Instrs[0], verdict.Incomplete, "loop %s is entered in several places, and cannot be cut",
			l.Name)
		return true
	}
	e.cutter.loops[l.Name] = true
	e.cutter.grown, e.cutter.stop = true, true
	return true
}

// irreducible reports whether l or a loop around it is entered in several places:
// then a register may hold a value of an earlier turn.
func irreducible(l *unwind.Loop) bool {
	for ; l != nil; l = l.Parent {
		if l.Irreducible {
			return true
		}
	}
	return false
}

// admitCut treats an arrival at the header of a loop that is cut. handled is
// false for other loops.
func (e *encoder) admitCut(fr *frame, l *unwind.Loop, inst *instance, in edge) (run, handled bool) {
	if e.cutter == nil || !e.cutter.loops[l.Name] && !e.cutter.All || irreducible(l) {
		return false, false
	}
	e.cutter.loops[l.Name] = true
	if fr.cuts == nil {
		fr.cuts = map[*unwind.Loop]*arrival{}
	}
	if turn := int(inst.turns[l.Depth-1]); turn > 0 {
		a := fr.cuts[l]
		if a != nil && a.turns > 1 {
			return e.nextTurn(fr, a, turn, in), true
		}
		if a != nil && !e.s.IsFalse(in.st.PC.All) {
			e.backEdge(fr, a, in)
		}
		return false, true
	}
	e.loopInfo(l, 0).Complete = false
	a := e.newArrival(e.cutter.number(fr.context + "/" + l.Name))
	a.loop, a.in, a.what = l, l.Header.Instrs[0], "loop "+l.Name
	fr.cuts[l] = a
	var regs []register
	for _, phi := range l.Header.Instrs[:len(in.vals)] {
		regs = append(regs, register{phi.Name, phi.T})
	}
	if e.stretches(fr, l) {
		a.turns = e.cutter.Turns
		e.split(fr, a, inst, in, func(in edge) { e.forget(fr, a, in, regs) })
		return in.st.PC != nil, true
	}
	e.forget(fr, a, in, regs)
	return true, true
}

func (e *encoder) newArrival(key string) *arrival {
	h := e.cutter.places[key]
	if h == nil {
		h = &havoc{objs: map[string]*objHavoc{}, phis: map[int]*place{}}
		e.cutter.places[key] = h
	}
	return &arrival{key: key, hav: h, done: map[*memory.Object]*objHavoc{}}
}

// ComesBack reports whether some header is the way back from calls.
func (f *Formula) ComesBack() bool {
	return slices.ContainsFunc(f.Headers, func(h Header) bool { return h.Calls })
}

// Any reports whether something is cut.
func (c *Cuts) Any() bool { return len(c.loops)+len(c.funcs) > 0 }

// Loops are the names of the loops that are cut.
func (c *Cuts) Loops() []string { return sortedKeys(c.loops) }

// Funcs are the names of the recursive functions that are cut.
func (c *Cuts) Funcs() []string { return sortedKeys(c.funcs) }
