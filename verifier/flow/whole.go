package flow

import "github.com/firmproof/firmproof/verifier/ir"

// Whole lists the assumptions that whole runs rest on: what they do, and how long.
func (r *Rests) Whole() []string { return r.names(r.whole()) }

func (r *Rests) whole() set {
	all := newSet(len(r.ids))
	for _, f := range r.funcs {
		for _, b := range f.Blocks {
			all.or(f.control(b.Term()))
			if b.Term().Op == ir.OpRet { // what it gives decides nothing by itself
				continue
			}
			for _, a := range b.Term().Args {
				all.or(r.of(a).tags)
			}
		}
	}
	return all
}

// Left lists the assumptions that it rests on which blocks nothing leads to any more where a run ends: what the run does,
// where it stores, and which addresses it stores, frees or hands on.
func (r *Rests) Left() []string {
	all := r.whole()
	for _, f := range r.funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				all.or(r.handing(in))
			}
		}
	}
	return r.names(all)
}

// handing returns what it rests on which addresses an instruction puts somewhere, and where.
func (r *Rests) handing(in *ir.Instr) set {
	out, whole := newSet(len(r.ids)), false
	switch in.Op {
	case ir.OpStore:
		out.or(r.of(in.Args[1]).tags)
	case ir.OpAtomicRMW, ir.OpCmpXchg, ir.OpRet:
	case ir.OpCall:
		switch in.Model {
		case ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset, ir.ModelRealloc: // how much of it
			whole = true
		case ir.ModelNone:
			whole = len(r.called(in)) == 0
		}
	default:
		return nil
	}
	for _, a := range in.Args {
		if v := r.of(a); whole || len(v.points) > 0 {
			out.or(v.tags)
		}
	}
	return out
}
