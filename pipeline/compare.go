package pipeline

import (
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Compare sorts the findings of a change against those of its base, as the bot
// does; a nil base means that nothing is known of it. Both reports are of one target.
// A finding whose expression was edited, so that its ID stands on one side only, is matched
// by what it says.
func Compare(head, base *verdict.Report, gaps reports.Gaps) Context {
	known := map[string]string{}
	if base != nil {
		learn(known, head, base)
	}
	c := classify(head, known, base != nil, nil, gaps.Less)
	if base != nil {
		c.forget(base)
	}
	gaps.Unasked = c.unasked
	return Context{States: c.states, Fixed: len(c.fixed), FixedKeys: c.fixed, Gaps: gaps}
}

// forget takes back that findings are new of entries that base has no answer about, as someone stopped it.
func (c *classes) forget(base *verdict.Report) {
	for i := range base.Results {
		r := &base.Results[i]
		if r.Reason == nil || r.Reason.Kind != verdict.Cancelled {
			continue
		}
		for key, state := range c.states {
			if entry, _, _ := strings.Cut(key, "|"); entry == r.Entry && state == reports.Introduced {
				delete(c.states, key)
			}
		}
	}
}

// learn adds the violations of base to what is known, under the IDs that they have in head.
func learn(known map[string]string, head, base *verdict.Report) {
	onlyViolated(base, func(r *verdict.Result, c *verdict.Claim) {
		known[reports.Fingerprint(r, c)] = reports.Key(r, c)
	})
	matchEdited(head, base, known)
}

// matchEdited moves known findings to the IDs that they have in head: a violation of base that is gone
// and one of head that is new are the same if entry, check, function and message are, lines aside. Each
// counts once.
func matchEdited(head, base *verdict.Report, known map[string]string) {
	old := map[string][]string{} // fingerprints
	inHead, inBase := fingerprints(head), fingerprints(base)
	onlyViolated(base, func(r *verdict.Result, c *verdict.Claim) {
		if fp := reports.Fingerprint(r, c); !inHead[fp] {
			old[likeness(r, c)] = append(old[likeness(r, c)], fp)
		}
	})
	onlyViolated(head, func(r *verdict.Result, c *verdict.Claim) {
		k, fp := likeness(r, c), reports.Fingerprint(r, c)
		if inBase[fp] || len(old[k]) == 0 {
			return
		}
		delete(known, old[k][0])
		old[k] = old[k][1:]
		known[fp] = reports.Key(r, c)
	})
}

var lineNumber = regexp.MustCompile(`:\d+(:\d+)?`)

func likeness(r *verdict.Result, c *verdict.Claim) string {
	return r.Entry + "|" + string(c.Check) + "|" + c.Pos.Function + "|" + lineNumber.ReplaceAllString(c.Message, "")
}

func fingerprints(r *verdict.Report) map[string]bool {
	out := map[string]bool{}
	for i := range r.Results {
		for j := range r.Results[i].Claims {
			out[reports.Fingerprint(&r.Results[i], &r.Results[i].Claims[j])] = true
		}
	}
	return out
}

func onlyViolated(rep *verdict.Report, do func(r *verdict.Result, c *verdict.Claim)) {
	for i := range rep.Results {
		r := &rep.Results[i]
		for j := range r.Claims {
			if r.Claims[j].Status == verdict.Violated {
				do(r, &r.Claims[j])
			}
		}
	}
}
