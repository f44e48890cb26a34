package solve

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// run is a chain of stores at constant indices: a table whose elements are terms. A
// read of it at an unknown index is a multiplexer over the bits of the index, stated a
// block of indices at a time, instead of a comparison for each store.
type run struct {
	base   ilr.Term                     // below the stores
	elems  map[uint64]ilr.Term          // by index: the last store there
	blocks []uint64                     // that have stores, ascending
	done   map[ilr.Term]map[uint64]bool // by index term: blocks stated
	lemmas map[ilr.Term][]ilr.Term      // by select: what was stated
}

func newRun(base ilr.Term) *run {
	return &run{base: base, elems: map[uint64]ilr.Term{}, done: map[ilr.Term]map[uint64]bool{},
		lemmas: map[ilr.Term][]ilr.Term{}}
}

// index lists the blocks of the elements.
func (r *run) index() {
	for u := range r.elems {
		r.blocks = append(r.blocks, u>>policy.TableIndexBits)
	}
	slices.Sort(r.blocks)
	r.blocks = slices.Compact(r.blocks)
}

// runOf returns the run of stores that ends in arr, or nil.
func (a *arrays) runOf(arr ilr.Term) *run {
	if r, ok := a.runs[arr]; ok {
		return r
	}
	r := newRun(arr)
	for n := 0; n < policy.TableMost && a.s.Kind(r.base) == ilr.KStore; n++ {
		v, ok := a.s.ConstVal(a.s.Arg(r.base, 1))
		if !ok || v.Width() > 64 {
			break
		}
		if u := v.Low64(); r.elems[u] == 0 {
			r.elems[u] = a.s.Arg(r.base, 2)
		}
		r.base = a.s.Arg(r.base, 0)
	}
	if len(r.elems) < policy.TableLeast {
		a.runs[arr] = nil
		return nil
	}
	r.index()
	a.runs[arr] = r
	return r
}

// at returns the element at index i, 0 if no store of the run is there.
func (r *run) at(i bits.Vec) ilr.Term { return r.elems[i.Low64()] }

// expandRun states what select t of run r is if its index lies in the block of v: a
// multiplexer, or, for all indices in no block with stores, the read of the base.
func (a *arrays) expandRun(t ilr.Term, r *run, v uint64) {
	s, i := a.s, a.s.Arg(t, 1)
	w := s.Width(i)
	done := r.done[i]
	if done == nil {
		done = map[uint64]bool{}
		r.done[i] = done
	}
	block := v >> policy.TableIndexBits
	_, inside := slices.BinarySearch(r.blocks, block)
	key := block
	if !inside {
		key = ^uint64(0) // no block: it has more than 64-policy.TableIndexBits bits
	}
	if done[key] {
		return
	}
	done[key] = true
	low := min(policy.TableIndexBits, w)
	in := func(b uint64) ilr.Term {
		if w <= policy.TableIndexBits {
			return s.True()
		}
		return s.Eq(s.Extract(i, w-1, low), s.Const(bits.New(w-low, b)))
	}
	var lemma ilr.Term
	if inside {
		lemma = s.Implies(in(block), s.Eq(t, a.mux(r, i, block<<policy.TableIndexBits, low)))
	} else {
		some := make([]ilr.Term, 0, len(r.blocks)+1)
		for _, b := range r.blocks {
			some = append(some, in(b))
		}
		lemma = s.Or(append(some, s.Eq(t, s.Select(r.base, i)))...)
	}
	r.lemmas[t] = append(r.lemmas[t], lemma)
	a.lemma(lemma)
}

// mux chooses among elements from ... from+2^n-1 by the low n bits of i.
func (a *arrays) mux(r *run, i ilr.Term, from uint64, n int) ilr.Term {
	if n == 0 {
		if e := r.elems[from]; e != 0 {
			return e
		}
		return a.s.Select(r.base, i)
	}
	n--
	hi, lo := a.mux(r, i, from+1<<uint(n), n), a.mux(r, i, from, n)
	return a.s.Ite(a.s.Eq(a.s.Extract(i, n, n), a.s.Int(1, 1)), hi, lo)
}

// expandBlocks states up to n elements of the run for select t; it returns how many.
func (a *arrays) expandBlocks(t ilr.Term, r *run, n int) int {
	left := n
	for _, b := range r.blocks {
		if left <= 0 {
			break
		}
		before := a.added
		a.expandRun(t, r, b<<policy.TableIndexBits)
		if a.added > before {
			left -= 1 << policy.TableIndexBits
		}
	}
	return n - left
}
