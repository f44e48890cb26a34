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

// RuleKind is the root of rule i.
func RuleKind(i int) ilr.Kind { return ruleTable()[i].kind }
