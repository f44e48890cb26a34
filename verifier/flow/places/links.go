package places

import (
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// links notes which members that lead to another structure of their kind, as in a list or a tree, a function compares
// with null after it has copied them, or their address, to local variables: `for (n = head; n; n = n->next)`; and which
// places it compares, also those that a local variable leads to: `for (p = &head; *p; p = &(*p)->next)`.
func (ps *Table) links(vars map[ir.Value]*ir.Var, f *ir.Func) {
	copies := map[ir.Value][]ir.Value{} // by local variable: what is stored there
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == ir.OpStore && vars[in.Args[1]] != nil && in.Args[0].Type().IsPtr() {
				copies[in.Args[1]] = append(copies[in.Args[1]], Uncast(in.Args[0]))
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpIcmp || ir.Asserts(b) || ir.GuardsTrap(b) {
				continue
			}
			for i, v := range in.Args {
				if c, ok := in.Args[1-i].(*ir.Const); ok && c.Kind == ir.ConstNull {
					ps.copied(vars, copies, v, f, policy.FlowCopies)
					ps.held(vars, copies, v, f, policy.FlowCopies)
					ps.compared(vars, copies, v, f)
				}
			}
		}
	}
}

// through returns an address, and those that it is where it is what a local variable holds.
func through(copies map[ir.Value][]ir.Value, at ir.Value) []ir.Value {
	out := []ir.Value{at}
	if load := cast(at); load != nil {
		out = append(out, copies[load.Args[0]]...)
	}
	return out
}

// compared notes that f compares v with null, which is loaded from a place.
func (ps *Table) compared(vars map[ir.Value]*ir.Var, copies map[ir.Value][]ir.Value, v ir.Value, f *ir.Func) {
	from := cast(v)
	if from == nil {
		return
	}
	for _, a := range through(copies, from.Args[0]) {
		for _, p := range PlacesAt(vars, a) {
			h := ps.get(p)
			h.Null = WithFunc(h.Null, f)
		}
	}
}

// copied notes that f compares v with null, which is loaded from a member, or from a variable that one was copied to.
func (ps *Table) copied(vars map[ir.Value]*ir.Var, copies map[ir.Value][]ir.Value, v ir.Value, f *ir.Func, steps int) {
	from := cast(v)
	if from == nil || steps < 0 {
		return
	}
	at := from.Args[0]
	for _, a := range through(copies, at) {
		_, t, off := ObjectAt(vars, a)
		of, m, off := MemberIn(t, off)
		if of == nil || m.T.Kind != ir.DPointer || !ir.IsStruct(m.T.Elem) || LayoutOf(m.T.Elem) != LayoutOf(of) {
			continue
		}
		h := ps.get(Place{Of: LayoutOf(of), Off: off})
		h.Ends = WithFunc(h.Ends, f)
	}
	for _, c := range copies[at] {
		ps.copied(vars, copies, c, f, steps-1)
	}
}

// held notes that f compares with null what it has just copied from a place: v is loaded from a local variable that may
// still hold it, as in `h = list->head; if (!h)`.
func (ps *Table) held(vars map[ir.Value]*ir.Var, copies map[ir.Value][]ir.Value, v ir.Value, f *ir.Func, steps int) {
	from := cast(v)
	if from == nil || steps < 0 || vars[from.Args[0]] == nil {
		return
	}
	for _, s := range ir.StoresBefore(from) {
		copied := cast(s.Args[0])
		if copied == nil {
			continue
		}
		for _, a := range through(copies, copied.Args[0]) {
			for _, p := range PlacesAt(vars, a) {
				h := ps.get(p)
				h.Copied = WithFunc(h.Copied, f)
			}
		}
		ps.held(vars, copies, copied, f, steps-1)
	}
}
