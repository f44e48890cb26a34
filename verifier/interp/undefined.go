package interp

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// A variable that the program declares and does not define holds any value, which another file would say more of
// (Options.Undefined). What an execution does with such values is followed as what its steps depend on is.

// readUndefined notes that the current instruction reads bytes of such a variable that the program did not write.
func (x *machine) readUndefined(o *object, off, n int64) {
	if o.global == nil || !slices.Contains(x.o.Undefined, o.global.Name) {
		return
	}
	if off < 0 || off > o.size-n {
		x.leftUndefined(o)
	} else if x.rel == nil || x.rel.mem[o].leavesOut(o, off, n) {
		x.useUndefined(o.global.Name)
	}
}

// leftUndefined notes that the current instruction accesses what is behind such a variable, if the program does not say
// how large it is.
func (x *machine) leftUndefined(o *object) {
	if o.global != nil && o.global.T.Kind == ir.KindArray && o.global.T.Len == 0 && slices.Contains(x.o.Undefined, o.global.Name) {
		x.useUndefined(o.global.Name)
	}
}

func (x *machine) useUndefined(name string) {
	if x.unknown == nil {
		x.unknown = map[string]bool{}
	}
	x.unknown[name] = true
	if x.rel != nil && x.rel.cur != nil {
		x.rel.cur.undefined = append(x.rel.cur.undefined, name)
	}
}

// leavesOut reports whether some of n bytes of o from off on were not written.
func (m *memoryCauses) leavesOut(o *object, off, n int64) bool {
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

// undefinedUsed returns the variables of Options.Undefined that the failure depends on: all that were looked at where
// nobody followed what it depends on.
func (x *machine) undefinedUsed() []string {
	if x.out.Kind != Violation || len(x.unknown) == 0 {
		return nil
	}
	if x.rel == nil || x.rel.cur == nil {
		return slices.Sorted(maps.Keys(x.unknown))
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
