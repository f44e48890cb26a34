package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// sides holds what the base of a change says, by entry as head names it.
type sides struct {
	results map[string]*verdict.Result
}

// of returns the result of an entry of the base, nil if there is none. s may be nil.
func (s *sides) of(entry string) *verdict.Result {
	if s == nil {
		return nil
	}
	return s.results[entry]
}

// same returns the key of the claim that the base violates on the inputs of c, a violation of head.
func (s *sides) same(r *verdict.Result, c *verdict.Claim) string {
	base := s.of(r.Entry)
	if base == nil || base.Change == nil || base.Change.Same[c.ID] == "" {
		return ""
	}
	return r.Entry + "|" + base.Change.Same[c.ID]
}

// both reports whether the base fails in the same place on the inputs of c, a violation of head.
func (s *sides) both(r *verdict.Result, c *verdict.Claim) bool {
	_, id, _ := strings.Cut(s.same(r, c), "|")
	return id != "" && verdict.Site(id) == verdict.Site(c.ID)
}

// ahead notes of a new violation of head in code that base has, too, that base ends in front of it on its inputs.
func (s *sides) ahead(r *verdict.Result, c *verdict.Claim) {
	base := s.of(r.Entry)
	_, id, _ := strings.Cut(s.same(r, c), "|")
	if id == "" || base.Change.NewOf(c.ID) != nil || s.both(r, c) {
		return
	}
	has := func(id string) *verdict.Claim {
		for i := range base.Claims {
			if verdict.Site(base.Claims[i].ID) == verdict.Site(id) {
				return &base.Claims[i]
			}
		}
		return nil
	}
	if first := has(id); first != nil && has(c.ID) != nil {
		c.Message += fmt.Sprintf(" (in code that was there: before the change, these inputs end in front of it, by %s in line %d)",
			first.Check, first.Pos.Line)
	}
}

// fresh gives a violation of head that base has, too, the inputs with which only head fails; false if none are known.
func (s *sides) fresh(r *verdict.Result, c *verdict.Claim) bool {
	base := s.of(r.Entry)
	if base == nil {
		return false
	}
	own := base.Change.NewOf(c.ID)
	if own == nil {
		return false
	}
	if own.Trace != nil {
		c.Message, c.Trace, c.Inputs, c.Object = own.Message, own.Trace, own.Inputs, own.Object
		c.Undefined, c.Replay = own.Undefined, own.Replay
	}
	return true
}

// mended reports whether a violation of the base is mended, of which head does not say that it is violated. now is its
// claim in head, nil where there is none, and whole that the rest of the entry's answer leaves nothing open.
func (s *sides) mended(key string, head *verdict.Result, now *verdict.Claim, whole bool) bool {
	entry, id, _ := strings.Cut(key, "|")
	base := s.of(entry)
	proved := now != nil && now.Status == verdict.Proved
	if base == nil {
		return now != nil || whole
	}
	switch end := base.Change.EndOf(id); {
	case end.How == verdict.Fails && verdict.Site(end.Claim) == verdict.Site(id):
		return false
	case end.How == verdict.Fails && !proved && now != nil:
		return false // nobody knows what it does past that
	case proved || end.How == verdict.Passes && (now != nil || whole):
		return true
	case now == nil:
		return whole
	case now.Status == verdict.Bounded:
		return !fartherIn(base.Bounds, head.Bounds)
	}
	return !slices.ContainsFunc(head.RestsOn(now), func(a verdict.Assumption) bool {
		return a.Guessed() && !slices.ContainsFunc(base.Assumptions, func(b verdict.Assumption) bool {
			return a.ID == b.ID || a.Relation == verdict.Interval && a.Relation == b.Relation &&
				a.Subject == b.Subject // each as its own program stores, which the change mends
		})
	})
}

// passes reports whether head ends without a failure on the inputs of a finding of the base.
func (s *sides) passes(key string) bool {
	entry, id, _ := strings.Cut(key, "|")
	base := s.of(entry) // nil where s is
	return base != nil && base.Change.EndOf(id).How == verdict.Passes
}

