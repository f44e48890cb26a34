package rewrite

import "github.com/firmproof/firmproof/verifier/ilr"

// RuleNames lists the generated rules in order.
func RuleNames() []string {
	var names []string
	for _, r := range ruleTable() {
		names = append(names, r.name)
	}
	return names
}

// ApplyRule tries rule i alone on the term of kind k with these arguments.
func ApplyRule(s *ilr.Store, i int, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	m := &match{s: s, r: New(), sort: sort, hi: int(imm >> 32), lo: int(uint32(imm))}
	return ruleTable()[i].apply(m, args)
}

// RuleKind returns the root of rule i.
func RuleKind(i int) ilr.Kind { return ruleTable()[i].kind }

// FactOf returns what is known of t: masks of bits that are 0 and 1, and the range; known
// is false where nothing is computed.
func FactOf(s *ilr.Store, t ilr.Term) (zero, one, lo, hi uint64, known bool) {
	f := New().facts.of(s, t)
	return f.zero, f.one, f.lo, f.hi, f.w != 0
}

// FactUnder returns what is known of t where c is v.
func FactUnder(s *ilr.Store, c ilr.Term, v bool, t ilr.Term) (zero, one, lo, hi uint64, known bool) {
	r := New()
	f := r.facts.under(s, c, v, t, factDepth)
	return f.zero, f.one, f.lo, f.hi, f.w != 0
}

// SignedRange bounds t as a signed number.
func SignedRange(s *ilr.Store, t ilr.Term) (lo, hi int64, known bool) {
	m := match{s: s, r: New()}
	return m.signedRange(t, 6)
}

// DecideByFacts decides a predicate by what is known of its arguments.
func DecideByFacts(s *ilr.Store, k ilr.Kind, args []ilr.Term) (v, known bool) {
	m := match{s: s, r: New()}
	return m.decide(k, args, m.r.facts.of(s, args[0]), m.r.facts.of(s, args[1]))
}
