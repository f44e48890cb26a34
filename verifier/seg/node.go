package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
)

// heapStart returns the heap object to whose start v points, if it does; of lists, those that are linked there.
func (s *state) heapStart(v value) (int, bool) {
	if !s.heapAt(v, exact.Int{}) {
		return 0, false
	}
	return v.obj, true
}

// heapAt reports that v points to byte at of a heap block, or to that which is linked of the blocks of a list.
func (s *state) heapAt(v value, at exact.Int) bool {
	o := s.objs[v.obj]
	return v.kind == ptrValue && v.lin.Equal(exact.Lin{Const: at}) && o != nil && o.dynamic &&
		(o.list == nil || at.Equal(exact.I(o.list.from(v.last).at)))
}

// heapNode returns the heap object to whose start v points, or to the byte of it that is linked.
func (s *state) heapNode(v value) (int, bool) {
	at, ok := v.lin.Const.Int64()
	if !ok || !s.heapAt(v, v.lin.Const) {
		return 0, false
	}
	if at != 0 && s.objs[v.obj].list == nil {
		linked, ok := s.linkedAt(v.obj)
		return v.obj, ok && linked == at
	}
	return v.obj, true
}

// linkedAt returns the byte of block id that links lead to, if that is one. Links are pointers in other blocks and in
// objects with more than a pointer; without such, the pointers in variables. A block without any is linked like those
// of its size that it leads to.
func (s *state) linkedAt(id int) (int64, bool) {
	var links, variables []int64
	for _, x := range s.order {
		o := s.objs[x]
		if x == id || !o.pointsTo(id) {
			continue
		}
		to := &links
		if n, ok := o.size.Const.Int64(); !o.dynamic && ok && len(o.cells) == 1 && n == o.cells[0].size {
			to = &variables
		}
		values := make([]value, 0, len(o.cells)+2)
		for _, c := range o.cells {
			values = append(values, c.val)
		}
		if o.list != nil {
			values = append(values, o.list.end, o.list.before)
		}
		for _, v := range values {
			if at, ok := s.placeIn(v, id); ok {
				*to = append(*to, at)
			}
		}
	}
	if len(links) == 0 {
		links = variables
	}
	if len(links) == 0 {
		links = s.linksOf(s.objs[id])
	}
	if links = slices.Compact(links); len(links) != 1 || links[0] < 0 {
		return 0, false
	}
	return links[0], true
}

// linksOf returns the bytes of other blocks of its size that o leads to.
func (s *state) linksOf(o *object) []int64 {
	var out []int64
	for _, c := range o.cells {
		v := s.plain(c.val)
		p := s.objs[v.obj]
		if at, ok := v.lin.Const.Int64(); ok && p != o && s.heapAt(v, v.lin.Const) && p.kin(o) {
			out = append(out, at)
		}
	}
	return out
}

// placeIn returns the byte of object id that v points to, or -1 if that is not known; false if v points elsewhere.
func (s *state) placeIn(v value, id int) (int64, bool) {
	if v = s.plain(v); v.kind != ptrValue || v.obj != id {
		return 0, false
	}
	if at, ok := v.lin.Const.Int64(); ok && v.lin.IsConst() {
		return at, true
	}
	return -1, true
}

// ahead returns how far behind the start of a block, to which v points, the byte is that is linked; 0 if v points
// elsewhere.
func (s *state) ahead(v value) int64 {
	o := s.objs[v.obj]
	if v.kind != ptrValue || o == nil || !o.dynamic || !v.lin.Equal(exact.Lin{}) {
		return 0
	}
	if o.list != nil {
		return o.list.from(v.last).at
	}
	at, _ := s.linkedAt(o.id)
	return at
}
