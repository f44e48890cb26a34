package check

import (
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// walk goes through a function until what it takes to be known at the begin of its blocks, and of its registers, follows
// from itself.
type walk struct {
	f       *ir.Func
	facts   map[*ir.Global]*fact
	locals  map[*ir.Instr]int // variables that hold a number which only loads and stores of f get at, and their bits
	abroad  map[ir.Value]bool // registers that blocks other than their own use
	begin   []*point          // by the index of a block; nil: control does not come there
	pass    int
	changed bool
	found   func(g *ir.Global) // is told of variables that may hold what their facts do not allow
}

// point is what is known where control is: by local variable (its *ir.Instr), variable of a fact, or register.
type point struct {
	known map[any]words    // else it is any number, or what the fact says of functions that begin
	same  map[any]ir.Value // a register that holds the same as the variable
}

func (p *point) clone() *point { return &point{maps.Clone(p.known), maps.Clone(p.same)} }

func (p *point) forget(key any) {
	delete(p.known, key)
	delete(p.same, key)
}

// broken returns the variables in which f may store a number that their facts do not allow.
func broken(f *ir.Func, facts map[*ir.Global]*fact, writers map[*ir.Global]map[*ir.Func]bool) []*ir.Global {
	out := map[*ir.Global]bool{}
	for g := range facts {
		if writers[g][f] {
			out[g] = true
		}
	}
	if len(out) == 0 {
		return nil
	}
	w := &walk{f: f, facts: facts, locals: localNumbers(f), abroad: usedAbroad(f), begin: make([]*point, len(f.Blocks))}
	w.begin[0] = &point{map[any]words{}, map[any]ir.Value{}}
	for w.changed = true; w.changed && w.pass < policy.CheckPasses; w.pass++ {
		w.changed = false
		w.through()
	}
	if !w.changed {
		clear(out)
		w.found = func(g *ir.Global) { out[g] = true }
		w.through()
	}
	return slices.Collect(maps.Keys(out))
}

// through visits the blocks once, in their order.
func (w *walk) through() {
	for _, b := range w.f.Blocks {
		if w.begin[b.Index] == nil {
			continue
		}
		p := w.begin[b.Index].clone()
		for _, in := range b.Instrs {
			w.step(in, p)
		}
		for i, to := range b.Succs() {
			if out := p.clone(); !slices.Contains(b.Succs()[:i], to) && w.supposed(b, to, out) {
				w.phis(b, to, out)
				maps.DeleteFunc(out.known, func(key any, _ words) bool { return w.isDone(key) })
				w.arrive(to, out, to.Index <= b.Index)
			}
		}
	}
}

// arrive adds what is known on one more way to a block; back: each loop has such a way.
func (w *walk) arrive(to *ir.Block, p *point, back bool) {
	old := w.begin[to.Index]
	if old == nil {
		w.begin[to.Index], w.changed = p, true
		return
	}
	for key := range p.known {
		if _, ok := old.known[key]; !ok && isFact(key) {
			old.known[key], _ = w.of(key, old)
		}
	}
	for key, was := range old.known {
		now, bits := w.of(key, p)
		usual, _ := w.of(key, &point{})
		if !was.holds(now, bits) {
			w.changed = true
			old.known[key] = w.grown(key, was, now, bits, back)
		}
		if x := old.known[key]; x.holds(usual, bits) && usual.holds(x, bits) {
			delete(old.known, key)
		}
	}
	for key, r := range old.same {
		if p.same[key] != r {
			delete(old.same, key)
			w.changed = true
		}
	}
}

// grown is a set of words that holds another one too, and more on ways back after some passes: what a fact says, or else
// all to an end of the type.
func (w *walk) grown(key any, was, now words, bits int, back bool) words {
	next := was.join(now, bits)
	if !back || w.pass < policy.CheckGrowth {
		return next
	}
	if g, ok := key.(*ir.Global); ok && w.facts[g].ever.holds(next, bits) {
		return w.facts[g].ever
	}
	return was.wider(next, bits)
}

func isFact(key any) bool {
	_, ok := key.(*ir.Global)
	return ok
}

// isDone reports a register that no other block uses.
func (w *walk) isDone(key any) bool {
	in, ok := key.(*ir.Instr)
	return ok && w.locals[in] == 0 && !w.abroad[in]
}

// of is what is known of a variable or register, and its bits.
func (w *walk) of(key any, p *point) (words, int) {
	bits, usual := 64, words{}
	switch key := key.(type) {
	case *ir.Global:
		bits, usual = w.facts[key].bits, w.facts[key].rest
	case ir.Value:
		if bits = key.Type().Width; key.Type().IsPtr() {
			bits = w.locals[key.(*ir.Instr)]
		}
		usual = all(bits)
	}
	if x, ok := p.known[key]; ok {
		return x, bits
	}
	return usual, bits
}

// value is what a number may be; of one of more than 64 bits, nothing is said.
func (w *walk) value(v ir.Value, p *point) words {
	if !isWord(v.Type()) {
		return all(64)
	}
	if c, ok := v.(*ir.Const); ok {
		if n, ok := c.Bits.Uint64(); c.Kind == ir.ConstInt && ok {
			return words{n, 0}
		}
		return all(v.Type().Width)
	}
	x, _ := w.of(v, p)
	return x
}

// followed is the variable at an address, if what the function stores there stays there until it calls another.
func (w *walk) followed(addr ir.Value) any {
	switch a := addr.(type) {
	case *ir.Const:
		if x := w.facts[a.Global]; x != nil && x.in(w.f) {
			return a.Global
		}
	case *ir.Instr:
		if w.locals[a] > 0 {
			return a
		}
	}
	return nil
}

// factAt is the variable of a fact at an address, or nil.
func (w *walk) factAt(addr ir.Value) *ir.Global {
	if c, ok := addr.(*ir.Const); ok && w.facts[c.Global] != nil {
		return c.Global
	}
	return nil
}

// phis notes what registers at the begin of a block get on one way there.
func (w *walk) phis(from, to *ir.Block, p *point) {
	was := p.clone()
	for _, in := range to.Instrs {
		if in.Op != ir.OpPhi {
			break
		}
		if i := slices.Index(in.Incoming, from); isWord(in.T) && i >= 0 {
			w.define(in, w.value(in.Args[i], was), p)
		}
	}
}

// define notes what a register holds from now on.
func (w *walk) define(in *ir.Instr, v words, p *point) {
	p.known[in] = v
	maps.DeleteFunc(p.same, func(_ any, r ir.Value) bool { return r == ir.Value(in) })
}

func isWord(t *ir.Type) bool { return t.IsInt() && t.Width <= 64 }
