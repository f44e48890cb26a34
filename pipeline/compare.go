package pipeline

import (
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Compare sorts the findings of a change against those of its base, as the bot
// does; a nil base means that nothing is known of it. Both reports are of one target.
func Compare(head, base *verdict.Report) Context {
	known := map[string]string{}
	if base != nil {
		for i := range base.Results {
			r := &base.Results[i]
			for j := range r.Claims {
				if c := &r.Claims[j]; c.Status == verdict.Violated {
					known[reports.Fingerprint(r, c)] = reports.Key(r, c)
				}
			}
		}
	}
	c := classify(head, known, base != nil, nil)
	return Context{States: c.states, Fixed: len(c.fixed), FixedKeys: c.fixed}
}
