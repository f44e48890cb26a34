package interrupt

import "github.com/firmproof/firmproof/verifier/ir"

// tearing is an access that is made in parts here, with what is claimed of it.
type tearing struct {
	claims []claim
	bad    []ir.Value // by claim: whether a handler got between parts
	was    []ir.Value // by claim: the address that was watched before; nil: none is
}

// beginTorn begins the parts of an access.
func (w *interrupts) beginTorn(in *ir.Instr) {
	w.tearing = tearing{}
	if w.races == nil || w.races.sites[in] == nil {
		return
	}
	for _, c := range w.races.sites[in].torn {
		var was ir.Value
		if c.at != nil {
			was = w.Load(w.Ptr(), w.AddrOfGlobal(c.at))
			w.Store(c.addr, w.AddrOfGlobal(c.at), 1)
		}
		w.tearing.claims = append(w.tearing.claims, c)
		w.tearing.was = append(w.tearing.was, was)
		w.tearing.bad = append(w.tearing.bad, w.Int(ir.Int(1), 0))
	}
}

// letInto puts a point between parts. Where a handler gets to the memory of the access there, and between says that
// parts are made on both sides, that is a race.
func (w *interrupts) letInto(between func() ir.Value) {
	t := &w.tearing
	before := make([][]ir.Value, len(t.claims))
	for i, c := range t.claims {
		before[i] = w.races.counts(c.watch)
	}
	w.Call(w.point)
	for i, c := range t.claims {
		t.bad[i] = w.Or(t.bad[i], w.And(between(), w.races.changed(c.watch, before[i])))
	}
}

// endTorn claims that no handler got between the parts.
func (w *interrupts) endTorn() {
	t := w.tearing
	for i, c := range t.claims {
		if t.was[i] != nil {
			w.Store(t.was[i], w.AddrOfGlobal(c.at), 1)
		}
	}
	for i, c := range t.claims {
		w.races.claim(t.bad[i], c)
	}
	w.tearing = tearing{}
}
