package solve

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/bitblast"
)

// sweep finds bits of words in a question that are equal whatever the variables are, as two computations of one result
// have them after each turn of their loops. Candidates agree under 64 models; each is compared with an earlier bit by a
// solver of its own, from the inputs upwards, in few conflicts, and what was proved serves the comparisons after it
// (Kuehlmann and Krohm 1997). Nothing that a question asserts is used: what is equal is so in every question.
type sweep struct {
	s      *ilr.Store
	solver *Own // of comparisons
	random *rand.Rand
	models []ilr.Model // 64
	more   []ilr.Model // that told bits apart which agree under the others; 64 at most
	seen   map[ilr.Term]bool
	edges  map[bitblast.Edge]bool // of the solver, without their signs
	fresh  []*slice               // without values
	todo   []*slice               // to be compared
	slices []*slice               // with values
	alike  map[uint64][]*slice    // by values under models: slices that differ
	equal  []ilr.Term             // equations that were proved and not told yet
	failed int                    // comparisons that were given up
}

// slice is one bit of a word, or its opposite, so that it is 0 under the first model.
type slice struct {
	word     ilr.Term
	bit      int
	opposite bool
	values   [2]uint64 // a bit for each of models, and of more
}

func newSweep(s *ilr.Store, opts Options) *sweep {
	opts = Options{Memory: opts.Memory, Seed: opts.Seed, Conflicts: policy.SweepConflicts,
		Config: map[string]int{"walk": 0, "lucky": 0, "inprocessing": 0}}
	w := &sweep{s: s, solver: NewOwn(s, opts), random: rand.New(rand.NewPCG(uint64(opts.Seed), 0)),
		seen: map[ilr.Term]bool{}, edges: map[bitblast.Edge]bool{}, alike: map[uint64][]*slice{}}
	w.solver.alone = true
	for range 64 {
		w.models = append(w.models, ilr.Model{BV: map[ilr.Term]bits.Vec{}, Arrays: map[ilr.Term]*ilr.ArrayValue{}})
	}
	return w
}

// run compares the bits below roots that are new, until ctx ends or too many comparisons came to nothing. What ctx left
// out comes first the next time.
func (w *sweep) run(ctx context.Context, roots []ilr.Term) {
	w.gather(w.words(roots))
	w.evaluate(ctx)
	for len(w.todo) > 0 && w.failed <= policy.SweepFailures && len(w.more) < 64 && ctx.Err() == nil {
		if !w.place(ctx, w.todo[0]) && ctx.Err() == nil {
			w.failed++
		}
		if ctx.Err() == nil {
			w.todo = w.todo[1:]
		}
	}
}

// words lists the bit-vectors below roots that were not looked at before, arguments before users.
func (w *sweep) words(roots []ilr.Term) []ilr.Term {
	var words []ilr.Term
	w.s.Walk(roots, func(t ilr.Term) {
		if w.seen[t] {
			return
		}
		w.seen[t] = true
		sort := w.s.Sort(t)
		if w.s.Kind(t) == ilr.KVar {
			w.input(t, sort)
		}
		if sort.Kind == ilr.SortBV && w.s.Kind(t) != ilr.KConst {
			words = append(words, t)
		}
	})
	if len(words) > policy.SweepWords {
		return nil
	}
	slices.Sort(words)
	return words
}

// input gives variable t a value in each of the models: any, a small one, few ones.
func (w *sweep) input(t ilr.Term, sort ilr.Sort) {
	for i, m := range w.models {
		v := w.word(max(1, sort.W))
		switch i % 4 {
		case 1:
			v = bits.And(v, bits.New(v.Width(), 15))
		case 2:
			v = bits.And(v, bits.And(w.word(v.Width()), w.word(v.Width())))
		}
		if sort.Kind == ilr.SortArray {
			m.Arrays[t] = &ilr.ArrayValue{Default: v}
		} else {
			m.BV[t] = v
		}
	}
}

// word returns n random bits.
func (w *sweep) word(n int) bits.Vec {
	v := bits.New(min(n, 64), w.random.Uint64())
	for v.Width() < n {
		v = bits.Concat(v, bits.New(min(n-v.Width(), 64), w.random.Uint64()))
	}
	return v
}

// gather makes slices of the bits of words that are not among them yet.
func (w *sweep) gather(words []ilr.Term) {
	for _, t := range words {
		for i, e := range w.solver.b.Bits(t) {
			if e &^= 1; e > bitblast.True && !w.edges[e] {
				w.edges[e] = true
				w.fresh = append(w.fresh, &slice{word: t, bit: i})
			}
		}
	}
}

// evaluate gives the fresh slices their values, unless ctx ends before.
func (w *sweep) evaluate(ctx context.Context) {
	for i, m := range append(slices.Clip(w.models), w.more...) {
		if ctx.Err() != nil {
			return
		}
		w.under(m, i, w.fresh)
	}
	w.slices, w.todo, w.fresh = append(w.slices, w.fresh...), append(w.todo, w.fresh...), nil
}

// under notes the values of slices under m, which is model i: one of the first 64, or of those after them.
func (w *sweep) under(m ilr.Model, i int, of []*slice) {
	e := w.s.NewEvaluator(m, nil)
	for _, x := range of {
		one := e.Value(x.word).Bit(x.bit)
		if i == 0 {
			x.opposite = one
		}
		if one != x.opposite {
			x.values[i/64] |= 1 << (i % 64)
		}
	}
}

// place puts x among the slices that agree with it. It reports false where a comparison was given up.
func (w *sweep) place(ctx context.Context, x *slice) bool {
	if x.values[0] == 0 {
		return true // what is 0 under all models is mostly a comparison that rarely holds
	}
	alike := w.alike[x.values[0]]
	for _, y := range alike {
		if x.values != y.values {
			continue
		}
		equal := w.s.Eq(w.term(x), w.term(y))
		switch a, _ := w.solver.Check(ctx, w.s.Not(equal)); a {
		case Unsat:
			w.solver.b.Assert(equal) // holds of all arrays: the solver need not look at its reads
			w.equal = append(w.equal, equal)
			return true
		case Unknown:
			return false
		case Sat:
			m := w.solver.Model()
			w.under(m, 64+len(w.more), w.slices)
			w.more = append(w.more, m)
			if len(w.more) == 64 {
				return false
			}
		}
	}
	w.alike[x.values[0]] = append(alike, x)
	return true
}

// term returns x as a word of one bit.
func (w *sweep) term(x *slice) ilr.Term {
	t := w.s.Extract(x.word, x.bit, x.bit)
	if x.opposite {
		return w.s.BvNot(t)
	}
	return t
}
