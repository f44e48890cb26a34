package encode

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode/memory"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Lemmas about neighbours, such as that an array is sorted, speak of the element behind the one that the ghost index
// names. It is a number of headers where the program reads the array at two places that differ by a constant.

// nexts returns the elements behind those that the ghost index names, and, where there are any, the numbers that loops
// around that of a count with.
func (e *encoder) nexts(fr *frame, a *arrival, entry, st *memory.State) []*cutVar {
	var out []*cutVar
	for i, v := range a.vars {
		if v.of == nil || !e.cutter.pairs[e.cutter.keys[v.of]] {
			continue
		}
		o, n, k := v.of, e.cutter.cells[v.of], e.s.Add(e.f.Ghost, e.s.Int(e.w, 1))
		read := func(st *memory.State) ilr.Term { return e.ghostPart(o, st, k, n, int(8*n), e.Num) }
		out = append(out, &cutVar{name: fmt.Sprintf("%s[%s + 1]", arrayName(o), e.ghostName()), entry: read(entry),
			head: read(st), cell: true, next: i + 1, at: func(in edge) ilr.Term { return read(in.st) }})
	}
	if len(out) > 0 {
		e.f.Neighbours = true
		out = append(out, e.around(fr, a)...)
	}
	return out
}

// around returns the numbers that the loops around that of a count with, where a does not have them.
func (e *encoder) around(fr *frame, a *arrival) []*cutVar {
	var out []*cutVar
	for _, l := range fr.g.Loops {
		b := fr.cuts[l]
		if a.loop == nil || b == nil || b == a || !fr.g.In(a.loop.Header, l) {
			continue
		}
		for _, v := range b.vars {
			t := v.head
			same := func(x *cutVar) bool { return x.head == t }
			if v.moves && !v.cell && !v.mask && !v.offset && !v.ghost && e.s.Width(t) >= 8 &&
				!slices.ContainsFunc(a.vars, same) && !slices.ContainsFunc(out, same) {
				out = append(out, &cutVar{name: v.name, entry: t, head: t, outer: true, from: v.from,
					at: func(edge) ilr.Term { return t }})
			}
		}
	}
	return out
}

// notePair notes that an array is read at two places that differ by a constant.
func (e *encoder) notePair(t target) {
	key := e.cutter.keys[t.obj]
	if _, known := e.ConstOf(t.off); known || t.obj == nil || key == "" || e.cutter.pairs[key] {
		return
	}
	stem, stems := e.stem(t.off), e.cutter.stems[t.obj]
	for _, other := range stems {
		if other != t.off && e.stem(other) == stem {
			e.cutter.pairs[key], e.cutter.grown = true, true
			return
		}
	}
	if len(stems) < policy.CutStems {
		e.cutter.stems[t.obj] = append(stems, t.off)
	}
}

// stem returns t without the constants that it is extended, multiplied and added with.
func (e *encoder) stem(t ilr.Term) ilr.Term {
	for {
		switch e.s.Kind(t) {
		case ilr.KSext, ilr.KZext, ilr.KExtract:
			t = e.s.Arg(t, 0)
			continue
		case ilr.KAdd, ilr.KMul:
			if _, known := e.s.ConstVal(e.s.Arg(t, 0)); known {
				t = e.s.Arg(t, 1)
				continue
			}
			if _, known := e.s.ConstVal(e.s.Arg(t, 1)); known {
				t = e.s.Arg(t, 0)
				continue
			}
		}
		return t
	}
}
