package pair

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Where a type has another layout in both versions, each has memory of its own, a twin of the other's:
//
//	the harness makes what the new version gets; the old one gets the same in members of the same name (carry.go)
//	pointers lead to the same element of the other twin; elsewhere both share what they lead to
//	after the calls, members that both have are compared (compareCommon)
//
// What only one version has, holds anything. Both versions access their own twins alone: pointers to them come from nowhere but
// from what is carried. How bytes of a twin are numbered, or where it stands, is nothing that both have in common: what
// depends on that is not compared (refuse).

// twin is memory that both versions have, each with its layout. Index 0 is the old version's.
type twin struct {
	name    string
	c       *common // of an element
	at      [2]ir.Value
	size    [2]int64 // of an element, in bytes
	count   int64
	global  *ir.Global // of the new version; nil: a block
	steady  bool       // it is never written: each version has its initial value
	numbers bool       // it holds no pointers in either version
	opaque  bool       // nothing is known of what is there: the old version has nothing
}

// relate notes that types of both versions are what the other version has, with all that they lead to.
func (w *pairing) relate(t, u *ir.DType) {
	if t == nil || u == nil || w.types[u] != nil || t.Kind != u.Kind && !(isInteger(t) && isInteger(u)) {
		return
	}
	if w.types == nil {
		w.types = map[*ir.DType]*ir.DType{}
	}
	w.types[u] = t
	if w.relate(t.Elem, u.Elem); t.Kind != ir.DStruct && t.Kind != ir.DUnion {
		return
	}
	was := named(t, 0)
	for _, g := range named(u, 0) {
		if f := fieldOf(was, g.Name); f != nil {
			w.relate(f.T, g.T)
		}
	}
}

// leadsToTwins reports whether pointers of both versions lead to what has twins, and notes these.
func (w *pairing) leadsToTwins(t, u *ir.DType) bool {
	if t.Kind != ir.DPointer || u.Kind != ir.DPointer || w.j.Unaligned {
		return false
	}
	w.relate(t, u)
	return w.types[u.Elem] != nil
}

// withoutTwins makes a harness that does not know of the old version's twins.
func (w *pairing) withoutTwins() (*harness.Harnessed, error) {
	all := w.Module.Globals
	w.Module.Globals = slices.DeleteFunc(slices.Clone(all), func(g *ir.Global) bool {
		return strings.HasPrefix(g.Name, OldPrefix) && w.isTwin(g)
	})
	shown := slices.Clone(w.Module.Globals)
	p := harness.NewProgram(w.Module)
	p.MayBeNullAsIn(w.now, w.old)
	p.MembersMayBeNull(w.types)
	p.Few(w.hasTwin)
	for _, x := range w.twins {
		if !x.steady {
			p.Changes(x.global)
		}
	}
	h, err := w.called(p)
	w.Module.Globals = append(all, w.Module.Globals[len(shown):]...)
	return h, err
}

// hasTwin reports whether what is of a type of the new version has another layout in the old one.
func (w *pairing) hasTwin(u *ir.DType) bool {
	t := w.types[u]
	return t != nil && !w.sameLayout(t, u)
}

// apartLayouts reports whether memory of another layout takes part.
func (w *pairing) apartLayouts() bool { return len(w.types) > 0 }

// commonOf is what a type has in common with that of the old version, in as many elements.
func (w *pairing) commonOf(t, u *ir.DType, name string, count int64) (*common, error) {
	l := &layouts{big: w.Module.Layout.BigEndian || w.j.machines.swapped(), machines: w.j.machines}
	c, err := l.of(t, u, "", name)
	if err != nil {
		return nil, err
	}
	if c.weight()*count > policy.PairParts {
		return nil, fmt.Errorf("%s has another layout and many members", name)
	}
	for _, text := range l.notes {
		if !slices.Contains(w.out.Layouts, text) {
			w.out.Layouts = append(w.out.Layouts, text)
		}
	}
	return c, nil
}

