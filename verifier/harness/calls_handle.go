package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// shared is a structure that functions are handed: all calls get the same one. It is zero at first. Then one of the
// functions that fill it is called, or one that makes another (calls_make.go). Where there is none, its pointers lead to
// what Harness makes for them, and numbers that the program never leaves at zero are as it leaves them.
type shared struct {
	t      *ir.DType
	name   string
	at     *ir.Global // holds its address
	block  *ir.Instr  // allocates it
	begins []*ir.Func // that fill it, or make it
	makers []*ir.Func // the latter
	id     string     // of the assumption about what is in it
}

// handlePart starts the names of the variables that hold addresses of handles.
const handlePart = "firmproof.handle."

// findHandles finds the structures that the function of the cone is handed, and that functions change.
func (c *cone) findHandles(all []*ir.Func) {
	h := c.p.newHarness(&irbuild.Builder{Module: c.p.m}, c.of)
	everyone := append([]*ir.Func{c.of}, all...)
	for i, t := range c.p.effectsOf(c.of).handed {
		if t == nil || c.handleFor(t) != nil {
			continue
		}
		root, changed := t, false
		for _, g := range everyone {
			for _, u := range c.p.effectsOf(g).handed {
				if u == nil {
					continue
				}
				if inner, ok := inside(u, root); ok && inner >= 0 && ir.SizeInC(u) >= ir.SizeInC(root) {
					root = u
				}
				_, within := inside(t, u)
				_, around := inside(u, t)
				changed = changed || (within || around) && !strings.HasPrefix(u.Name, "const ")
			}
		}
		if !changed {
			continue
		}
		hd := &shared{t: root, name: h.nameOf(i)}
		for _, g := range everyone {
			switch {
			case c.fills(g, hd):
				hd.begins = append(hd.begins, g)
			case c.makes(g, hd):
				hd.begins, hd.makers = append(hd.begins, g), append(hd.makers, g)
			}
		}
		for _, g := range hd.begins {
			if !slices.Contains(c.list, g) {
				c.add(g)
			}
		}
		c.handles = append(c.handles, hd)
	}
}

// sameLayout reports whether two structures, or unions, have the same members.
func sameLayout(t, u *ir.DType) bool {
	return ir.IsAggregate(t) && ir.IsAggregate(u) && t.Kind == u.Kind && places.LayoutOf(t) == places.LayoutOf(u)
}

// inside returns how many bytes into t a u stands; false where none does.
func inside(t, u *ir.DType) (off int64, ok bool) {
	if sameLayout(t, u) {
		return 0, true
	}
	if !ir.IsAggregate(t) {
		return 0, false
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.IsBits || f.T == nil {
			continue
		}
		if off, ok := inside(f.T, u); ok {
			return f.BitOff/8 + off, true
		}
	}
	return 0, false
}

// handleFor returns the handle that a t is, or a part of.
func (c *cone) handleFor(t *ir.DType) *shared {
	for _, hd := range c.handles {
		if _, ok := inside(hd.t, t); ok {
			return hd
		}
	}
	return nil
}

// hold adds the variable of that name that holds where a structure is which functions are handed.
func (w *callWriter) hold(hd *shared, name string) {
	hd.at = &ir.Global{Name: handlePart + name, T: w.Ptr(), Align: w.Module.Layout.PtrBits / 8,
		Init: &ir.Const{T: w.Ptr(), Kind: ir.ConstNull}}
	w.Module.Globals = append(w.Module.Globals, hd.at)
}

// zeroed makes the block of such a structure, which holds zero at first.
func (w *callWriter) zeroed(h *harness, hd *shared, zero ir.Value) *ir.Instr {
	size := w.Int(w.Word(), ir.SizeInC(hd.t))
	p := w.Model(ir.ModelMalloc, "malloc", w.Ptr(), size)
	p.Name, hd.block = ir.BehindPointer+hd.name, p
	h.standsAs(p, hd.t)
	w.Assume(w.Compare(ir.NE, p, w.Null()))
	w.Model(ir.ModelMemset, "firmproof.zero", w.Ptr(), p, zero, size)
	w.Store(p, w.AddrOfGlobal(hd.at), 1)
	return p
}

