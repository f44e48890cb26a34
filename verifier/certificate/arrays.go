package certificate

import (
	"errors"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

var errLarge = errors.New("the formula is too large to be certified")

// expander writes terms without arrays: each read becomes what the updates of its array make of it, down to elements
// of array variables, which are variables of their own. Equal indices give equal elements (Ackermann 1954): congruences
// lists that for each two reads of one array.
type expander struct {
	s     *ilr.Store
	memo  map[ilr.Term]ilr.Term
	reads map[[2]ilr.Term]ilr.Term
	elems map[ilr.Term][]element // by array variable, in the order of first mention
	order []ilr.Term             // the array variables
}

// element is a variable that stands for an element of an array.
type element struct{ index, value ilr.Term }

func newExpander(s *ilr.Store) *expander {
	return &expander{s: s, memo: map[ilr.Term]ilr.Term{}, reads: map[[2]ilr.Term]ilr.Term{},
		elems: map[ilr.Term][]element{}}
}

// term returns t without arrays. It panics with errLarge if that becomes too large.
func (e *expander) term(t ilr.Term) ilr.Term {
	s := e.s
	s.Walk([]ilr.Term{t}, func(u ilr.Term) {
		if _, done := e.memo[u]; done || s.Sort(u).Kind == ilr.SortArray {
			return
		}
		e.memo[u] = u
		switch {
		case s.Kind(u) == ilr.KSelect:
			e.memo[u] = e.read(s.Arg(u, 0), e.memo[s.Arg(u, 1)])
		case s.NumArgs(u) > 0:
			args := s.Args(nil, u)
			changed := false
			for i, a := range args {
				args[i] = e.memo[a]
				changed = changed || args[i] != a
			}
			if changed {
				e.memo[u] = s.Rebuild(u, args)
			}
		}
	})
	return e.memo[t]
}

// plain returns an index or element of an update without arrays.
func (e *expander) plain(t ilr.Term) ilr.Term {
	if u, ok := e.memo[t]; ok {
		return u
	}
	return e.term(t)
}

// read returns element i, without arrays itself, of array a.
func (e *expander) read(a, i ilr.Term) ilr.Term {
	s := e.s
	key := [2]ilr.Term{a, i}
	if t, ok := e.reads[key]; ok {
		return t
	}
	if s.Len() > policy.QuestionTerms {
		panic(errLarge)
	}
	arg := func(n int) ilr.Term { return e.plain(s.Arg(a, n)) }
	rest := func() ilr.Term { return e.read(s.Arg(a, 0), i) }
	var t ilr.Term
	switch s.Kind(a) {
	case ilr.KVar:
		t = s.Fresh("element", ilr.BV(s.Width(a)))
		if e.elems[a] == nil {
			e.order = append(e.order, a)
		}
		e.elems[a] = append(e.elems[a], element{i, t})
	case ilr.KArrConst:
		t = arg(0)
	case ilr.KArrTable:
		t = s.TableRead(s.TableData(a), i)
	case ilr.KIte:
		t = s.Ite(arg(0), e.read(s.Arg(a, 1), i), e.read(s.Arg(a, 2), i))
	case ilr.KStore:
		t = e.at(i, arg(1), arg(2), rest)
	case ilr.KArrSet:
		t = s.Ite(s.Ult(s.Sub(i, arg(1)), arg(2)), arg(3), rest())
	case ilr.KArrCopy:
		d := s.Sub(i, arg(1))
		t = s.Ite(s.Ult(d, arg(4)), e.read(s.Arg(a, 2), s.Add(d, arg(3))), rest())
	default:
		panic("certificate: no reading of " + s.Kind(a).String())
	}
	e.reads[key] = t
	return t
}

// at returns v where i is j, and rest elsewhere.
func (e *expander) at(i, j, v ilr.Term, rest func() ilr.Term) ilr.Term {
	switch same := e.s.Eq(i, j); {
	case e.s.IsTrue(same):
		return v
	case e.s.IsFalse(same):
		return rest()
	default:
		return e.s.Ite(same, v, rest())
	}
}

// congruences lists the facts that make the elements those of arrays. It panics with errLarge if there are too many.
func (e *expander) congruences() []ilr.Term {
	s := e.s
	var out []ilr.Term
	for _, a := range e.order {
		list := e.elems[a]
		for n, x := range list {
			for _, y := range list[:n] {
				if s.Len() > policy.QuestionTerms {
					panic(errLarge)
				}
				if same := s.Eq(x.index, y.index); !s.IsFalse(same) {
					out = append(out, s.Implies(same, s.Eq(x.value, y.value)))
				}
			}
		}
	}
	return out
}
