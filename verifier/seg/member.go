package seg

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// member says what each block of a list holds at a place: one of a few things (LI-02, LI-03, LI-15).
type member struct {
	off, size int64
	cases     []held
}

// held is one thing that a member may be: a number from lo to hi (intValue), a function (funcValue), an address in the
// block itself (ptrValue), in a global (ptrValue, with global), or one of memory that only this member leads to
// (ptrValue, with own).
type held struct {
	kind   kind
	rep    rep
	lo, hi exact.Int
	at     int64
	fn     *ir.Func
	global *ir.Global
	own    *owned
}

// owned is the memory that a member leads to: one block, a chain of blocks, or a tree. Nothing else leads there, and no
// two members share any of it.
type owned struct {
	size, align int64  // of each block
	of          string // what they are taken for
	heap        bool
	written
	next    int64   // where the blocks of a chain lead on; oneBlock of a single block
	at      int64   // the byte of each block that what leads to it points to, as of a list
	kids    []int64 // not nil: a tree
	doubly  bool
	prev    int64
	backAt  int64
	least   int64 // number of blocks
	exactly bool  // no more than least
	end     held  // of a chain: null, or an address in the block that owns it
	before  held  // of a doubly linked one: likewise, or opaqueValue
	members []member
	scalars []int64 // as those of a list
}

// oneBlock is in place of where a block that is no list leads on.
const oneBlock int64 = -1

func heldNumber(i ival, r rep) held { return held{kind: intValue, rep: r, lo: i.lo, hi: i.hi} }

func heldNull() held { return held{kind: intValue} }

func (h *held) isNull() bool { return h.kind == intValue && h.lo.IsZero() && h.hi.IsZero() }

func (h *held) equal(x *held) bool {
	return h.kind == x.kind && h.rep == x.rep && h.lo.Equal(x.lo) && h.hi.Equal(x.hi) && h.at == x.at && h.fn == x.fn &&
		h.global == x.global && (h.own == nil) == (x.own == nil) && (h.own == nil || h.own.equal(x.own))
}

func (o *owned) equal(x *owned) bool {
	return o.size == x.size && o.of == x.of && o.align == x.align && o.heap == x.heap && o.written.equal(x.written) &&
		o.like(x) && o.least == x.least && o.exactly == x.exactly && o.end.equal(&x.end) && o.before.equal(&x.before) &&
		sameMembers(o.members, x.members)
}

// like reports that both are single blocks, or chains or trees along the same pointers.
func (o *owned) like(x *owned) bool {
	return o.next == x.next && slices.Equal(o.kids, x.kids) && o.doubly == x.doubly && o.prev == x.prev &&
		o.at == x.at && o.backAt == x.backAt
}

func sameMembers(xs, ys []member) bool {
	return slices.EqualFunc(xs, ys, func(x, y member) bool {
		return x.off == y.off && x.size == y.size &&
			slices.EqualFunc(x.cases, y.cases, func(h, i held) bool { return h.equal(&i) })
	})
}

// joiner makes what stands for members of two kinds of blocks.
type joiner struct {
	b     *builder
	widen bool // what grows goes on to the next constant of the program
}

// members keeps those that both have.
func (j joiner) members(xs, ys []member) []member {
	var out []member
	for _, x := range xs {
		for _, y := range ys {
			if x.off != y.off || x.size != y.size {
				continue
			}
			if cases, ok := j.cases(x, y); ok {
				out = append(out, member{x.off, x.size, cases})
			}
		}
	}
	return out
}

// cases joins what a member may be here and there; false if that may be anything.
func (j joiner) cases(x, y member) ([]held, bool) {
	out := slices.Clone(x.cases)
	for _, h := range y.cases {
		n := slices.IndexFunc(out, func(g held) bool { return g.kind == h.kind && (g.own == nil) == (h.own == nil) })
		if n < 0 || h.kind == funcValue || h.kind == ptrValue && h.own == nil {
			if !slices.ContainsFunc(out, func(g held) bool { return g.equal(&h) }) {
				out = append(out, h)
			}
			continue
		}
		ok := true
		if h.own != nil {
			out[n].own, ok = j.own(out[n].own, h.own)
		} else {
			out[n], ok = j.number(out[n], h, int(x.size)*8)
		}
		if !ok {
			return nil, false
		}
	}
	out = withoutNull(out)
	return out, len(out) <= policy.MemberCases
}

// depth returns how deep o owns memory, itself counted.
func (o *owned) depth() int {
	n := 0
	for _, m := range o.members {
		for _, h := range m.cases {
			if h.own != nil {
				n = max(n, h.own.depth())
			}
		}
	}
	return n + 1
}

