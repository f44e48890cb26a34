package encode

import (
	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// way is one target of a terminator and the condition for going there.
type way struct {
	to  *ir.Block
	lit ilr.Term
}

// terminator sends st on (LangRef: Terminator Instructions).
func (e *encoder) terminator(fr *frame, inst *instance, st *memory.State, in *ir.Instr) {
	if e.cutter != nil {
		e.lostPointers(fr, st, in)
	}
	switch in.Op {
	case ir.OpRet:
		var vals []memory.Val
		if len(in.Args) > 0 {
			vals = []memory.Val{e.arg(fr, st, in, 0)}
		}
		e.leaveFunction(fr, st, in)
		if st.PC != nil {
			fr.out = append(fr.out, edge{st: st, vals: vals})
		}
	case ir.OpBr:
		e.goTo(fr, inst, st, in.Targets[0])
	case ir.OpCondBr:
		if to := ir.BesideTrap(in, func(t *ir.Instr) bool { return !e.asks(t, t.Check) }); to != nil {
			e.goTo(fr, inst, st, to)
			return
		}
		v := e.arg(fr, st, in, 0)
		e.checkDecision(fr, st, in, v)
		c := e.Cond(v)
		e.noteTests(fr, st, in, c)
		e.spread(fr, inst, st, []way{{in.Targets[0], c}, {in.Targets[1], e.s.True()}})
	case ir.OpSwitch:
		v := e.arg(fr, st, in, 0)
		e.checkDecision(fr, st, in, v)
		t := e.Num(v)
		e.noteTests(fr, st, in, e.s.False())
		var ws []way
		for i, k := range in.Cases {
			ws = append(ws, way{in.Targets[i+1], e.Eq(t, e.s.Const(k))})
		}
		e.spread(fr, inst, st, append(ws, way{in.Targets[0], e.s.True()}))
	case ir.OpIndirectBr:
		e.indirectBranch(fr, inst, st, in)
	case ir.OpUnreachable:
		if !e.asks(in, verdict.Unreachable) {
			e.gap(st, in, verdict.Unsupported,
				"code is reached that the compiler takes to be unreachable, and the check is off")
			return
		}
		e.claimNot(fr, st, in, verdict.Unreachable, e.s.True(), true, "code that cannot be reached is reached")
	}
}

// spread goes the first of the ways whose condition holds.
func (e *encoder) spread(fr *frame, inst *instance, st *memory.State, ws []way) {
	if st.PC == nil {
		return
	}
	type step struct {
		to *ir.Block
		st *memory.State
	}
	var steps []step
	rest := st
	for _, w := range ws {
		if rest == nil {
			break
		}
		if s := e.fork(rest, w.lit); s != nil {
			steps = append(steps, step{w.to, s})
		}
		rest = e.fork(rest, e.s.Not(w.lit))
	}
	if len(steps) == 1 {
		e.noteProgress(fr, st, inst.block)
	}
	if len(steps) > 1 {
		fr.forked = true
		for l := fr.g.Inner(inst.block); l != nil; l = l.Parent {
			for _, s := range steps {
				if !fr.g.In(s.to, l) {
					fr.loops[l.Index].forked = true
				}
			}
		}
	}
	for _, s := range steps {
		if fr.info.starts != nil {
			e.cover(s.st, ir.Spot{Instr: inst.block.Term(), To: s.to})
		}
		e.learn(fr, s.st, inst.block.Term())
		e.goTo(fr, inst, s.st, s.to)
	}
}

// noteProgress tells the loop around a branch with a known outcome whether the
// branch compared other values than in the turn before: then its trip count is
// constant, and it need not be bounded.
func (e *encoder) noteProgress(fr *frame, st *memory.State, b *ir.Block) {
	l := fr.g.Inner(b)
	d, ok := b.Term().Args[0].(*ir.Instr)
	if l == nil || !ok {
		return
	}
	var now [2]ilr.Term
	ops := d.Args
	if b.Term().Op == ir.OpSwitch || len(ops) == 0 || len(ops) > 2 {
		ops = []ir.Value{d}
	}
	for i, a := range ops {
		switch v := e.value(fr, st, d, a); {
		case v.Term != 0:
			now[i] = v.Term
		case v.Ptr != nil:
			now[i] = v.Ptr.Alts[0].Off
		}
	}
	if fr.asked == nil {
		fr.asked = map[*ir.Instr][2]ilr.Term{}
	}
	if was, seen := fr.asked[d]; !seen || was != now {
		fr.loops[l.Index].moves = true
	}
	fr.asked[d] = now
}

// indirectBranch goes to the listed block whose address the operand is (LL-46).
func (e *encoder) indirectBranch(fr *frame, inst *instance, st *memory.State, in *ir.Instr) {
	p := e.arg(fr, st, in, 0).Ptr
	var ws []way
	hit := e.s.False()
	listed := map[*ir.Block]bool{}
	for _, t := range in.Targets {
		listed[t] = true
	}
	for _, a := range p.Alts {
		if a.Object != nil && a.Object.Kind == memory.ObjLabel && listed[a.Object.Label] {
			g := e.s.And(a.Guard, e.Eq(a.Off, e.s.Int(e.w, 0)))
			hit = e.s.Or(hit, g)
			ws = append(ws, way{a.Object.Label, g})
		}
	}
	e.claimNot(fr, st, in, verdict.Memory, e.s.Not(hit), true, "jump to an address that is no label of the list")
	e.spread(fr, inst, st, ws)
}

// leaveFunction does what a return does besides going back.
func (e *encoder) leaveFunction(fr *frame, st *memory.State, in *ir.Instr) {
	if len(in.Args) > 0 {
		e.checkResult(fr, st, in, e.arg(fr, st, in, 0))
	}
	switch {
	case e.opts.Leaks == ir.LeakCalled:
		e.checkLostBy(fr, st, in)
	case fr.up == nil:
		e.checkLeak(fr, st, in, ir.EndReturn)
	}
}
