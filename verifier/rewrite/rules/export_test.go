package rules

import (
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/rewrite/facts"
)

// Names lists the generated rules in order.
func Names() []string {
	var names []string
	for _, r := range ruleTable() {
		names = append(names, r.name)
	}
	return names
}

// ApplyRule tries rule i alone on a term with these arguments.
func ApplyRule(s *ilr.Store, i int, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	m := &match{s: s, facts: new(facts.Table), sort: sort, hi: int(imm >> 32), lo: int(uint32(imm))}
	return ruleTable()[i].apply(m, args)
}
