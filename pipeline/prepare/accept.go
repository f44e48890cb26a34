package prepare

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// accept notes what entries of the manifest's `suppress` accept of a result: violations, and what is unknown.
func (j *Job) accept(res *verdict.Result) {
	for _, s := range j.Suppressed {
		for i := range res.Claims {
			if c := &res.Claims[i]; s.accepts(c) {
				c.Accepted = &verdict.Accepted{Reason: s.Reason, By: s.By}
				if !s.Until.IsZero() {
					c.Accepted.Until = s.Until.Format(manifest.Day)
				}
			}
		}
	}
}

// Accept adds what a comment on a pull request accepted to what the manifest does.
func (j *Job) Accept(claim string, a verdict.Accepted, until time.Time) {
	j.Suppressed = append(j.Suppressed, suppression{Suppression: manifest.Suppression{Claim: claim, Reason: a.Reason,
		By: a.By, Until: until}, Named: claim, Comment: true})
}

// AcceptAgain notes anew what is accepted of a complete result of an earlier run of the same commit: comments may have
// accepted something since, or taken it back. What stood behind an accepted violation stays unknown.
func (j *Job) AcceptAgain(res *verdict.Result) {
	for i := range res.Claims {
		res.Claims[i].Accepted = nil
	}
	j.accept(res)
	res.StandBehind(func(c *verdict.Claim) bool { return c.Accepted != nil })
	res.Summarise()
}

// suppression is an entry of `suppress` for a target.
type suppression struct {
	manifest.Suppression
	Named   string // the claim as the manifest names it, which may be the name of an earlier version
	Expired bool
	Comment bool // it is no entry of the manifest
	Absent  bool // the program that the entry was cut out of has no function of that name
}

// accepts reports whether a claim is one that somebody accepted.
func (s *suppression) accepts(c *verdict.Claim) bool {
	return !s.Expired && c.ID == s.Claim && (c.Status == verdict.Violated || c.Status == verdict.Unknown && !c.IsShadowed())
}

// warnSuppressions warns of entries of `suppress` that accept nothing any more: their day is over, their claim is
// proved, or there is none of that name in a function that was verified. results are those of jobs.
func warnSuppressions(jobs []Job, results []verdict.Result) {
	var done []string
	for i := range jobs {
		for _, s := range jobs[i].Suppressed {
			if s.Comment || slices.Contains(done, s.Named) {
				continue
			}
			done = append(done, s.Named)
			if w := staleness(&s, jobs, results); w != "" {
				results[i].Warnings = append(results[i].Warnings, w)
			}
		}
	}
}

// staleness says why an entry accepts nothing in the results; empty if it does, or nothing is known of its claim.
func staleness(s *suppression, jobs []Job, results []verdict.Result) string {
	found, looked, open := false, false, false
	for i := range results {
		claim := s.Claim
		for _, own := range jobs[i].Suppressed { // which may differ between targets
			if own.Named == s.Named {
				claim = own.Claim
			}
		}
		for k := range results[i].Claims {
			c := &results[i].Claims[k]
			looked = looked || sameFunction(c.ID, claim)
			if c.ID == claim {
				found = true
				open = open || c.Status == verdict.Violated || c.Status == verdict.Unknown
			}
		}
		looked = looked && results[i].Reason == nil
	}
	entry := fmt.Sprintf("`suppress` of %s", s.Named)
	switch {
	case open && s.Expired:
		return entry + " ended on " + s.Until.Format(manifest.Day) + ": the claim counts again"
	case open:
		return ""
	case found:
		return entry + " accepts nothing any more: the claim holds"
	case looked || !s.known(jobs):
		return entry + " accepts nothing: there is no such claim"
	}
	return ""
}

// known reports whether a program has the function of the claim.
func (s *suppression) known(jobs []Job) bool {
	return slices.ContainsFunc(jobs, func(j Job) bool {
		return slices.ContainsFunc(j.Suppressed, func(own suppression) bool { return own.Named == s.Named && !own.Absent })
	})
}

func sameFunction(a, b string) bool { return functionOf(a) == functionOf(b) }

// functionOf is the function in the ID of a claim.
func functionOf(id string) string {
	_, rest, _ := strings.Cut(id, "@")
	if n := strings.LastIndex(rest, "#"); n >= 0 {
		rest = rest[:n]
	}
	return rest
}
