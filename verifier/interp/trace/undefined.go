package trace

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
)

// A variable that the program declares and does not define holds any value, which another file would say more of. What
// an execution does with such values is followed as what its steps depend on is.

// Undefined returns what makes the observer of runs without a trace: Outcome.Undefined is those of the variables that
// the run looks at before it ends.
func Undefined(names []string) interp.Observe {
	return func(*interp.Machine) interp.Observer {
		if len(names) == 0 {
			return nil
		}
		return &unfollowed{undefined: undefined{names: names}}
	}
}

type unfollowed struct {
	interp.Silent
	undefined
}

// Access implements Observer.
func (u *unfollowed) Access(o *interp.Object, off, n int64, write bool) {
	u.meet(u.looked(o, off, n, write))
}

// End implements Observer.
func (u *unfollowed) End(out *interp.Outcome) {
	if len(u.met) > 0 {
		out.Undefined = slices.Sorted(maps.Keys(u.met))
	}
}

// undefined holds variables that are defined nowhere.
type undefined struct {
	names []string
	met   map[string]bool // that were looked at
}

// looked returns the variable that an access looks at, if it is one of them: a read of it, or any access of what is
// behind it if the program does not say how large it is.
func (u *undefined) looked(o *interp.Object, off, n int64, write bool) string {
	if len(u.names) == 0 || o.Global == nil || !slices.Contains(u.names, o.Global.Name) {
		return ""
	}
	open := o.Global.T.Kind == ir.KindArray && o.Global.T.Len == 0
	if leaves(o, off, n) && !open || !leaves(o, off, n) && write {
		return ""
	}
	return o.Global.Name
}

// leaves reports whether n bytes from off on are not all of o.
func leaves(o *interp.Object, off, n int64) bool { return off < 0 || off > o.Size-n }

func (u *undefined) meet(name string) {
	if name == "" {
		return
	}
	if u.met == nil {
		u.met = map[string]bool{}
	}
	u.met[name] = true
}

// Access implements Observer.
func (x *tracer) Access(o *interp.Object, off, n int64, write bool) {
	name := x.undefined.looked(o, off, n, write)
	if name != "" && (leaves(o, off, n) || x.rel == nil || x.rel.mem[o].leavesOut(o, off, n)) {
		x.undefined.meet(name)
		if x.rel != nil && x.rel.cur != nil {
			x.rel.cur.undefined = append(x.rel.cur.undefined, name)
		}
	}
	if x.readBytes(o, off, n); write {
		x.wroteBytes(o, off, n)
	}
}

// leavesOut reports whether some of n bytes of o from off on were not written.
func (m *memoryCauses) leavesOut(o *interp.Object, off, n int64) bool {
	if m == nil {
		return true
	}
	found := false
	eachPage(o, off, n, func(page, from, to int64) {
		p := m.pages[page]
		if p == nil {
			found = found || m.all == nil
			return
		}
		for i := from; i < to && p.all == nil && !found; i++ {
			found = p.bytes[i] == nil
		}
	})
	return found
}

// undefinedUsed returns the variables of Options.Undefined that the failure depends on: all that were looked at
// where nobody followed what it depends on.
func (x *tracer) undefinedUsed() []string {
	if x.Outcome.Kind != interp.Violation || len(x.undefined.met) == 0 {
		return nil
	}
	if x.rel == nil || x.rel.cur == nil {
		return slices.Sorted(maps.Keys(x.undefined.met))
	}
	used, seen := map[string]bool{}, map[*cause]bool{}
	for todo := []*cause{x.rel.cur}; len(todo) > 0; {
		c := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; seen[c] {
			continue
		}
		seen[c] = true
		for _, name := range c.undefined {
			used[name] = true
		}
		todo = append(todo, c.preds...)
	}
	return slices.Sorted(maps.Keys(used))
}