// relative reports whether a finding of the base is one only as the head does not fail on its inputs. s may be nil.
func (s *sides) relative(key string) bool {
	entry, id, _ := strings.Cut(key, "|")
	base := s.of(entry)
	return base != nil && base.Change != nil && slices.Contains(base.Change.Relative, id) && s.passes(key)
}

// onTarget tells what is new on a target that the base has not from what is new in changed functions.
func (c *classes) onTarget(report *verdict.Report, gaps *reports.Gaps) {
	if !gaps.NewTarget {
		return
	}
	for i := range report.Results {
		r := &report.Results[i]
		for k := range r.Claims {
			f, key := r.Claims[k].Pos.Function, reports.Key(r, &r.Claims[k])
			if c.states[key] == reports.Introduced && !slices.Contains(gaps.Changed, f) {
				c.states[key] = reports.OnTarget
			}
		}
	}
}

// fartherIn reports whether the bounds was may reach farther than is.
func fartherIn(was, is verdict.Bounds) bool {
	less := func(was, is int) bool { return is > 0 && (was == 0 || was > is) }
	if less(was.Unwind, is.Unwind) || less(was.Depth, is.Depth) {
		return true
	}
	for _, l := range is.Loops {
		k := slices.IndexFunc(was.Loops, func(o verdict.LoopBound) bool { return o.Name == l.Name })
		if k >= 0 && !l.Complete && was.Loops[k].Turns > l.Turns {
			return true
		}
	}
	return false
}

// withNames returns a report with functions under other names.
func withNames(r *verdict.Report, renamed map[string]string) *verdict.Report {
	if len(renamed) == 0 {
		return r
	}
	out := *r
	out.Results = slices.Clone(r.Results)
	name := func(f string) string {
		if is, known := renamed[f]; known {
			return is
		}
		return f
	}
	id := func(id string) string {
		check, rest, ok := strings.Cut(id, "@")
		f, sum, _ := strings.Cut(rest, "#")
		if _, known := renamed[f]; !ok || !known {
			return id
		}
		return strings.TrimSuffix(check+"@"+renamed[f]+"#"+sum, "#")
	}
	for i := range out.Results {
		res := &out.Results[i]
		res.Entry = prepare.RenamedEntry(res.Entry, renamed)
		res.Claims = slices.Clone(res.Claims)
		for k := range res.Claims {
			c := &res.Claims[k]
			c.ID, c.Pos.Function = id(c.ID), name(c.Pos.Function)
		}
		if old := res.Change; old != nil {
			now := *old
			now.Ends, now.Same = map[string]verdict.Ending{}, map[string]string{}
			for of, e := range old.Ends {
				now.Ends[id(of)] = e
			}
			for of, was := range old.Same {
				now.Same[of] = id(was)
			}
			now.Mended = slices.Clone(old.Mended)
			for k := range now.Mended {
				c := &now.Mended[k]
				c.ID, c.Pos.Function = id(c.ID), name(c.Pos.Function)
			}
			now.Relative = append(slices.Clone(old.Relative), mapped(old.Relative, id)...)
			res.Change = &now
		}
	}
	return &out
}

// isDoubtful reports whether a known finding is not found any more in an entry that has an answer, and nothing shows that
// it is mended.
func (c *classes) isDoubtful(fp, key string) bool {
	entry, _, _ := strings.Cut(key, "|")
	r := c.results[entry]
	_, still := c.violated[fp]
	return r != nil && r.Reason == nil && !still && !c.unknown[fp] && !c.gone(fp, key)
}

// isPassing reports whether a known finding is not decided any more, and the head ends without a failure on its inputs.
func (c *classes) isPassing(fp, key string) bool {
	_, still := c.violated[fp]
	return !still && c.unknown[fp] && !c.sides.relative(key) && c.sides.passes(key)
}

// keysOf lists the fingerprints that violations of a claim that holds would have.
func keysOf(r *verdict.Result, c *verdict.Claim) []string {
	var out []string
	for _, id := range verdict.Ways(c.ID) {
		way := *c
		way.ID = id
		out = append(out, reports.Fingerprint(r, &way))
	}
	return out
}
