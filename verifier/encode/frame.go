package encode

import (
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/unwind"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// frame is one activation: a function in one call context (LL-58, LL-59).
type frame struct {
	fn      *ir.Func
	g       *unwind.Graph
	info    *funcInfo
	up      *frame
	call    *ir.Instr // in up
	depth   int
	context string
	params  []memory.Val
	more    []memory.Val // variadic arguments
	vals    []memory.Val // by instruction id: the newest turn's
	objs    []*memory.Object
	loops   []loopState
	cuts    map[*unwind.Loop]*arrival
	rec     *recursion                // of an activation that stands for all of a recursive function
	pending []*instance               // by falling key
	out     []edge                    // returns
	forked  bool                      // some branch here depends on inputs
	asked   map[*ir.Instr][2]ilr.Term // what the newest decision of each branch with a known outcome compared
}

// instance is a block in one turn of each loop around it, with what flows in.
type instance struct {
	block *ir.Block
	turns unwind.Turns
	key   unwind.Key
	in    []edge
}

// edge is a control flow edge taken: the state on it, and the values that the
// target's phis (for a return: the caller) get from it.
type edge struct {
	st   *memory.State
	vals []memory.Val
}

func (e *encoder) newFrame(up *frame, call *ir.Instr, f *ir.Func, params []memory.Val) *frame {
	info := e.infoOf(f)
	fr := &frame{fn: f, g: info.g, info: info, up: up, call: call, params: params, vals: make([]memory.Val, f.NumInstr),
		loops: make([]loopState, len(info.g.Loops))}
	fr.context = contextOf(up, call, f)
	if up != nil {
		fr.depth = up.depth + 1
	}
	return fr
}

// run walks an activation from st to its merged return.
func (e *encoder) run(fr *frame, st *memory.State) (*memory.State, memory.Val) {
	e.f.Stats.Calls++
	if e.stackClaim(fr, st); st.PC == nil {
		return nil, memory.Val{}
	}
	fr.enqueue(&instance{block: fr.fn.Blocks[0], key: fr.g.KeyOf(fr.fn.Blocks[0], nil)}, edge{st: st})
	for len(fr.pending) > 0 {
		inst := fr.pending[len(fr.pending)-1]
		fr.pending = fr.pending[:len(fr.pending)-1]
		in := e.mergeEdges(inst.in)
		if in.st.PC == nil || !e.mayGoOn(fr, inst, in) {
			continue
		}
		was := e.assumed
		e.assumed = was || fr.assumes(inst) != nil
		e.block(fr, inst, in)
		e.assumed = was
	}
	if len(fr.out) == 0 {
		return nil, memory.Val{}
	}
	end := e.mergeEdges(fr.out)
	if end.st.PC == nil {
		return nil, memory.Val{}
	}
	for _, o := range fr.objs {
		end.st.Put(o, nil)
	}
	if len(end.vals) == 0 {
		return end.st, memory.Val{}
	}
	return end.st, end.vals[0]
}

// mayGoOn applies the limits of the walk and of loops to an instance about to run.
func (e *encoder) mayGoOn(fr *frame, inst *instance, in edge) bool {
	if e.stopped == nil && e.s.Len() > e.opts.MaxTerms {
		e.stopped = &verdict.Reason{Kind: verdict.OutOfMemory, Detail: tooManyTerms,
			Remedy: "lower the bounds, or raise the memory limit"}
	}
	if e.stopped == nil && e.toStop() {
		e.stopped = &verdict.Reason{Kind: verdict.TimedOut,
			Detail: "the formula was not made beyond this place in its share of the time",
			Remedy: "give more with --timeout, or bounds with --unwind (in the manifest: `timeout`, `unwind`)"}
	}
	if e.ctx.Err() != nil || e.cutter != nil && e.cutter.stop {
		return false
	}
	if e.stopped != nil {
		r, at := *e.stopped, inst.block.Instrs[0]
		r.Pos = at.Pos
		e.f.Gaps = append(e.f.Gaps, Gap{Guard: in.st.PC.All, Reason: r, Instr: at})
		return false
	}
	return e.admit(fr, inst, in)
}

// toStop reports that Options.Stop is closed.
func (e *encoder) toStop() bool {
	select {
	case <-e.opts.Stop:
		return true
	default:
		return false
	}
}

// enqueue adds an edge into the instance with inst's key.
func (fr *frame) enqueue(inst *instance, in edge) {
	i := sort.Search(len(fr.pending), func(i int) bool { return fr.pending[i].key.Compare(inst.key) <= 0 })
	if i < len(fr.pending) && fr.pending[i].key.Compare(inst.key) == 0 {
		fr.pending[i].in = append(fr.pending[i].in, in)
		return
	}
	inst.in = []edge{in}
	fr.pending = append(fr.pending, nil)
	copy(fr.pending[i+1:], fr.pending[i:])
	fr.pending[i] = inst
}

// mergeEdges joins what flows into one place. Neighbours that share the longest
// list of decisions are joined first, so that the two arms of a branch meet
// before they meet anything else.
func (e *encoder) mergeEdges(in []edge) edge {
	e.When = 0
	type item struct {
		ed    edge
		depth int // of what it shares with the item below
	}
	var stack []item
	fold := func() {
		n := len(stack)
		stack[n-2].ed = e.mergeTwo(stack[n-2].ed, stack[n-1].ed)
		stack = stack[:n-1]
	}
	for _, ed := range in {
		if ed.st.PC == nil {
			continue
		}
		d := 0
		if n := len(stack); n > 0 {
			if top := stack[n-1].ed.st.PC; top != nil {
				d = memory.Common(top, ed.st.PC).Depth
			}
		}
		for len(stack) > 1 && stack[len(stack)-1].depth > d {
			fold()
		}
		stack = append(stack, item{ed, d})
	}
	if len(stack) == 0 {
		return in[0]
	}
	for len(stack) > 1 {
		fold()
	}
	r := stack[0].ed
	if len(in) == 1 {
		return r
	}
	e.f.Stats.Joins++
	return r
}

func (e *encoder) mergeTwo(a, b edge) edge {
	if a.st.PC == nil {
		return b
	}
	if b.st.PC == nil || e.ctx.Err() != nil { // of a late walk nothing is kept
		return a
	}
	st, sel := e.MergeStates(a.st, b.st)
	out := edge{st: st, vals: make([]memory.Val, len(a.vals))}
	for i := range a.vals {
		out.vals[i] = e.Pick(sel, a.vals[i], b.vals[i])
	}
	return out
}

// block evaluates the instructions of an instance and sends its state on.
func (e *encoder) block(fr *frame, inst *instance, in edge) {
	st := in.st
	for i, x := range inst.block.Instrs {
		e.f.Stats.Instrs++
		if x.Op == ir.OpPhi {
			fr.set(st, x, in.vals[i])
			continue
		}
		if fr.info.starts != nil && fr.info.starts[x.ID] {
			e.cover(st, ir.Spot{Instr: x})
		}
		e.When = st.PC.All
		if x.Op.IsTerm() {
			e.terminator(fr, inst, st, x)
			return
		}
		e.instr(fr, st, x)
		if e.endLarge(st, x); st.PC == nil {
			return
		}
	}
}

const tooManyTerms = "the formula grew over its limit of terms"

// endLarge ends st's paths behind in where there are more terms than there may be: contents may not be all there
// (memory.ToBytes).
func (e *encoder) endLarge(st *memory.State, in *ir.Instr) {
	if st.PC != nil && e.s.Len() > e.opts.MaxTerms {
		e.gap(st, in, verdict.OutOfMemory, tooManyTerms)
	}
}

// set gives register x its value.
func (fr *frame) set(st *memory.State, x *ir.Instr, v memory.Val) {
	fr.vals[x.ID] = v
	if fr.info.crosses[x.ID] {
		st.Regs = st.Regs.Set(int64(x.ID), &v)
	}
}

// goTo sends st along the edge from inst to block to.
func (e *encoder) goTo(fr *frame, inst *instance, st *memory.State, to *ir.Block) {
	from := inst.block
	if l := fr.assumes(inst); l != nil && !fr.g.In(to, l) {
		return // seen from the last turn
	}
	turns, _ := fr.g.Step(from, inst.turns, to)
	ed := edge{st: st}
	for _, phi := range to.Instrs {
		if phi.Op != ir.OpPhi {
			break
		}
		for i, b := range phi.Incoming {
			if b == from {
				ed.vals = append(ed.vals, e.value(fr, st, phi, phi.Args[i]))
				break
			}
		}
	}
	fr.enqueue(&instance{block: to, turns: turns, key: fr.g.KeyOf(to, turns)}, ed)
}

// fork is st with one more decision, or nil.
func (e *encoder) fork(st *memory.State, lit ilr.Term) *memory.State {
	pc := e.And(st.PC, lit)
	if pc == nil {
		return nil
	}
	return &memory.State{PC: pc, Mem: st.Mem, Regs: st.Regs, Unmade: e.UnmadeBy(st, lit)}
}

// value is the value of operand v in frame fr.
func (e *encoder) value(fr *frame, st *memory.State, in *ir.Instr, v ir.Value) memory.Val {
	switch v := v.(type) {
	case *ir.Const:
		return e.Constant(st, in, v)
	case *ir.Param:
		return fr.params[v.Index]
	case *ir.Instr:
		if fr.info.crosses[v.ID] {
			if x := st.Regs.Get(int64(v.ID)); x != nil {
				return *x
			}
		}
		return fr.vals[v.ID]
	}
	panic(fmt.Sprintf("encode: operand %T", v))
}

// arg is operand i of in.
func (e *encoder) arg(fr *frame, st *memory.State, in *ir.Instr, i int) memory.Val {
	return e.value(fr, st, in, in.Args[i])
}