// makeHandles writes what makes the handles of the cone: all of them, and then the calls that fill some, since what
// fills one may be handed another.
func (w *callWriter) makeHandles() {
	for i, hd := range w.cone.handles {
		w.hold(hd, fmt.Sprintf("%s.%d", w.cone.of.Name, i))
	}
	for _, hd := range w.cone.handles {
		h := w.p.newHarness(w.Builder, w.cone.of)
		h.filling, h.variant = true, "calls."
		from := "zeros"
		if len(hd.begins) > 0 {
			from = "a call of " + strings.Join(namesOf(hd.begins), " or ")
		}
		hd.id = h.note(hd.name, verdict.Contents, verdict.Observed, "%s holds what calls of %s leave in it, from %s on",
			hd.name, strings.Join(namesOf(w.cone.list), ", "), from)
		if w.cone.elsewhere(hd) {
			w.out.Elsewhere = append(w.out.Elsewhere, hd.id)
		}
		p := w.zeroed(h, hd, w.Emit(&ir.Instr{Op: ir.OpFreeze, T: ir.Int(32), Args: []ir.Value{w.Int(ir.Int(32), 0)},
			Assumes: []string{hd.id}}))
		if len(hd.begins) == 0 {
			w.out.Alone = true
			left := policy.HarnessFields
			if ir.IsStruct(hd.t) {
				h.fill(hd.name, hd.t, p, places.Place{}, 0, 1, &left)
				w.limits = append(w.limits, h.limits...)
			}
		}
		if n := len(hd.t.Fields); n > 0 && hd.t.Fields[n-1].T != nil && hd.t.Fields[n-1].T.Kind == ir.DArray &&
			hd.t.Fields[n-1].T.Count <= 1 {
			h.out.Guesses = append(h.out.Guesses, hd.name) // an array without a length
		}
		h.showHeld()
		w.take(h)
	}
	for _, hd := range w.cone.handles {
		if len(hd.begins) == 0 {
			continue
		}
		w.oneOf(hd.begins, func(f *ir.Func) { w.begin(f, hd) })
		w.unset(hd, true)
	}
}

// limited is a member of a handle that says how much one of its pointers leads to: whoever tells a function another
// number has as much there.
type limited struct {
	at   ir.Value // its address
	bits int
	most ir.Value // elements that are there
	id   string   // of the assumption that so many are
}

// keepLimits assumes after a call that the handles say of no block that it is larger than it is.
func (w *callWriter) keepLimits() {
	for _, l := range w.limits {
		n := w.Resize(w.Load(ir.Int(l.bits), l.at), w.Word())
		brings(l.id, w.Assume(w.Compare(ir.ULE, n, l.most)))
	}
}

// begun gives a number in a handle that no function fills what the program leaves there, if that is never zero; and one
// that the program never stores any value.
func (h *harness) begun(name string, t *ir.DType, f *ir.DField, p ir.Value, off int64) {
	if f.IsBits || !ir.IsNumber(f.T) {
		return
	}
	at, member := places.Place{Of: places.LayoutOf(t), Off: f.BitOff / 8}, ir.Int(f.T.Bits)
	to := h.Gep(p, off+f.BitOff/8, nil, 0)
	if x := h.p.seems.At[at]; x == nil || !x.Some {
		h.Store(h.any(name, member), to, 1)
		h.shows(h.open(name, verdict.Contents, "").ID, h.Load(member, to), f)
		return
	}
	low, high, ok := h.p.kept(t, f)
	if !ok {
		low, high, ok = h.p.seems.Kept(at, f.T)
	}
	if ok && (low > 0 || high < 0) {
		h.Store(h.Int(member, low), to, 1)
	}
}

// handlePlace is where calls find a handle: off bytes into it.
type handlePlace struct {
	of  *shared
	off int64
}

func (p *handlePlace) address(b *irbuild.Builder) ir.Value {
	v := b.Emit(&ir.Instr{Op: ir.OpFreeze, T: b.Ptr(), Args: []ir.Value{b.Load(b.Ptr(), b.AddrOfGlobal(p.of.at))},
		Assumes: []string{p.of.id}})
	if p.off == 0 {
		return v
	}
	return b.Gep(v, p.off, nil, 0)
}

// handle returns the handle that parameter i leads to in an entry of calls; nil: something else.
func (h *harness) handle(i int) *handlePlace {
	switch {
	case h.calls == nil:
		return nil
	case h.calls.handed != nil:
		if hd := h.calls.handed[i]; hd != nil {
			return &handlePlace{hd, 0}
		}
		return nil
	}
	t := h.p.effectsOf(h.of).handed[i]
	if t == nil {
		return nil
	}
	hd := h.calls.cone.handleFor(t)
	if hd == nil {
		return nil
	}
	for k := range i { // two pointers lead to two objects
		if u := h.p.effectsOf(h.of).handed[k]; u != nil && h.calls.cone.handleFor(u) == hd {
			return nil
		}
	}
	off, _ := inside(hd.t, t)
	return &handlePlace{hd, off}
}
