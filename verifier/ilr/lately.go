package ilr

import "github.com/firmproof/firmproof/verifier/policy"

// lately holds what the simplifier made of terms that were asked for not long ago. Rules that go down into arguments
// (an extraction out of a choice, a choice out of a sum) meet what is shared once for each way that leads to it, and
// find it here. One place for each hash; the later term has it. The zero lately is empty.
type lately struct {
	entries []entry // a power of two, or none where few terms were asked for
	asked   int
}

// entry is one term that was asked for, and what the simplifier answered: 0 for a term that stays as it is.
type entry struct {
	asked  node
	answer Term
}

// count notes that one more term is asked for; places become more with them, and begin empty.
func (l *lately) count() {
	l.asked++
	if l.asked&(l.asked-1) == 0 && l.asked >= policy.LatelyFrom && l.asked <= policy.LatelyMost {
		l.entries = make([]entry, l.asked)
	}
}

// at returns the place for hash h, or nil.
func (l *lately) at(h uint64) *entry {
	if len(l.entries) == 0 {
		return nil
	}
	return &l.entries[h&uint64(len(l.entries)-1)]
}

// simplified returns what the simplifier makes of the term with hash h, which it is asked for unless it was lately.
func (s *Store) simplified(h uint64, k Kind, sort Sort, imm uint64, args []Term) Term {
	s.lately.count()
	if len(args) > 3 || len(args) == 0 {
		return s.simp.Simplify(s, k, sort, imm, args)
	}
	n := nodeOf(k, sort, imm, args)
	if e := s.lately.at(h); e != nil && e.asked == n {
		return e.answer
	}
	t := s.simp.Simplify(s, k, sort, imm, args)
	// the simplifier may have asked for more, so that the places moved
	if e := s.lately.at(h); e != nil {
		*e = entry{n, t}
	}
	return t
}

// nodeOf returns the node of a term with at most three arguments.
func nodeOf(k Kind, sort Sort, imm uint64, args []Term) node {
	n := node{kind: k, sort: sort.Kind, n: uint8(len(args)), idx: uint8(sort.Idx), w: uint32(sort.W), imm: imm}
	for i, p := range []*Term{&n.a, &n.b, &n.c}[:len(args)] {
		*p = args[i]
	}
	return n
}
