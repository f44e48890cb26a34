// Package flow follows data and control through a program. It reads ir alone, decides nothing by solving, and errs on
// the side of saying more.
//
// Rests tells which assumptions (ir.Instr.Assumes) a claim rests on: whether an execution in which one of them does not
// hold could come to the claim, or see other values there, than all those in which it does. For that it follows
//
//	values     from where an assumption brings them in, through arithmetic, memory, arguments and results
//	control    to all that a branch on such a value decides: blocks, what they store, values that meet behind them, and
//	           what is executed only where a loop, a call or an assume comes to its end
//	addresses  to the objects that they may lead into: an assumption about how much there is counts for each access
//	null       where an address goes that is taken not to be null: that counts once somebody asks (null.go)
//
// A branch to a claim of the program (a trap of the compiler, a failed assertion) decides nothing for the rest if the
// claim holds: executions that fail there have their own claim.
package flow

import (
	"math/bits"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Rests is which assumptions the instructions of a program rest on.
type Rests struct {
	ids    []string
	bit    map[string]int
	layout *ir.Layout

	values  map[ir.Value]*value
	results map[*ir.Func]*value
	objects map[any]*object // by allocation (*ir.Instr), *ir.Global, *ir.Func, addressSpace, or further
	funcs   map[*ir.Func]*function
	own     map[*ir.Func]set   // see Question
	targets map[int][]*ir.Func // functions whose address is taken, by number of parameters; under variadic those that take further ones

	order          set                       // of what the order of blocks decides
	differ         set                       // of what the addresses of symbols decide
	apart          set                       // assumptions that objects do not overlap
	mapped         set                       // those that something is at an address
	still          set                       // those that nothing else changes them
	nonnull, asked set                       // those that an address is not null, and of these the ones that the program asks about
	settled        set                       // of these, too, those that an assertion at a head says
	askers         map[int]map[*ir.Func]bool // by question: the functions that ask
	asking         bool                      // questions count: what is settled is known
	heads          map[*ir.Instr]bool        // see Question
	written, freed map[int]map[*object]bool  // by those, the objects that the program changes, or ends the life of
	world          set                       // of all that is in memory
	stray          set                       // of what is stored where it is not known
	driving        bool                      // the function that is looked at is the driver's
	fresh          func(*ir.Instr) bool      // see Question

	changed bool
}

// Question is what Follow works on.
type Question struct {
	Module  *ir.Module
	IDs     []string                // the assumptions to follow
	Starts  map[*ir.Global]string   // those of them that are about the initial values of variables
	Apart   map[string]bool         // those that say that the allocations which bring them do not overlap
	Around  map[*ir.Global][]string // those of them that are about a variable as well
	Quiet   map[*ir.Global][]string // those that say that nothing else changes a variable while code reads it
	Still   map[string]bool         // those that say so of the allocations which bring them
	Own     map[*ir.Func][]string   // those that say that a function does what its code does, which another may replace
	Mapped  map[string]bool         // those that say that something is at an address which an access is of
	Nonnull map[string]bool         // those that say that an address is not null
	Heads   map[*ir.Instr]bool      // failures of assertions at heads of functions, to which the driver keeps
	Differ  string                  // the one that symbols which the linker provides have different addresses; empty: none
	Order   string                  // the one that is about how blocks of a harness stand to each other; empty: none
	Holds   func(*ir.Instr) bool    // reports the traps and failed assertions whose claims hold
	Fresh   func(*ir.Instr) bool    // reports reads of volatile numbers that give any value each time; may be nil
}

// variadic stands for any number of parameters.
const variadic int = -1

// addressSpace is the object of addresses that the program computes from constants.
type addressSpace struct{}

// Follow works out what each instruction of a program rests on.
func Follow(q Question) *Rests {
	m, ids := q.Module, q.IDs
	none := func() set { return newSet(len(ids)) }
	r := &Rests{ids: ids, layout: &m.Layout, bit: map[string]int{}, values: map[ir.Value]*value{}, results: map[*ir.Func]*value{},
		objects: map[any]*object{}, funcs: map[*ir.Func]*function{}, own: map[*ir.Func]set{}, targets: map[int][]*ir.Func{},
		order: none(), differ: none(), apart: none(), mapped: none(), still: none(), nonnull: none(), asked: none(),
		settled: none(), askers: map[int]map[*ir.Func]bool{}, heads: q.Heads, world: none(), stray: none(), fresh: q.Fresh,
		written: map[int]map[*object]bool{}, freed: map[int]map[*object]bool{}}
	if r.fresh == nil {
		r.fresh = func(*ir.Instr) bool { return false }
	}
	for i, id := range ids {
		if r.bit[id] = i; q.Apart[id] {
			r.apart.add(i)
			r.written[i], r.freed[i] = map[*object]bool{}, map[*object]bool{}
		}
		if q.Still[id] {
			r.still.add(i)
		}
		if q.Mapped[id] {
			r.mapped.add(i)
		}
		if q.Nonnull[id] {
			r.nonnull.add(i)
		}
	}
	if i, ok := r.bit[q.Order]; ok {
		r.order.add(i)
	}
	if i, ok := r.bit[q.Differ]; ok {
		r.differ.add(i)
	}
	for f, list := range q.Own {
		r.own[f] = newSet(len(ids))
		for _, id := range list {
			r.own[f].add(r.bit[id])
		}
	}
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		r.funcs[f] = r.shapeOf(f, q.Holds)
		if n := len(f.Params); f.Addr {
			if f.Variadic {
				n = variadic
			}
			r.targets[n] = append(r.targets[n], f)
		}
	}
	for _, g := range m.Globals {
		r.object(g).symbol = g.Extern
		r.initial(r.object(g), g.Init, 0, &m.Layout)
		if id := q.Starts[g]; id != "" {
			r.object(g).at(everywhere).tags.add(r.bit[id])
			r.world.add(r.bit[id])
		}
		for _, id := range q.Around[g] {
			r.object(g).apart.add(r.bit[id])
		}
		for _, id := range q.Quiet[g] {
			r.object(g).quiet.add(r.bit[id])
		}
	}
	for r.changed = true; r.changed || !r.asking; {
		r.asking = r.asking || !r.changed
		r.changed = false
		for _, f := range m.Funcs {
			if x := r.funcs[f]; x != nil {
				r.function(x)
			}
		}
	}
	return r
}

