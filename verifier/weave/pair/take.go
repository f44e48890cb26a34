package pair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Take has Pair and Turns not follow calls of these functions. A call becomes an event: the new version has to call the
// same function with the same arguments in the same memory as the old one, in the same order, and both get the same
// result, any one. Executions in which they do something else are more than there are, so that what all of them show of
// both versions holds, and a difference is none. Whether such a call ends, and whether it violates a check, is the same in
// both as well, by the same argument: where the old version violates none.
func (j *Joined) Take(list []Callee) {
	j.taken = map[*ir.Func]string{}
	for _, c := range list {
		for _, name := range []string{c.Name, OldPrefix + c.Old} {
			if f := j.Module.Func(name); f != nil {
				j.taken[f] = c.Name
			}
		}
	}
}

// take makes events of calls. It returns an error where there are none.
func (w *pairing) take(reach [2]places.Reach) error {
	if w.apartLayouts() {
		return errors.New("memory of another layout")
	}
	if w.callsIndirectly(reach) {
		return errors.New("calls through pointers")
	}
	w.leave(func(f *ir.Func) bool { return w.touchesApart(f) })
	for w.leave(w.refused()) {
	}
	calls := 0
	for side := range reach {
		loose := false
		list := w.followed(side)
		for _, f := range list {
			if reach[1-side].Funcs[f] || slices.ContainsFunc(f.Params, func(p *ir.Param) bool { return p.ByVal != nil }) {
				return errors.New("a function that both come to, or a structure that is handed over")
			}
			for _, in := range w.takenIn(f) {
				calls++
				for _, a := range in.Args {
					loose = loose || a.Type().IsPtr() && !isOwn(a) && !ir.IsNullConst(a)
				}
			}
		}
		if loose && slices.ContainsFunc(list, w.handsOut) {
			return errors.New("a pointer may lead to a variable of a version")
		}
	}
	if calls == 0 {
		return errors.New("there are no calls that need not be followed")
	}
	if w.log == nil {
		w.log = w.newLog()
	}
	if w.log.watch == nil {
		w.log.watch = w.watches()
	}
	for side := range reach {
		for _, f := range w.followed(side) {
			found := map[*ir.Instr]*event{}
			for _, in := range w.takenIn(f) {
				found[in] = w.taking(in)
				if name := w.j.taken[ir.CalledFunc(in)]; !slices.Contains(w.out.Taken, name) {
					w.out.Taken = append(w.out.Taken, name)
				}
			}
			if len(found) > 0 {
				w.rewriteEvents(f, side, found, nil)
			}
		}
	}
	return nil
}

