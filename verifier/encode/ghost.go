package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
)

// The ghost index (Formula.Ghost) stands for any index: what is shown of the element that it names holds of all.

// ViolationAtGhost returns the condition that c is violated and the ghost index is that of one of the last reads of
// arrays before it, at most so many. An invariant about a cell holds for every index, so it is enough to refute the violation
// for one that the execution chooses. Without a ghost it is c.Violated.
func (f *Formula) ViolationAtGhost(c *Claim, reads int) ilr.Term {
	s := f.Store
	if f.Ghost == 0 || s.IsFalse(c.Violated) {
		return c.Violated
	}
	choice := s.True()
	for _, r := range f.Reads[max(0, c.Reads-reads):c.Reads] {
		choice = s.Ite(r.Guard, s.Eq(f.Ghost, r.Index), choice)
	}
	return s.And(c.Violated, choice)
}

// AtReads returns instances of t, which holds whatever the ghost index is: one for each of the last indices that the
// program reads arrays at, at most so many, and where neighbours are spoken of one for the next index.
func (f *Formula) AtReads(t ilr.Term, most int) []ilr.Term {
	if f.Ghost == 0 {
		return nil
	}
	s := f.Store
	var out []ilr.Term
	seen := map[ilr.Term]bool{f.Ghost: true}
	at := func(k ilr.Term) {
		if u := f.atIndex(k).In(t); u != t { // else it does not speak of elements
			out = append(out, s.Implies(s.Sle(s.Int(s.Width(k), 0), k), u))
		}
	}
	if f.Neighbours {
		at(s.Add(f.Ghost, s.Int(s.Width(f.Ghost), 1)))
	}
	for i := len(f.Reads) - 1; i >= 0 && len(seen) <= most; i-- {
		k := f.Reads[i].Index
		if seen[k] {
			continue
		}
		seen[k] = true
		at(k)
	}
	return out
}

// atIndex puts k in the place of the ghost index.
func (f *Formula) atIndex(k ilr.Term) *ilr.Replacer {
	if f.replacers == nil {
		f.replacers = map[ilr.Term]*ilr.Replacer{}
	}
	r := f.replacers[k]
	if r == nil {
		r = f.Store.Replacer(f.Ghost, k)
		f.replacers[k] = r
	}
	return r
}

// ghostName returns what people read for the ghost index: no variable of the program has that name.
func (e *encoder) ghostName() string {
	if e.cutter.ghost != "" {
		return e.cutter.ghost
	}
	taken := map[string]bool{}
	for _, g := range e.m.Globals {
		taken[g.Name] = true
	}
	for _, f := range e.m.Funcs {
		for _, v := range f.Vars {
			taken[v.Name] = true
		}
		for _, p := range f.Params {
			taken[p.Name] = true
		}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				taken[in.Name] = true
			}
		}
	}
	names := []string{"k", "j", "m", "n", "i", "x"}
	k := slices.IndexFunc(names, func(n string) bool { return !taken[n] })
	for e.cutter.ghost = "k"; k < 0 && taken[e.cutter.ghost]; {
		e.cutter.ghost += "_"
	}
	if k >= 0 {
		e.cutter.ghost = names[k]
	}
	return e.cutter.ghost
}

// cellName returns what people read for the element of o that the ghost index names.
func (e *encoder) cellName(o *memory.Object) string {
	return fmt.Sprintf("%s[%s]", arrayName(o), e.ghostName())
}
