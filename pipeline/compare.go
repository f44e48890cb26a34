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
// by what the base does on its inputs, or else by what it says. A violation of head gets the inputs with which the base
// does not fail, where there are some.
func Compare(head, base *verdict.Report, gaps reports.Gaps) Context {
	known := map[string]string{}
	var sides *sides
	if base != nil {
		sides = learn(known, head, base, gaps.Renamed)
	}
	c := classify(head, known, base != nil, gaps.Less, sides)
	if base != nil {
		c.forget(sides)
	}
	c.onTarget(head, &gaps)
	gaps.Unasked, gaps.Doubtful, gaps.Passing = c.unasked, c.doubtful, c.passing
	return Context{States: c.states, Fixed: len(c.fixed), FixedKeys: c.fixed, Gaps: gaps}
}

// forget takes back that findings are new of entries and claims that base has no answer about, as someone stopped it.
func (c *classes) forget(base *sides) {
	stopped := func(why *verdict.Reason) bool { return why != nil && why.Kind == verdict.Cancelled }
	for entry, r := range base.results {
		for i := range r.Claims {
			of := r.Claims[i]
			if !stopped(of.Reason) || r.Change != nil && r.Change.NewOf(of.ID) != nil {
				continue
			}
			for _, of.ID = range verdict.Ways(of.ID) {
				if key := reports.Key(r, &of); c.states[key] == reports.Introduced {
					delete(c.states, key)
				}
			}
		}
		if !stopped(r.Reason) {
			continue
		}
		for key, state := range c.states {
			if of, _, _ := strings.Cut(key, "|"); of == entry && state == reports.Introduced {
				delete(c.states, key)
			}
		}
	}
}

// learn adds the violations of base to what is known, under the IDs that they have in head, and returns what the base
// says by entry. renamed has functions that have other names in head, by their names in base.
func learn(known map[string]string, head, base *verdict.Report, renamed map[string]string) *sides {
	base = withNames(base, renamed)
	adopt(head, base)
	onlyViolated(base, func(r *verdict.Result, c *verdict.Claim) {
		known[reports.Fingerprint(r, c)] = reports.Key(r, c)
	})
	s := &sides{results: map[string]*verdict.Result{}}
	for i := range base.Results {
		s.results[base.Results[i].Entry] = &base.Results[i]
	}
	onlyViolated(head, func(r *verdict.Result, c *verdict.Claim) {
		if s.both(r, c) { // whatever the base's own answer came to
			known[reports.Fingerprint(r, c)] = reports.Key(r, c)
		}
	})
	s.matchEdited(head, base, known)
	return s
}

// matchEdited moves known findings to the IDs that they have in head: a violation of base that is gone
// and one of head that is new are the same if the base violates the one on the other's inputs, or else if entry, check,
// function and message are, lines aside. Each counts once.
func (s *sides) matchEdited(head, base *verdict.Report, known map[string]string) {
	old := map[string][]string{} // fingerprints, by likeness and by key
	inHead, inBase := fingerprints(head), fingerprints(base)
	onlyViolated(base, func(r *verdict.Result, c *verdict.Claim) {
		if fp := reports.Fingerprint(r, c); !inHead[fp] {
			old[likeness(r, c)] = append(old[likeness(r, c)], fp)
			old[reports.Key(r, c)] = []string{fp}
		}
	})
	for _, key := range []func(r *verdict.Result, c *verdict.Claim) string{s.same, likeness} {
		onlyViolated(head, func(r *verdict.Result, c *verdict.Claim) {
			fp := reports.Fingerprint(r, c)
			if _, done := known[fp]; done || inBase[fp] {
				return
			}
			for _, was := range old[key(r, c)] {
				if _, open := known[was]; open {
					delete(known, was)
					known[fp] = reports.Key(r, c)
					return
				}
			}
		})
	}
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
