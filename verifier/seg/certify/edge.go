package certify

import (
	"errors"
	"fmt"
	"sort"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/ir"
)

// image says what an object of the target is in the source: the block of the same part, or the chain
// of blocks and lists that a list is.
type image struct {
	start  Value // what a pointer to the object is in the source
	blocks []int // none for a list without blocks

	back        bool  // of a list: start is for a pointer to its last block
	other       Value // and this for one to the first, or the other way round
	end, before Value // of a list with blocks: what is behind it and in front of it, seen from start

	framed bool // of a tree: the source's trees may all be empty, and something leads to its last block
}

type check struct {
	*Checker
	e     *Edge
	k     *Knowledge
	value map[exact.Var]exact.Lin // of the target's variables
	// chosen are variables of the target whose value is one that the source says nothing of, with
	// the numbers that it can be.
	chosen  map[exact.Var]Interval
	used    map[exact.Var]bool // variables of the source that stand for such a value
	placed  map[exact.Var]bool // variables in the source's structure
	ruled   map[exact.Var]bool // variables in the source's rows
	bases   map[int]exact.Lin  // addresses of the source's objects that nobody asked for
	images  map[int]image
	usedBy  map[int]int   // object of the source to that of the target
	pending []int         // objects of the target whose contents are still to be compared
	lost    bool          // heap memory that a list's blocks own is not in the target
	later   []part        // lists that end with an object which has no image yet
	lasts   map[int]Value // what leads to the last block of trees
}

// Check proves that the edge's claim is true; the error says what is not proved.
func (c *Checker) Check(e *Edge) error {
	k := &check{Checker: c, e: e, k: &e.From.Know, value: map[exact.Var]exact.Lin{}, chosen: map[exact.Var]Interval{},
		used: map[exact.Var]bool{}, placed: map[exact.Var]bool{}, ruled: map[exact.Var]bool{},
		bases: map[int]exact.Lin{}, images: map[int]image{}, usedBy: map[int]int{}, lasts: map[int]Value{}}
	k.occurrences()
	for v, x := range e.Values {
		k.value[v] = x
	}
	if err := k.globals(); err != nil {
		return err
	}
	if err := k.frames(); err != nil {
		return err
	}
	if err := k.heap(); err != nil {
		return err
	}
	if err := k.owners(); err != nil {
		return err
	}
	if err := k.knowledge(); err != nil {
		return err
	}
	e.Loses = k.loses()
	return nil
}

// loses reports whether heap memory of the source is in no object of the target.
func (k *check) loses() bool {
	if k.lost {
		return true
	}
	for _, id := range sorted(k.e.From.Objects) {
		o := k.e.From.Objects[id]
		_, used := k.usedBy[id]
		if o.Heap && !used && !(o.List != nil && k.equal(k.k, o.List.Length, exact.Lin{})) {
			return true
		}
	}
	return false
}

// globals binds the objects of globals. One that the target does not mention still has its initial
// contents there, so the source must not have changed it.
func (k *check) globals() error {
	have := map[*ir.Global]int{}
	for id, o := range k.e.From.Objects {
		if o.Global != nil {
			have[o.Global] = id
		}
	}
	for _, id := range sorted(k.e.To.Objects) {
		o := k.e.To.Objects[id]
		if o.Global == nil {
			continue
		}
		from, ok := have[o.Global]
		if !ok {
			return fmt.Errorf("global %s is missing", o.Name)
		}
		delete(have, o.Global)
		if err := k.bind(id, Value{Kind: Pointer, Object: from}, false); err != nil {
			return err
		}
	}
	for g := range have {
		if !g.Const {
			return fmt.Errorf("global %s is taken for untouched", g.Name)
		}
	}
	return nil
}

func sorted(objects map[int]*Object) []int {
	var ids []int
	for id := range objects {
		ids = append(ids, id)
	}
	sort.Ints(ids)
	return ids
}

// frames compares the call stacks and what they hold.
func (k *check) frames() error {
	from, to := k.e.From.Frames, k.e.To.Frames
	if len(from) != len(to) {
		return errors.New("the call stacks have different heights")
	}
	for n := range to {
		f, t := &from[n], &to[n]
		if f.Func != t.Func || f.Block != t.Block || f.Index != t.Index || f.Context != t.Context ||
			f.Call != t.Call || f.Bottom != t.Bottom {
			return errors.New("the states are at different places")
		}
		for _, v := range inOrder(t.Values) {
			s, ok := f.Values[v]
			if !ok {
				return errors.New("a value that the path does not have")
			}
			if err := k.match(t.Values[v], s, width(v.Type(), k.e.PointerBits)); err != nil {
				return fmt.Errorf("%s: %w", nameOf(v), err)
			}
		}
	}
	return nil
}

