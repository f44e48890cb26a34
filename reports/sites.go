package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Site is a place in the sources where a check came out the same in one or several verifications: one bug on two targets
// is one site.
type Site struct {
	Check  verdict.Check
	Status verdict.Status
	Pos    verdict.Pos
	Claims []SiteClaim // in the order of the report
}

// SiteClaim is a claim of a site with the verification that it is part of.
type SiteClaim struct {
	Result *verdict.Result
	Claim  *verdict.Claim
}

// Shown is the claim that stands for the site: the one that needs the fewest assumptions, of these the one with the
// shortest trace.
func (s *Site) Shown() SiteClaim {
	return slices.MinFunc(s.Claims, func(a, b SiteClaim) int {
		return cmp.Or(cmp.Compare(len(a.Claim.Assumptions), len(b.Claim.Assumptions)), cmp.Compare(len(a.Claim.Trace),
			len(b.Claim.Trace)))
	})
}

// Accepted is why every claim of the site was accepted; nil if one was not.
func (s *Site) Accepted() *verdict.Accepted {
	if slices.ContainsFunc(s.Claims, func(c SiteClaim) bool { return c.Claim.Accepted == nil }) {
		return nil
	}
	return s.Claims[0].Claim.Accepted
}

// Known reports whether an earlier report that this one is held to has every claim of the site.
func (s *Site) Known() bool {
	return !slices.ContainsFunc(s.Claims, func(c SiteClaim) bool { return c.Claim.Baseline != verdict.Known })
}

// Counts reports whether a violation of the site asks for something.
func (s *Site) Counts() bool {
	return slices.ContainsFunc(s.Claims, func(c SiteClaim) bool { return c.Claim.Counts() })
}

// stands is how the site stands.
func (s *Site) stands() standing { return standingOf(s.Claims[0].Claim) }

// Entries and Targets list where the site was found, each name once.
func (s *Site) Entries() []string {
	return names(s.Claims, func(c SiteClaim) string { return c.Result.Entry })
}

// Targets lists the targets of the site.
func (s *Site) Targets() []string {
	return names(s.Claims, func(c SiteClaim) string { return c.Result.Target })
}