// initial notes the addresses that an initialiser puts off bytes into an object.
func (r *Rests) initial(o *object, c *ir.Const, off int64, l *ir.Layout) {
	if c == nil {
		return
	}
	if c.Kind == ir.ConstAddr || c.Kind == ir.ConstAddrInt || c.Kind == ir.ConstInt && c.T.IsPtr() {
		r.changed = o.at(span{off, off + l.SizeOf(c.T)}).join(r.of(c)) || r.changed
	}
	for i, e := range c.Elems {
		at := off
		switch {
		case c.T.Kind == ir.KindStruct:
			at += l.FieldOffset(c.T, i)
		case e.T != nil:
			at += int64(i) * l.SizeOf(e.T)
		}
		r.initial(o, e, at, l)
	}
}

// At lists the assumptions that a claim of an instruction rests on, in the order of ids. contents: it is about what is
// read.
func (r *Rests) At(in *ir.Instr, contents bool) []string {
	f := r.funcs[in.Block.Func]
	if f == nil {
		return r.ids
	}
	r.driving = f.Made || f.Driven()
	all := newSet(len(r.ids))
	all.or(f.control(in))
	for _, a := range in.Args {
		v := r.of(a)
		all.or(v.tags)
		if in.Op == ir.OpStore && a == in.Args[0] || in.Op == ir.OpRet {
			continue
		}
		all.or(r.presumed(f, in, v))
		for _, to := range v.points {
			all.or(to.object.extent)
			all.or(to.object.freed)
			all.or(r.besides(to.object, r.freed))
		}
	}
	if in.Op == ir.OpLoad && contents && !r.any(in) {
		all.or(r.load(r.of(in.Args[0]), sizeOf(in.Access)).tags)
	}
	if in.Op == ir.OpCall {
		all.or(r.of(in.Callee).tags)
		all.or(r.presumed(f, in, r.of(in.Callee)))
	}
	for i, w := range r.followed(in) {
		all[i] |= w & r.mapped[i]
	}
	if r.driving { // its code comes before what is done to blocks
		for i := range all {
			all[i] &^= r.apart[i]
		}
	}
	return r.names(all)
}

// Operands lists those of them that the values rest on which decide whether the instruction fails, once control comes
// to it. What fails whenever control comes there is decided by that.
func (r *Rests) Operands(in *ir.Instr) []string {
	all := newSet(len(r.ids))
	from := []*ir.Instr{in}
	if in.AlwaysFails() {
		from = nil
		for _, p := range in.Block.Preds {
			from = append(from, p.Term())
			if f := r.funcs[p.Func]; f != nil {
				all.or(f.control(p.Term()))
			}
		}
	}
	for _, x := range from {
		for _, a := range x.Args {
			all.or(r.of(a).tags)
		}
	}
	return r.names(all)
}

// Nowhere reports that the address which a load or store accesses is a number, by all that is known: nothing that the
// program has is led to by it.
func (r *Rests) Nowhere(in *ir.Instr) bool {
	return (in.Op == ir.OpLoad || in.Op == ir.OpStore) && len(r.of(in.Args[len(in.Args)-1]).points) == 0
}

// Extents lists those of them that say how much there is where the addresses lead that an instruction accesses.
func (r *Rests) Extents(in *ir.Instr) []string {
	all := newSet(len(r.ids))
	for i, a := range in.Args {
		if in.Op == ir.OpStore && i == 0 {
			continue
		}
		for _, to := range r.of(a).points {
			all.or(to.object.extent)
		}
	}
	return r.names(all)
}

func (r *Rests) names(s set) []string {
	var out []string
	for i, id := range r.ids {
		if s.has(i) {
			out = append(out, id)
		}
	}
	return out
}

// set is a set of assumptions, by their numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// or adds what t holds; it reports whether that is news.
func (s set) or(t set) bool {
	news := false
	for i, w := range t {
		news = news || w&^s[i] != 0
		s[i] |= w
	}
	return news
}

// one reports whether s holds a single assumption.
func (s set) one() bool {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n == 1
}

// followed returns the assumptions that in brings and that are followed.
func (r *Rests) followed(in *ir.Instr) set {
	s := newSet(len(r.ids))
	for _, id := range in.Assumes {
		if i, ok := r.bit[id]; ok && !r.nonnull.has(i) {
			s.add(i)
		}
	}
	return s
}

// called lists the functions with a body that a call may be of.
func (r *Rests) called(in *ir.Instr) []*ir.Func {
	if c, ok := in.Callee.(*ir.Const); ok {
		if c.Func == nil || c.Func.IsDecl() {
			return nil
		}
		return []*ir.Func{c.Func}
	}
	return slices.Concat(r.targets[len(in.Args)], r.targets[variadic])
}