// withoutNull leaves null out where it is a list without blocks.
func withoutNull(cases []held) []held {
	n := slices.IndexFunc(cases, func(h held) bool {
		return h.own != nil && h.own.next != oneBlock && h.own.end.isNull()
	})
	null := slices.IndexFunc(cases, func(h held) bool { return h.isNull() })
	if n < 0 || null < 0 {
		return cases
	}
	o := *cases[n].own
	o.least, o.exactly = 0, false
	cases[n].own = &o
	return slices.Delete(cases, null, null+1)
}

// number joins two numbers of w bits; false if the result says nothing.
func (j joiner) number(x, y held, w int) (held, bool) {
	if x.rep != y.rep {
		for _, h := range []*held{&x, &y} {
			if h.lo.Sign() < 0 || h.hi.Cmp(smax(w)) > 0 {
				return x, false
			}
		}
		x.rep = anyRep
	}
	least, most := x.rep.bounds(w)
	if y.lo.Cmp(x.lo) < 0 {
		x.lo = y.lo
		if to := j.b.below(y.lo.Add(exact.I(1))); j.widen && len(to) > 0 && to[0].Cmp(least) > 0 {
			x.lo = to[0]
		} else if j.widen {
			x.lo = least
		}
	}
	if y.hi.Cmp(x.hi) > 0 {
		x.hi = y.hi
		if to := j.b.above(y.hi.Add(exact.I(-1))); j.widen && len(to) > 0 && to[0].Cmp(most) < 0 {
			x.hi = to[0]
		} else if j.widen {
			x.hi = most
		}
	}
	return x, x.useful(w)
}

// bounds are the least and the greatest number of w bits in the reading.
func (r rep) bounds(w int) (lo, hi exact.Int) {
	if r == anyRep {
		return exact.Int{}, smax(w)
	}
	return limits(w, r)
}

// useful reports that h is in its reading, and not each number of w bits in that is one of h.
func (h *held) useful(w int) bool {
	lo, hi := h.rep.bounds(w)
	return h.lo.Cmp(lo) >= 0 && h.hi.Cmp(hi) <= 0 && (h.rep == anyRep || h.lo.Cmp(lo) > 0 || h.hi.Cmp(hi) < 0)
}

// own joins two kinds of memory; false if they have nothing in common.
func (j joiner) own(x, y *owned) (*owned, bool) {
	if x.size != y.size || x.heap != y.heap || !agree(x.of, y.of) {
		return nil, false
	}
	if !x.like(y) {
		var ok bool
		if y, ok = y.asPartOf(x); !ok {
			return nil, false
		}
		if x, ok = x.asPartOf(y); !ok {
			return nil, false
		}
	}
	if !x.end.equal(&y.end) {
		return nil, false
	}
	o := *x
	o.of = either(x.of, y.of)
	o.align, o.written = common(x.align, y.align), x.written.and(y.written)
	o.least, o.exactly = min(x.least, y.least), x.exactly && y.exactly && x.least == y.least
	if !x.before.equal(&y.before) {
		o.before = held{kind: opaqueValue}
	}
	o.members = j.members(x.members, y.members)
	return &o, true
}

// asPartOf is a single block as a chain or tree like x of one block; others as they are if they are alike.
func (o *owned) asPartOf(x *owned) (*owned, bool) {
	if o.next != oneBlock || x.next == oneBlock {
		return o, x.next == oneBlock || o.like(x)
	}
	if x.at != 0 {
		return nil, false // what leads to o leads to its start
	}
	c := *x
	c.of = o.of
	c.align, c.written, c.least, c.exactly = o.align, o.written, 1, true
	c.members = slices.Clone(o.members)
	take := func(off int64) (held, bool) {
		n := slices.IndexFunc(c.members, func(m member) bool { return m.off == off })
		if n < 0 || len(c.members[n].cases) != 1 {
			return held{kind: opaqueValue}, false
		}
		h := c.members[n].cases[0]
		c.members = slices.Delete(c.members, n, n+1)
		return h, true
	}
	for _, k := range x.kids {
		if h, ok := take(k); !ok || !h.isNull() {
			return nil, false
		}
	}
	if x.kids == nil {
		h, ok := take(x.next)
		if !ok || !(h.isNull() && x.end.isNull() || h.equal(&x.end)) {
			return nil, false
		}
	}
	if x.doubly {
		c.before, _ = take(x.prev)
		if c.before.own != nil || c.before.kind == intValue && !c.before.isNull() {
			c.before = held{kind: opaqueValue}
		}
	}
	return &c, true
}
