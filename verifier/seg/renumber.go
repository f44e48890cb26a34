package seg

// renumber gives the objects of the arriving state the identities of their counterparts.
func (a *aligner) renumber() {
	ids := map[int]int{}
	for n, y := range a.s.order {
		if x, ok := a.toOld[y]; ok {
			ids[y] = x
		} else {
			ids[y] = -1 - n // has no counterpart and goes
		}
	}
	var sub func(v value) value
	sub = func(v value) value {
		if v.kind == ptrValue {
			if id, ok := ids[v.obj]; ok {
				v.obj = id
			} else {
				v.obj = gone - v.obj
			}
		}
		if v.kind == aggValue {
			agg := make([]value, len(v.agg))
			for n, m := range v.agg {
				agg[n] = sub(m)
			}
			v.agg = agg
		}
		return v
	}
	for _, x := range a.old.order {
		if l := a.old.objs[x].list; l != nil && l.joined {
			a.old.own(x).list.joined = false
		}
	}
	objs := map[int]*object{}
	for n, y := range a.s.order {
		o := a.s.own(y)
		o.id = ids[y]
		if x := a.old.objs[o.id]; x != nil {
			o.key, o.name = x.key, x.name
		}
		for i := range o.cells {
			o.cells[i].val = sub(o.cells[i].val)
		}
		if o.list != nil {
			o.list.end, o.list.before, o.list.joined = sub(o.list.end), sub(o.list.before), false
		}
		objs[o.id], a.s.order[n] = o, o.id
	}
	a.s.objs, a.s.owned = objs, map[int]bool{}
	for _, f := range a.s.frames {
		for k, v := range f.vals {
			f.vals[k] = sub(v)
		}
		for n, id := range f.objs {
			if to, ok := ids[id]; ok {
				f.objs[n] = to
			}
		}
	}
}

// gone is above the identities of objects that are no more.
const gone int = -1 << 30
