package smtlib

import (
	"errors"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// eliminator expands reads of arrays that hold a range write or copy, by the
// equations of the array kinds, because SMT-LIB has none such, and reads of small
// tables, because solvers are slow on long chains of stores.
type eliminator struct {
	s      *ilr.Store
	memo   map[ilr.Term]ilr.Term
	reads  map[[2]ilr.Term]ilr.Term
	ranged map[ilr.Term]bool // array terms with a range write below
}

func newEliminator(s *ilr.Store) *eliminator {
	return &eliminator{s: s, memo: map[ilr.Term]ilr.Term{}, reads: map[[2]ilr.Term]ilr.Term{},
		ranged: map[ilr.Term]bool{}}
}

// terms returns ts without range writes; an error where that makes too many reads.
func (e *eliminator) terms(ts []ilr.Term) ([]ilr.Term, error) {
	s := e.s
	s.Walk(ts, func(u ilr.Term) {
		if _, ok := e.memo[u]; ok || len(e.reads) > policy.ExpandedReads {
			return
		}
		if s.Sort(u).Kind == ilr.SortArray {
			ranged := s.Kind(u) == ilr.KArrSet || s.Kind(u) == ilr.KArrCopy || s.Kind(u) == ilr.KArrTable &&
				len(s.TableData(u)) <= policy.MuxElements
			for i := 0; i < s.NumArgs(u); i++ {
				ranged = ranged || e.ranged[s.Arg(u, i)]
			}
			e.ranged[u] = ranged
		}
		if s.NumArgs(u) == 0 || e.ranged[u] {
			e.memo[u] = u
			return
		}
		if s.Kind(u) == ilr.KSelect && e.ranged[s.Arg(u, 0)] {
			e.memo[u] = e.read(s.Arg(u, 0), e.memo[s.Arg(u, 1)])
			return
		}
		args := s.Args(nil, u)
		changed := false
		for i, a := range args {
			args[i] = e.memo[a]
			changed = changed || args[i] != a
		}
		e.memo[u] = u
		if changed {
			e.memo[u] = s.Rebuild(u, args)
		}
	})
	if len(e.reads) > policy.ExpandedReads {
		return nil, errors.New("reads of arrays are too many to be written without range writes")
	}
	out := make([]ilr.Term, len(ts))
	for i, t := range ts {
		out[i] = e.memo[t]
	}
	return out, nil
}

// read returns element i, free of range writes itself, of array a.
func (e *eliminator) read(a, i ilr.Term) ilr.Term {
	s := e.s
	if !e.ranged[a] {
		return s.Select(e.memo[a], i)
	}
	key := [2]ilr.Term{a, i}
	if t, ok := e.reads[key]; ok {
		return t
	}
	if len(e.reads) > policy.ExpandedReads {
		return s.Select(a, i)
	}
	arg := func(n int) ilr.Term { return e.memo[s.Arg(a, n)] }
	rest := func() ilr.Term { return e.read(s.Arg(a, 0), i) }
	var t ilr.Term
	switch s.Kind(a) {
	case ilr.KIte:
		t = s.Ite(arg(0), e.read(s.Arg(a, 1), i), e.read(s.Arg(a, 2), i))
	case ilr.KStore:
		t = s.Ite(s.Eq(i, arg(1)), arg(2), rest())
	case ilr.KArrTable:
		t = s.TableRead(s.TableData(a), i)
	case ilr.KArrSet:
		t = s.Ite(s.Ult(s.Sub(i, arg(1)), arg(2)), arg(3), rest())
	case ilr.KArrCopy:
		d := s.Sub(i, arg(1))
		t = s.Ite(s.Ult(d, arg(4)), e.read(s.Arg(a, 2), s.Add(d, arg(3))), rest())
	}
	e.reads[key] = t
	return t
}