// findVariables finds the variables that both versions have with another layout, of those that either reaches. Those that
// are never written count beside others alone: pointers may lead there.
func (w *pairing) findVariables(reach [2]places.Reach) error {
	changed := harness.ChangedGlobals(w.Module)
	steady := func(g, o *ir.Global) bool {
		return g.Const && o.Const || !changed[g] && !changed[o] && !g.Var.Public && !o.Var.Public
	}
	for _, also := range []bool{false, true} {
		for _, g := range w.j.apart {
			o := w.beforeOf(g)
			if o == nil || !reach[0].Globals[o] && !reach[1].Globals[g] || g.Var == nil || o.Var == nil ||
				w.sameLayout(o.Var.T, g.Var.T) && w.j.machines == nil || steady(g, o) != also {
				continue
			}
			if err := w.twinVariable(o, g, also); err != nil && !also {
				return err
			}
		}
		if !w.apartLayouts() {
			return nil
		}
	}
	if w.j.Unaligned {
		return errors.New("what callers have in memory has another layout")
	}
	return nil
}

// twinVariable notes a variable with another layout, o in the old version and g in the new one.
func (w *pairing) twinVariable(o, g *ir.Global, steady bool) error {
	for _, x := range []*ir.Global{o, g} {
		if !steady && (x.Const || x.Extern || x.Weak || x.ThreadLocal || x.Unsupported != "" || x.Beyond != "") ||
			ir.SizeInC(x.Var.T) != w.Module.Layout.SizeOf(x.T) {
			return fmt.Errorf("the variable %s has another layout", ir.NameOf(g))
		}
	}
	w.relate(o.Var.T, g.Var.T)
	c, err := w.commonOf(o.Var.T, g.Var.T, g.Var.Name, 1)
	if err != nil {
		return err
	}
	if !steady && !sameStart(c, o.Init, g.Init) {
		return fmt.Errorf("the variable %s has another layout, and perhaps another initial value", ir.NameOf(g))
	}
	w.twins = append(w.twins, &twin{name: g.Var.Name, c: c, at: [2]ir.Value{w.AddrOfGlobal(o), w.AddrOfGlobal(g)},
		size: [2]int64{ir.SizeInC(o.Var.T), ir.SizeInC(g.Var.T)}, count: 1, global: g, steady: steady,
		numbers: !ir.HoldsPointer(o.Var.T) && !ir.HoldsPointer(g.Var.T)})
	return nil
}

// beforeOf returns the variable of the old version that has the name of one of the new version, both apart; nil: none.
func (w *pairing) beforeOf(g *ir.Global) *ir.Global {
	i := slices.IndexFunc(w.j.apart, func(o *ir.Global) bool { return o.Name == OldPrefix+g.Name })
	if i < 0 {
		return nil
	}
	return w.j.apart[i]
}

// isTwin reports whether a variable of either version is one with another layout.
func (w *pairing) isTwin(g *ir.Global) bool {
	return slices.ContainsFunc(w.twins, func(x *twin) bool {
		return x.global != nil && (x.global == g || OldPrefix+x.global.Name == g.Name)
	})
}

// findBlocks finds the blocks of the harness that have another layout in the old version.
func (w *pairing) findBlocks() error {
	for _, b := range w.out.Blocks {
		if !w.apartLayouts() {
			return nil
		}
		if b.T == nil {
			w.twins = append(w.twins, &twin{name: b.Name, at: [2]ir.Value{nil, b.At}, size: [2]int64{1, 1}, count: 1, opaque: true,
				steady: true, c: &common{kind: commonStruct}})
			continue
		}
		if !w.hasTwin(b.T) {
			if w.namesTwin(b.T) {
				return fmt.Errorf("what %s leads to may have another layout", b.Name)
			}
			continue
		}
		k, constant := b.Size.(*ir.Const)
		one := ir.SizeInC(b.T)
		if !constant || k.Kind != ir.ConstInt || one <= 0 {
			return fmt.Errorf("how many elements with another layout %s leads to is computed", b.Name)
		}
		n := k.Bits.Signed().Int64()
		if n <= 0 || n%one != 0 {
			return fmt.Errorf("%s leads to a part of an element with another layout", b.Name)
		}
		t := w.types[b.T]
		c, err := w.commonOf(t, b.T, "*"+b.Name, n/one)
		if err != nil {
			return err
		}
		w.twins = append(w.twins, &twin{name: b.Name, c: c, at: [2]ir.Value{nil, b.At}, size: [2]int64{ir.SizeInC(t), one},
			count: n / one})
		w.out.Few = true
	}
	return nil
}

