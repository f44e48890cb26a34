package seg

import (
	"fmt"
	"slices"
	"testing"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/seg/certify"
)

// owners are programs over lists whose elements own memory, hold numbers of a few bits, or addresses in themselves.
var owners = map[string]string{
	"blocks": `struct o { struct o *next; char *name; int k; }; int main(void) { struct o *h = 0; while (nondet_int()) {
		struct o *t = malloc(sizeof *t); t->k = nondet_int() & 7; t->name = t->k ? malloc(4) : 0; t->next = h; h = t; }
		while (h) { struct o *t = h->next; free(h->name); free(h); h = t; } return 0; }`,
	"lists": `struct n { struct n *next; int v; }; struct o { struct n *in; struct o *next; int k; };
		int main(void) { struct o *h = 0; while (nondet_int()) { struct o *t = malloc(sizeof *t); t->in = 0; t->k = 1;
		while (nondet_int()) { struct n *u = malloc(sizeof *u); u->v = 3; u->next = t->in; t->in = u; }
		t->next = h; h = t; }
		while (h) { struct o *t = h->next; while (h->in) { struct n *u = h->in->next; free(h->in); h->in = u; }
		free(h); h = t; }
		return 0; }`,
	"doubly linked": `struct n { struct n *next, *prev; }; struct o { struct n *in; struct o *next; int k; };
		int main(void) { struct o *h = 0; while (nondet_int()) { struct o *t = malloc(sizeof *t); t->in = 0; t->k = 1;
		while (nondet_int()) { struct n *u = malloc(sizeof *u); u->prev = 0; u->next = t->in;
		if (t->in) t->in->prev = u; t->in = u; }
		t->next = h; h = t; }
		while (h) { struct o *t = h->next; struct n *u = h->in; while (u && u->next) { u = u->next; free(u->prev); }
		free(u);
		free(h); h = t; } return 0; }`,
	"linked inside": `struct l { struct l *next; }; struct n { long v; struct l at; };
		struct o { struct l *in; struct o *next; int k; };
		int main(void) { struct o *h = 0; while (nondet_int()) { struct o *t = malloc(sizeof *t); t->in = 0; t->k = 1;
		while (nondet_int()) { struct n *u = malloc(sizeof *u); u->v = 3; u->at.next = t->in; t->in = &u->at; }
		t->next = h; h = t; }
		while (h) { struct o *t = h->next; while (h->in) { struct l *u = h->in; h->in = u->next; free((char *)u - 8); }
		free(h); h = t; }
		return 0; }`,
	"classes": `struct c { int n; } a, b; struct o { struct o *next; struct c *of; struct o *first; } x;
		int main(void) { struct o *h = &x; x.of = &b; while (nondet_int()) { struct o *t = malloc(sizeof *t);
		t->of = nondet_int() ? &a : &b; t->first = &x; t->next = h; h = t; a.n++; }
		while (h != &x) { struct o *t = h->next; h->of->n = 1; h->first->of->n = 2; free(h); h = t; } return 0; }`,
	"own text": `struct o { struct o *next; char *text; char own[8]; }; int main(void) { struct o *h = 0;
		while (nondet_int()) { struct o *t = malloc(sizeof *t); t->text = nondet_int() ? t->own : malloc(9);
		t->next = h; h = t; }
		while (h) { struct o *t = h->next; if (h->text != h->own) free(h->text); free(h); h = t; } return 0; }`,
}

// spoil calls try after each of some changes of what members say that make it wrong of any block.
func spoil(members []certify.Member, try func(what string)) {
	for m := range members {
		was := members[m]
		members[m].Offset++
		try("another place")
		members[m] = was
		for n := range was.Cases {
			h := &members[m].Cases[n]
			old := *h
			switch {
			case h.Own != nil:
				spoilOwned(h.Own, try)
			case h.Kind == certify.Pointer:
				h.At++
				try("another address in the block or the global")
				*h = old
				if h.Global = nil; old.Global == nil {
					h.Global = &ir.Global{}
				}
				try("an address in something else")
				if *h = old; h.Global != nil {
					h.Global = &ir.Global{}
					try("an address in another global")
				}
			case h.Kind == certify.Number:
				h.Lo, h.Hi = h.Hi.Add(exact.I(1)), h.Hi.Add(exact.I(9))
				try("another number")
			}
			*h = old
		}
	}
}

func spoilOwned(o *certify.Owned, try func(what string)) {
	was := *o
	l := *o.Shape.List
	for what, change := range map[string]func(){
		"size":    func() { o.Shape.Size = o.Shape.Size.AddInt(1) },
		"heap":    func() { o.Shape.Heap = false },
		"align":   func() { o.Shape.Align = 64 },
		"written": func() { o.Shape.Written = append(o.Shape.Written, certify.Span{Hi: 99}) },
		"number":  func() { o.Least, o.Exactly = o.Least+3, true },
	} {
		change()
		try("owned memory of another " + what)
		*o = was
	}
	if !o.Single {
		for what, change := range map[string]func(l *certify.List){
			"next": func(l *certify.List) { l.Next += 4 },
			"at":   func(l *certify.List) { l.At += 8 },
			"prev": func(l *certify.List) { l.Doubly, l.Prev = true, l.Prev+4 },
		} {
			changed := l
			change(&changed)
			o.Shape.List = &changed
			try("owned list of another " + what)
			*o = was
		}
		o.End = certify.Held{Kind: certify.Pointer, At: 4}
		try("owned list of another end")
		*o = was
	}
	spoil(l.Members, try)
}