// followed lists the functions of a version that are executed.
func (w *pairing) followed(side int) []*ir.Func {
	list := []*ir.Func{[]*ir.Func{w.old, w.now}[side]}
	for i := 0; i < len(list); i++ {
		for _, b := range list[i].Blocks {
			for _, in := range b.Instrs {
				if in.Op != ir.OpCall {
					continue
				}
				if f := ir.CalledFunc(in); f != nil && w.j.taken[f] == "" && !f.IsDecl() && !slices.Contains(list, f) {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// takenIn lists the calls in f that are not followed.
func (w *pairing) takenIn(f *ir.Func) (out []*ir.Instr) {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpCall && w.j.taken[ir.CalledFunc(in)] != "" {
				out = append(out, in)
			}
		}
	}
	return out
}

// leave has functions be followed after all, in both versions, and reports whether there are such.
func (w *pairing) leave(which func(*ir.Func) bool) bool {
	gone := map[string]bool{}
	for f, name := range w.j.taken {
		gone[name] = gone[name] || which(f)
	}
	before := len(w.j.taken)
	for f, name := range w.j.taken {
		if gone[name] {
			delete(w.j.taken, f)
		}
	}
	return len(w.j.taken) < before
}

// touchesApart reports whether f comes to a variable that the versions do not share, and that may change.
func (w *pairing) touchesApart(f *ir.Func) bool {
	for g := range places.Reached(w.Module, f).Globals {
		if !g.Const && slices.Contains(w.j.apart, g) {
			return true
		}
	}
	return false
}

// refused returns which functions are called with what cannot be noted.
func (w *pairing) refused() func(*ir.Func) bool {
	bad := map[*ir.Func]bool{}
	for side := range 2 {
		for _, f := range w.followed(side) {
			for _, in := range w.takenIn(f) {
				if w.taking(in) == nil {
					bad[ir.CalledFunc(in)] = true
				}
			}
		}
	}
	return func(f *ir.Func) bool { return bad[f] }
}

// taking is the call of a function that is not followed, as an event; nil: it has arguments that cannot be noted.
func (w *pairing) taking(in *ir.Instr) *event {
	f := ir.CalledFunc(in)
	name := w.j.taken[f]
	e := &event{kind: "take " + name, name: "call of " + InOld(f.CName), args: in.Args, keeps: true, taken: true}
	if len(in.Args) >= policy.PairWords || len(in.Args) != len(f.Params) {
		return nil
	}
	for _, a := range in.Args {
		if !a.Type().IsPtr() {
			continue
		}
		switch r := ir.Root(a).(type) {
		case *ir.Const:
			if r.Kind != ir.ConstNull && (r.Global == nil || !r.Global.Const && slices.Contains(w.j.apart, r.Global)) {
				return nil
			}
		case *ir.Instr:
			if r.Op != ir.OpAlloca {
				continue
			}
			n, constant := constInt(r)
			size := w.Module.Layout.SizeOf(r.Access) * n
			if !constant || size <= 0 || size > policy.PairBytes || e.local != nil && e.local != r {
				return nil
			}
			e.local, e.size = r, size
		}
	}
	if e.local != nil { // what may be accessed there is the same in both, and how
		e.kind += fmt.Sprintf(" of %d bytes aligned to %d", e.size, e.local.Align)
	}
	return e
}

// handsOut reports whether others may get the address of a variable of f, otherwise than by calls that are not followed.
func (w *pairing) handsOut(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			taken := in.Op == ir.OpCall && w.j.taken[ir.CalledFunc(in)] != ""
			moves := in.Op == ir.OpGep || in.Op == ir.OpBitcast || in.Op == ir.OpFreeze
			for i, a := range in.Args {
				accessed := ir.Accessed(in, i) && (in.Op != ir.OpCall || !in.T.IsPtr())
				if isAlloca(ir.Root(a)) && !taken && !moves && !accessed {
					return true
				}
			}
		}
	}
	return false
}

// watches makes, for each object that either version may change, a variable that leads to any byte of it: where that is
// the same at each event, all bytes are.
func (w *pairing) watches() (out []*ir.Global) {
	for range w.objects {
		at := w.Ptr()
		g := &ir.Global{Name: fmt.Sprint(logPrefix, "watch", len(out)), T: at, Align: 8, Init: &ir.Const{T: at, Kind: ir.ConstNull}}
		w.Module.Globals = append(w.Module.Globals, g)
		out = append(out, g)
	}
	if len(out) > 0 {
		w.log.seen = w.logVariable("seen", int64(policy.PairEvents*len(out)), ir.Int(8))
	}
	return out
}

// watch lets the variables of watches lead to any bytes.
func (w *pairing) watch() {
	if w.log == nil || len(w.log.watch) == 0 {
		return
	}
	nothing := w.Alloca("", ir.Int(8), w.Int(w.Word(), 1))
	w.Store(w.Int(ir.Int(8), 0), nothing, 1)
	for i := range w.objects {
		o := &w.objects[i]
		k := w.Nondet("index in "+o.name, w.Word())
		inside := w.Compare(ir.ULT, k, o.size)
		at := w.Emit(&ir.Instr{Op: ir.OpSelect, T: w.Ptr(), Args: []ir.Value{inside, w.Gep(o.at, 0, k, 1), nothing}})
		w.Store(at, w.AddrOfGlobal(w.log.watch[i]), 8)
	}
}

// see notes what is at the bytes that are watched, in the old version, and asserts that it is the same in the new one. at
// is the number of the event.
func (w *pairing) see(e *event, in *ir.Instr, side int, at ir.Value) {
	n := int64(len(w.log.watch))
	for i, g := range w.log.watch {
		b := w.Load(ir.Int(8), w.Load(w.Ptr(), w.AddrOfGlobal(g)))
		noted := w.Gep(w.AddrOfGlobal(w.log.seen), int64(i), at, n)
		if side == 0 {
			w.Store(b, noted, 1)
		} else {
			w.claimAt(FactEvent, e.name, w.Compare(ir.EQ, b, w.Load(ir.Int(8), noted)), *in.Pos)
		}
	}
}