// namesTwin reports whether a type goes by the name of one that has another layout.
func (w *pairing) namesTwin(t *ir.DType) bool {
	if !ir.IsAggregate(t) || w.types[t] != nil {
		return false
	}
	for u := range w.types {
		if ir.IsAggregate(u) && ownName(u) == ownName(t) && w.hasTwin(u) {
			return true
		}
	}
	return false
}

// twinOf returns the twin that a block is; nil: none.
func (w *pairing) twinOf(at ir.Value) *twin {
	for _, x := range w.twins {
		if x.at[1] == at {
			return x
		}
	}
	return nil
}

// makeTwins gives the old version its own, with what the new one has.
func (w *pairing) makeTwins() {
	for _, x := range w.twins {
		if x.global == nil {
			size := w.Int(w.Word(), x.count*x.size[0])
			p := w.Model(ir.ModelMalloc, "malloc", w.Ptr(), size)
			p.Name = ir.BehindPointer + x.name
			w.Assume(w.Compare(ir.NE, p, w.Null()))
			w.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), p, size)
			if x.at[0] = p; x.opaque {
				x.at[0] = w.Gep(p, x.size[0], nil, 0)
			}
		}
	}
	w.placeTwins()
	for _, x := range w.twins {
		if x.steady {
			continue
		}
		if x.global != nil && x.numbers {
			w.Model(ir.ModelHavoc, "firmproof.havoc", ir.Void(), x.at[0], w.Int(w.Word(), x.size[0]))
		} else if x.global != nil && len(x.c.goneIn()) > 0 {
			w.out.Assumptions = verdict.AddAssumptions(w.out.Assumptions, verdict.Assume(OldPrefix+x.global.Name, verdict.Start,
				verdict.Chosen, fmt.Sprintf("what only the old version has of %s holds its initial value", x.name)))
		}
		for k := range x.count {
			w.carry(x.c, w.Gep(x.at[0], k*x.size[0], nil, 0), w.Gep(x.at[1], k*x.size[1], nil, 0))
		}
	}
}

// goneIn lists the members that the old version alone has, in all parts.
func (c *common) goneIn() []ir.DField {
	out := c.gone
	for _, p := range c.parts {
		out = append(out[:len(out):len(out)], p.goneIn()...)
	}
	return out
}

// passedBefore are the arguments of the old version's call, in the place of those of the new one.
func (w *pairing) passedBefore(args []ir.Value) []ir.Value {
	if len(w.twins) == 0 && w.j.machines == nil {
		return args
	}
	vars := ir.ParamVars(w.now)
	out := slices.Clone(args)
	for i, p := range w.now.Params {
		if p.T.IsPtr() && vars[i] != nil && p.SRet == nil && p.ByVal == nil && len(w.twins) > 0 {
			out[i] = w.corresponding(vars[i].Name, args[i], vars[i].T)
		}
	}
	w.numbersBefore(args, out)
	return out
}

// compareTwins asserts that twins that may be written hold the same, as far as both versions have it: of any element.
func (w *pairing) compareTwins() {
	for _, x := range w.twins {
		written := w.written.other || x.global != nil && (w.written.globals[x.global] || w.written.globals[w.beforeOf(x.global)])
		if x.steady || !written {
			continue
		}
		name := x.name
		if x.global == nil {
			name += "[]"
		}
		i := w.indexBelow(x.name, x.count)
		w.compareCommon(FactMemory, name, x.c, w.Gep(x.at[1], 0, i, x.size[1]), w.Gep(x.at[0], 0, i, x.size[0]))
	}
}
