package frontend

import (
	"fmt"
	"maps"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
)

// The value of a pointer is indeterminate from the end of its object's life on (C17 6.2.4p2), also where it is compared
// alone. Machines leave it as it was, and compilers may take it for another: gcc and clang say that the result of malloc
// is no pointer that there was before, and gcc that a function which gives the address of a local gives null. What a
// comparison of such a value decides rests on the compiler's not using that.
//
// Followed is where a pointer was read from, as a text (key.go says how), along the control flow of each function: what
// is freed there, or in what it calls, until the place is written. That two texts name one place is seen where one
// was copied to the other.

const (
	afterFree = "the compiler leaves the value of a pointer to what was freed as it was, which C does not promise " +
		"(C17 6.2.4p2)"
	afterReturn = "the compiler leaves the address of a local that ends here as it is, which C does not promise " +
		"(C17 6.2.4p2); gcc makes it null"
)

// dangling notes what is decided by pointers whose object is gone.
func (t *translator) dangling() {
	d := &dangling{of: map[*ir.Func]*departed{}, uses: map[*ir.Instr]string{}}
	for range policy.FreedRounds {
		d.news = false
		clear(d.uses) // rounds before did not know all that is called
		for _, f := range t.m.Funcs {
			if !f.IsDecl() && !f.Pos.InLibrary() {
				d.function(f)
			}
		}
		if !d.news {
			break
		}
	}
	for _, f := range t.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if what := d.uses[in]; what != "" && in.Pos != nil {
					chosenFor(f, in, fmt.Sprintf("%s:%d: %s", in.Pos.File, in.Pos.Line, what))
				}
			}
		}
	}
}

// dangling is what is known of the functions of a program.
type dangling struct {
	of   map[*ir.Func]*departed
	uses map[*ir.Instr]string // that compare such a pointer, turn it into a number, or give it back, and what is assumed
	news bool
}

// departed is what callers have to know of a function, by keys that begin at parameters and globals.
type departed struct {
	freed  map[string]bool        // at its end, if it comes to one
	writes bool                   // pointers in memory that is not its own
	looks  map[string][]*ir.Instr // at pointers that it was given
}

// gone is what is known at a place in a function: what some way there may have done, or all of them did.
type gone struct {
	freed   map[string]string // keys of pointers, and behind realloc the key of its result: null says that it is alive
	copies  [][2]string       // on every way
	written map[string]bool   // on every way
}

func (g *gone) clone() *gone {
	return &gone{maps.Clone(g.freed), slices.Clone(g.copies), maps.Clone(g.written)}
}

// join adds another way; it reports whether that is news.
func (g *gone) join(o *gone) bool {
	n, m, w := len(g.freed), len(g.copies), len(g.written)
	news := false
	for k, guard := range o.freed {
		if was, ok := g.freed[k]; !ok || was != guard && was != "" {
			if ok {
				guard = ""
			}
			g.freed[k], news = guard, true
		}
	}
	g.copies = slices.DeleteFunc(g.copies, func(c [2]string) bool { return !slices.Contains(o.copies, c) })
	maps.DeleteFunc(g.written, func(k string, _ bool) bool { return !o.written[k] })
	return news || n != len(g.freed) || m != len(g.copies) || w != len(g.written)
}

// function follows f once.
func (d *dangling) function(f *ir.Func) {
	x := &freedIn{dangling: d, locals: map[string]bool{}, out: &departed{freed: map[string]bool{},
		looks: map[string][]*ir.Instr{}}}
	escapes := ir.Escapes(f)
	for _, in := range f.Blocks[0].Instrs {
		if in.Op == ir.OpAlloca {
			x.locals[read(key(in))] = escapes[in]
		}
	}
	at := make([]*gone, len(f.Blocks))
	at[0] = &gone{map[string]string{}, nil, map[string]bool{}}
	visits := 0
	for todo := []*ir.Block{f.Blocks[0]}; len(todo) > 0; {
		b := todo[0]
		todo = todo[1:]
		if visits++; visits > policy.FreedVisits*len(f.Blocks) {
			break
		}
		x.gone = at[b.Index].clone()
		for _, in := range b.Instrs {
			x.instr(in)
		}
		for i, next := range b.Succs() {
			way := x.edge(b.Term(), i)
			if at[next.Index] == nil {
				at[next.Index] = way
			} else if !at[next.Index].join(way) {
				continue
			}
			todo = append(todo, next)
		}
	}
	was := d.of[f]
	d.news = d.news || was == nil || len(was.freed) != len(x.out.freed) || len(was.looks) != len(x.out.looks) ||
		was.writes != x.out.writes
	d.of[f] = x.out
}