// What the blocks of lists hold and own is certified: an edge to a state that says something else is refused.
func TestMembersAreCertified(t *testing.T) {
	for name, src := range owners {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := graphOf(t, src)
			if !g.Defined() || !g.Frees() {
				t.Fatalf("faults %+v", g.Faults)
			}
			tried, into := 0, map[*cutPoint][]*edge{}
			for _, e := range edges(g) {
				if err := g.b.checkEdge(e); err != nil {
					t.Errorf("%s: %v", e.tag, err)
				}
				into[e.to] = append(into[e.to], e)
			}
			for c, es := range into {
				for id, o := range c.st.objs {
					if o.list == nil || o.list.bare {
						continue
					}
					plain := make([]*certify.Edge, len(es))
					for n, e := range es {
						plain[n] = g.b.plainEdge(e)
					}
					members := plain[0].To.Objects[id].List.Members
					spoil(members, func(what string) {
						tried++
						for _, e := range plain {
							e.To.Objects[id].List.Members = members
							if g.b.checker.Check(e) != nil {
								return
							}
						}
						t.Errorf("%s, object %d: %s is believed", g.b.where(c.st), id, what)
					})
				}
			}
			if tried < 10 {
				t.Errorf("only %d changes", tried)
			}
		})
	}
}

// A list that takes in elements which own nothing, as the older ones do, is noticed to lose what those own.
func TestLostPropertyIsNoticed(t *testing.T) {
	g := graphOf(t, owners["blocks"])
	lost := 0
	for _, e := range edges(g) {
		plain := g.b.plainEdge(e)
		for _, o := range plain.To.Objects {
			if o.List != nil {
				o.List.Members = nil
			}
		}
		if g.b.checker.Check(plain) == nil && plain.Loses {
			lost++
		}
	}
	if lost == 0 {
		t.Error("no edge loses memory")
	}
}

// Members of one block or another are what either holds: a null pointer beside a list is a list that may be empty, and
// a single block one of a list of its kind.
func TestJoinMembers(t *testing.T) {
	j := joiner{b: &builder{}}
	number := func(lo, hi int64) held { return held{kind: intValue, lo: exact.I(lo), hi: exact.I(hi)} }
	at := func(h ...held) []member { return []member{{off: 8, size: 8, cases: h}} }
	single := held{kind: ptrValue, own: &owned{size: 16, heap: true, next: oneBlock, least: 1, exactly: true,
		members: []member{{off: 0, size: 8, cases: []held{heldNull()}}, {off: 8, size: 4, cases: []held{number(2, 2)}}}}}
	chain := held{kind: ptrValue, own: &owned{size: 16, heap: true, next: 0, least: 2, exactly: true, end: heldNull(),
		members: []member{{off: 8, size: 4, cases: []held{number(3, 3)}}}}}
	for what, c := range map[string]struct{ x, y, want []member }{
		"numbers":          {at(number(1, 2)), at(number(5, 6)), at(number(1, 6))},
		"null and a chain": {at(heldNull()), at(chain), at(held{kind: ptrValue, own: chainOf(chain.own, 0, 3, 3)})},
		"one and a chain":  {at(single), at(chain), at(held{kind: ptrValue, own: chainOf(chain.own, 1, 2, 3)})},
		"itself and null":  {at(held{kind: ptrValue, at: 4}), at(heldNull()), at(held{kind: ptrValue, at: 4}, heldNull())},
		"other sizes": {at(single), at(held{kind: ptrValue, own: &owned{size: 8, heap: true, next: oneBlock, least: 1}}),
			nil},
	} {
		if got := j.members(c.x, c.y); !sameMembers(got, c.want) {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// chainOf is o with another number of blocks, whose numbers are from lo to hi.
func chainOf(o *owned, least, lo, hi int64) *owned {
	c := *o
	c.least, c.exactly = least, false
	c.members = []member{{off: 8, size: 4, cases: []held{{kind: intValue, lo: exact.I(lo), hi: exact.I(hi)}}}}
	return &c
}

// members: a block holds what they say, as far as that is known.
func (s *shadow) members(object int, members []member) error {
	for _, m := range members {
		if !slices.ContainsFunc(m.cases, func(h held) bool { return s.holds(object, m, h) }) {
			return fmt.Errorf("a list with a block that holds something else at byte %d", m.off)
		}
	}
	return nil
}

// holds reports that a member of a block may be h.
func (s *shadow) holds(object int, m member, h held) bool {
	t := ir.Int(int(m.size) * 8)
	if int(m.size)*8 == s.b.m.Layout.PtrBits {
		t = ir.Ptr(s.b.m.Layout.PtrBits)
	}
	seen := s.v.Load(object, m.off, t)
	switch {
	case !seen.Known || h.kind == funcValue:
		return true
	case h.kind == intValue && seen.Object < 0:
		n := exact.FromBig(seen.Bits.Signed())
		if h.rep == unsigned {
			n = exact.FromBig(seen.Bits.Unsigned())
		}
		return n.Cmp(h.lo) >= 0 && n.Cmp(h.hi) <= 0
	case h.kind == intValue:
		return false
	case h.global != nil:
		return seen.Object >= 0 && seen.Object != object && seen.Offset == h.at
	case h.own == nil:
		return seen.Object == object && seen.Offset == h.at
	case seen.Object < 0:
		return h.own.least == 0 && h.own.end.isNull()
	}
	size, alive := s.alive(seen.Object)
	return alive && size == h.own.size && (h.own.next != oneBlock || s.members(seen.Object, h.own.members) == nil)
}
