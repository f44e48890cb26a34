package ilr

import (
	"fmt"
	"strings"
)

// String prints t as an s-expression; shared subterms are printed once as
// definitions in front, `t12 := (...)`, when they are used more than once and
// are not leaves (LL-82).
func (s *Store) String(t Term) string {
	uses := map[Term]int{}
	var order []Term
	s.Walk([]Term{t}, func(u Term) {
		order = append(order, u)
		for i := 0; i < s.NumArgs(u); i++ {
			uses[s.Arg(u, i)]++
		}
	})
	text := map[Term]string{}
	var b strings.Builder
	for _, u := range order {
		str := s.line(u, text)
		if s.NumArgs(u) > 0 && uses[u] > 1 {
			fmt.Fprintf(&b, "t%d := %s\n", u, str)
			str = fmt.Sprintf("t%d", u)
		}
		text[u] = str
	}
	return b.String() + text[t]
}

func (s *Store) line(u Term, text map[Term]string) string {
	switch s.Kind(u) {
	case KTrue, KFalse:
		return s.Kind(u).String()
	case KVar:
		return s.VarName(u)
	case KConst:
		v, _ := s.ConstVal(u)
		return v.String()
	case KArrTable:
		return fmt.Sprintf("(table of %d bytes)", len(s.TableData(u)))
	}
	parts := []string{s.Kind(u).String()}
	switch s.Kind(u) {
	case KExtract:
		hi, lo := s.bounds(u)
		parts = append(parts, fmt.Sprintf("%d..%d", hi, lo))
	case KZext, KSext:
		parts = append(parts, fmt.Sprint(s.Width(u)))
	}
	for i := 0; i < s.NumArgs(u); i++ {
		parts = append(parts, text[s.Arg(u, i)])
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// Walk visits every term under roots once, arguments before users, without recursion.
func (s *Store) Walk(roots []Term, visit func(Term)) {
	seen := make(terms, s.Len()/pageTerms+1)
	type frame struct {
		t    Term
		next int
	}
	var stack []frame
	for _, r := range roots {
		if !seen.add(r) {
			continue
		}
		stack = append(stack, frame{t: r})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == s.NumArgs(f.t) {
				visit(f.t)
				stack = stack[:len(stack)-1]
				continue
			}
			a := s.Arg(f.t, f.next)
			f.next++
			if seen.add(a) {
				stack = append(stack, frame{t: a})
			}
		}
	}
}

// terms is a set of terms, a bit each, in pages that are made as they are needed: what few terms of a large store
// share costs little.
type terms []*[pageTerms / 64]uint64

const pageTerms = 0x1000

// add puts t in and reports whether it was not in before.
func (ts terms) add(t Term) bool {
	p := ts[t/pageTerms]
	if p == nil {
		p = new([pageTerms / 64]uint64)
		ts[t/pageTerms] = p
	}
	word, bit := &p[t%pageTerms/64], uint64(1)<<(t%64)
	was := *word&bit != 0
	*word |= bit
	return !was
}

// Larger reports whether t has more than most subterms, itself included.
func (s *Store) Larger(t Term, most int) bool {
	seen, todo := map[Term]bool{t: true}, []Term{t}
	for len(todo) > 0 && len(seen) <= most {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := range s.NumArgs(x) {
			if a := s.Arg(x, i); !seen[a] {
				seen[a] = true
				todo = append(todo, a)
			}
		}
	}
	return len(seen) > most
}