// width is the number of bits of a value of type t.
func width(t *ir.Type, pointer int) int {
	if t.Kind == ir.KindPtr {
		return pointer
	}
	return t.Width
}

func nameOf(v ir.Value) string {
	switch v := v.(type) {
	case *ir.Param:
		return v.Name
	case *ir.Instr:
		if v.Name != "" {
			return v.Name
		}
		return fmt.Sprintf("instruction %d", v.ID)
	}
	return "a constant"
}

func inOrder(values map[ir.Value]Value) []ir.Value {
	var out []ir.Value
	for v := range values {
		out = append(out, v)
	}
	rank := func(v ir.Value) int {
		switch v := v.(type) {
		case *ir.Param:
			return v.Index
		case *ir.Instr:
			return 1000 + v.ID
		}
		return -1
	}
	sort.Slice(out, func(i, j int) bool { return rank(out[i]) < rank(out[j]) })
	return out
}

// owners: an object ends with the same call in both states.
func (k *check) owners() error {
	for n, t := range k.e.To.Frames {
		for id, im := range k.images {
			for _, b := range im.blocks {
				if t.Owns[id] != k.e.From.Frames[n].Owns[b] {
					return fmt.Errorf("%s ends with another call", k.e.To.Objects[id].Name)
				}
			}
		}
	}
	return nil
}

// knowledge: what the target knows follows from what the source knows.
func (k *check) knowledge() error {
	know := &k.e.To.Know
	for v, i := range know.Intervals {
		if err := k.within(v, i); err != nil {
			return err
		}
	}
	for v, r := range know.Residues {
		if x, ok := k.value[v]; !ok || !k.k.multiple(x.Sub(exact.Lin{Const: r.Rest}), r.Mod) {
			return fmt.Errorf("a residue that the path does not show: %d", v)
		}
	}
	for _, r := range know.Rows {
		e, ok := k.instance(r.Lin)
		if !ok {
			return fmt.Errorf("a fact about a number that the path does not give: %s", r.Lin)
		}
		if !k.entails(k.k, e) || r.EQ && !k.entails(k.k, e.Neg()) {
			return fmt.Errorf("a fact that the path does not show: %s", r.Lin)
		}
	}
	return nil
}

// within: the value of v is in the interval.
func (k *check) within(v exact.Var, i Interval) error {
	if x, ok := k.value[v]; ok {
		if !k.Within(k.k, x, i) {
			return fmt.Errorf("a bound that the path does not show: %d", v)
		}
		return nil
	}
	if any, ok := k.chosen[v]; ok && !i.contains(any) {
		return fmt.Errorf("a bound of contents of which nothing is known: %d", v)
	}
	if i.HasLo && i.HasHi && i.Lo.Cmp(i.Hi) > 0 {
		return errors.New("a number that has no value")
	}
	return nil // stands for nothing else, or for anything in the interval
}

// instance puts the values for the target's variables.
func (k *check) instance(e exact.Lin) (exact.Lin, bool) {
	for _, t := range e.Terms {
		if _, ok := k.value[t.Var]; !ok {
			return e, false
		}
	}
	return e.Subst(func(v exact.Var) exact.Lin { return k.value[v] }), true
}

// same: e of the target is x of the source. A variable that has no value yet gets it.
func (k *check) same(e, x exact.Lin) bool {
	if len(e.Terms) == 1 && e.Const.IsZero() && e.Terms[0].Coef.IsOne() {
		v := e.Terms[0].Var
		if _, chosen := k.chosen[v]; chosen {
			return false
		}
		if _, ok := k.value[v]; !ok {
			k.value[v] = x
			return true
		}
	}
	y, ok := k.instance(e)
	return ok && k.equal(k.k, y, x)
}

// occurrences collects the variables in the source's structure and rows.
func (k *check) occurrences() {
	place := func(e exact.Lin) {
		for _, t := range e.Terms {
			k.placed[t.Var] = true
		}
	}
	for _, f := range k.e.From.Frames {
		for _, v := range f.Values {
			place(v.Lin)
		}
	}
	for _, o := range k.e.From.Objects {
		place(o.Size)
		place(o.Base)
		for _, c := range o.Cells {
			place(c.Offset)
			place(c.Value.Lin)
		}
		if o.List != nil {
			place(o.List.Length)
			place(o.List.End.Lin)
			place(o.List.Before.Lin)
		}
	}
	for v := range k.k.Residues {
		k.ruled[v] = true
	}
	for _, r := range k.k.Rows {
		for _, t := range r.Lin.Terms {
			k.ruled[t.Var] = true
		}
	}
}
