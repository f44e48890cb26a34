package linear

import (
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
)

// cache remembers answers by question. Variables count by where they first occur:
// states that differ in nothing but the names of their numbers share answers.
type cache map[string]Status

// question is the key of rows and goal; goal may be nil.
func question(rows []Row, goal *exact.Lin) string {
	var b strings.Builder
	names := map[exact.Var]byte{}
	wide := false
	put := func(l exact.Lin) {
		for _, t := range l.Terms {
			n, ok := names[t.Var]
			if !ok {
				wide = wide || len(names) > 200
				n = byte(len(names))
				names[t.Var] = n
			}
			b.WriteByte(n)
			b.WriteString(t.Coef.String())
			b.WriteByte(' ')
		}
		b.WriteByte('|')
		b.WriteString(l.Const.String())
	}
	if goal != nil {
		put(*goal)
	}
	for _, r := range rows {
		if r.EQ {
			b.WriteByte('=')
		} else {
			b.WriteByte('>')
		}
		put(r.Lin)
	}
	if wide {
		return ""
	}
	return b.String()
}

// remember keeps an answer; without a key, none.
func (c cache) remember(key string, st Status) {
	if key != "" && len(c) < policy.LinearCached {
		c[key] = st
	}
}
