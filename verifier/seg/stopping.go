package seg

import (
	"github.com/firmproof/firmproof/verifier/exact"
)

// stopping says where a chain has to end: before or behind a block or list, or where a variable leads to what a block
// owns otherwise (cursors).
type stopping struct{ before, behind, cursors bool }

func (a *aligner) stopNew(v value) stopping {
	out := a.named(a.s, a.old, v)
	out.cursors = !a.careless
	out.before = out.before || a.toOldHas(v.obj)
	return out
}

func (a *aligner) stopOld(v value) stopping {
	out := a.named(a.old, a.s, v)
	out.cursors = !a.careless
	out.before = out.before || a.toNewHas(v.obj)
	return out
}

// named says whether a chain of s may take in what v points to: not behind its first part, if a place outside of such
// blocks points there, where the other state has a pointer too: else that pointer is lost anyhow, and need not keep the
// block. Pointers to the last block of a doubly linked list are not lost where the chain ends with it.
func (a *aligner) named(s, other *state, v value) stopping {
	doubly := s.objs[v.obj] != nil && s.objs[v.obj].list != nil && s.objs[v.obj].list.twoEnded()
	var out stopping
	for _, p := range a.outside(s, v) {
		if w := p.here.get(s); w.pointsTo(v.obj) && p.there.get(other).kind == ptrValue {
			ahead := !doubly || w.kind != ptrValue || w.last == v.last
			out.before, out.behind = out.before || ahead, out.behind || !ahead
		}
	}
	return out
}

// places are one of a state, and its counterpart in the other one.
type places struct{ here, there root }

// outside lists the roots of s, and the cells of its blocks with a counterpart that are no blocks like the one to which
// v leads, as the head of a list on the heap.
func (a *aligner) outside(s *state, v value) []places {
	var out []places
	for _, r := range s.roots() {
		out = append(out, places{r, r})
	}
	other, counterparts := a.s, a.toNew
	if s == a.s {
		other, counterparts = a.old, a.toOld
	}
	for _, id := range s.order {
		o, to := s.objs[id], counterparts[id]
		if !o.dynamic || o.list != nil || !other.block(to) || s.objs[v.obj] == nil || o.kin(s.objs[v.obj]) {
			continue
		}
		for _, c := range o.cells {
			if c.off.IsConst() && c.val.kind == ptrValue {
				out = append(out, places{root{obj: id, off: c.off.Const}, root{obj: to, off: c.off.Const}})
			}
		}
	}
	return out
}

// anchor lets the block behind the older state's list, to which u leads, correspond to itself if it ends the arriving
// state's chain from v too, and holds something else than the list's blocks: so it is not taken for one of them.
func (a *aligner) anchor(u, v value) {
	l := a.old.objs[u.obj].list.from(u.last)
	end := a.old.plain(l.end)
	e := end.obj
	if !a.old.heapAt(end, exact.I(l.at)) || !a.old.block(e) || !a.s.block(e) || a.toNewHas(e) || a.toOldHas(e) {
		return
	}
	if v.obj != e {
		ch, ok := a.b.follow(a.s, v, l.next, a.stopNew)
		if !ok || !(ch.end.obj == e && a.s.heapAt(ch.end, end.lin.Const)) && ch.ids[len(ch.ids)-1] != e {
			return
		}
	}
	in := a.b.contentsOf(a.old, e, l.links(), nil)
	if !sameMembers(joiner{b: a.b}.members(l.members, in.members), l.members) {
		a.match(e, e)
	}
}