// names returns what of gives for each of list, each once, in their order.
func names[T any](list []T, of func(T) string) []string {
	var out []string
	seen := map[string]bool{}
	for _, x := range list {
		if n := of(x); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// assumes returns the least number of assumptions of a generated harness that the site needs.
func (s *Site) assumes() int {
	least := len(s.Claims[0].Claim.Assumptions)
	for _, c := range s.Claims {
		least = min(least, len(c.Claim.Assumptions))
	}
	return least
}

// Sites groups the claims that want accepts: those of violations first, of these the ones that need few assumptions of
// generated harnesses, then by place.
func Sites(results []verdict.Result, want func(*verdict.Claim) bool) []Site {
	type key struct {
		check  verdict.Check
		status verdict.Status
		pos    verdict.Pos
		stands standing
	}
	index := map[key]int{}
	var out []Site
	for i := range results {
		for j := range results[i].Claims {
			c := &results[i].Claims[j]
			if !want(c) {
				continue
			}
			k := key{c.Check, c.Status, c.Pos, standingOf(c)}
			at, known := index[k]
			if !known {
				at = len(out)
				index[k] = at
				out = append(out, Site{Check: c.Check, Status: c.Status, Pos: c.Pos})
			}
			out[at].Claims = append(out[at].Claims, SiteClaim{&results[i], c})
		}
	}
	slices.SortStableFunc(out, func(a, b Site) int {
		return cmp.Or(cmp.Compare(slices.Index(standings, a.stands()), slices.Index(standings, b.stands())),
			cmp.Compare(a.assumes(), b.assumes()),
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return out
}

// asked is a check at a place.
type asked struct {
	check verdict.Check
	pos   verdict.Pos
}

// at is what the site answers.
func (s *Site) at() asked { return asked{s.Check, s.Pos} }

// answersOf are the claims of a report at each place, without those behind violations.
type answersOf map[asked][]SiteClaim

func answersAt(results []verdict.Result) answersOf {
	out := answersOf{}
	for i := range results {
		for j := range results[i].Claims {
			if c := &results[i].Claims[j]; !c.IsShadowed() {
				at := asked{c.Check, c.Pos}
				out[at] = append(out[at], SiteClaim{&results[i], c})
			}
		}
	}
	return out
}

// onTargets lists the targets of a site and how the others see the same place.
func (all answersOf) onTargets(s *Site) string {
	own := s.Targets()
	out := listed(own, 6)
	other := map[verdict.Status][]string{}
	for _, c := range all[s.at()] {
		t, st := c.Result.Target, c.Claim.Status
		if st != s.Status && !slices.Contains(own, t) && !slices.Contains(other[st], t) {
			other[st] = append(other[st], t)
		}
	}
	for _, st := range []verdict.Status{verdict.Unknown, verdict.Conditional, verdict.Bounded, verdict.Proved} {
		if len(other[st]) > 0 {
			out += fmt.Sprintf("; %s on %s", st, listed(other[st], 6))
		}
	}
	return out
}

// rank orders statuses by how much they ask of the reader.
var rank = map[verdict.Status]int{verdict.Violated: 0, verdict.Unknown: 1, verdict.Conditional: 2,
	verdict.Bounded: 3, verdict.Proved: 4}

// Violations are the sites of violations.
func Violations(results []verdict.Result) []Site {
	return Sites(results, func(c *verdict.Claim) bool { return c.Status == verdict.Violated })
}

// Obstacle is one reason why claims are unknown, with all of them.
type Obstacle struct {
	Reason  verdict.Reason
	Whole   []*verdict.Result // verifications that it leaves without an answer as a whole
	Unknown []SiteClaim
}

// Obstacles lists the reasons of what is unknown, each once, those that leave most open first. What is open since it
// stands behind another unknown claim is counted with that.
func Obstacles(results []verdict.Result) []Obstacle {
	index := map[string]int{}
	var out []Obstacle
	at := func(r *verdict.Reason) *Obstacle {
		first := *r
		first.Detail = strings.TrimPrefix(r.Detail, verdict.PastUnknown)
		k := first.String()
		if _, known := index[k]; !known {
			index[k] = len(out)
			out = append(out, Obstacle{Reason: first})
		}
		return &out[index[k]]
	}
	for i := range results {
		res := &results[i]
		if res.Reason != nil {
			o := at(res.Reason)
			o.Whole = append(o.Whole, res)
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status != verdict.Unknown || c.IsShadowed() || c.Accepted != nil {
				continue
			}
			r := c.Reason
			if r == nil {
				r = &verdict.Reason{Kind: verdict.Incomplete, Detail: "no reason is known"}
			}
			o := at(r)
			o.Unknown = append(o.Unknown, SiteClaim{res, c})
		}
	}
	slices.SortStableFunc(out, func(a, b Obstacle) int {
		return cmp.Or(cmp.Compare(len(b.Whole), len(a.Whole)), cmp.Compare(len(b.Unknown), len(a.Unknown)))
	})
	return out
}

// Leaves says what an obstacle leaves open, e.g. "33 claims (memory 17, leak 16) of main on i386".
func (o *Obstacle) Leaves() string {
	where := append([]SiteClaim(nil), o.Unknown...)
	for _, r := range o.Whole {
		where = append(where, SiteClaim{Result: r})
	}
	return leavesOf(where, len(o.Unknown))
}

// leaves says which claims a list holds, e.g. "33 claims (memory 17, leak 16) of main on i386".
func leaves(list []SiteClaim) string { return leavesOf(list, len(list)) }

// leavesOf is leaves of the first n of a list; what follows has no claims.
func leavesOf(where []SiteClaim, count int) string {
	text := "everything"
	if count > 0 {
		n := map[string]int{}
		for _, c := range where[:count] {
			n[string(c.Claim.Check)]++
		}
		checks := sortedKeys(n)
		slices.SortStableFunc(checks, func(a, b string) int { return cmp.Compare(n[b], n[a]) })
		for i := range checks {
			checks[i] = fmt.Sprintf("%s %d", checks[i], n[checks[i]])
		}
		text = fmt.Sprintf("%s (%s)", plural(count, "claim"), listed(checks, 4))
	}
	return fmt.Sprintf("%s of %s on %s", text, listed(names(where, func(c SiteClaim) string { return c.Result.Entry }),
		4),
		listed(names(where, func(c SiteClaim) string { return c.Result.Target }), 4))
}

// listed joins at most n of a list.
func listed(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
}
