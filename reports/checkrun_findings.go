package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// stateRank orders violations by how much they concern a change.
var stateRank = map[State]int{Introduced: 0, OnTarget: 0, "": 0, Preexisting: 1, Accepted: 2}

// violationList lists the places that are violated in Markdown, one line each over all targets and entries: first what is
// new, of that what needs the fewest assumptions.
func violationList(results []verdict.Result, o *PageOptions) string {
	type line struct {
		rank int
		text string
	}
	var lines []line
	all := answersAt(results)
	for _, s := range Violations(results) {
		state := Accepted
		var ids []string
		for _, c := range s.Claims {
			if now := o.state(c.Result, c.Claim); stateRank[now] < stateRank[state] {
				state = now
			}
			if id := Code(c.Claim.ID); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		shown := s.Shown()
		c := shown.Claim
		text := fmt.Sprintf("\n- %s **%s** %s: %s%s (%s, %s)", badgeAs(s.stands()), s.Check, Code(s.Pos.String()),
			Inert(c.Message), stateNote(state), listed(ids, 4), Inert(all.onTargets(&s)))
		if rests := verdict.TextsOf(shown.Result.RestsOn(c)); len(rests) > 0 {
			text += "; if " + Inert(listed(rests, 4))
		}
		if a := s.Accepted(); a != nil {
			text += "; accepted: " + Inert(a.String())
		}
		lines = append(lines, line{stateRank[state], text})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.rank, b.rank) })
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

// undecidedList lists what is unknown by its reasons, each once, with what it leaves open; where that is little, with each
// place.
func undecidedList(results []verdict.Result) string {
	few := undecidedClaims(results) <= maxUndecided
	var b strings.Builder
	for _, o := range Obstacles(results) {
		if len(o.Unknown) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n- %s: %s: %s", badge(verdict.Unknown), Inert(o.Leaves()), Inert(reasonText(&o.Reason)))
		for _, s := range o.sites() {
			if few {
				c := s.Shown().Claim
				fmt.Fprintf(&b, "\n  - **%s** %s: %s (%s, %s)", s.Check, Code(s.Pos.String()), Inert(c.Message),
					Code(c.ID),
					Inert(listed(s.Targets(), 6)))
			}
		}
	}
	return b.String()
}

// sites groups what an obstacle leaves open by place and check.
func (o *Obstacle) sites() []Site {
	type key struct {
		check verdict.Check
		pos   verdict.Pos
	}
	index := map[key]int{}
	var out []Site
	for _, c := range o.Unknown {
		k := key{c.Claim.Check, c.Claim.Pos}
		at, known := index[k]
		if !known {
			at = len(out)
			index[k] = at
			out = append(out, Site{Check: k.check, Status: verdict.Unknown, Pos: k.pos})
		}
		out[at].Claims = append(out[at].Claims, c)
	}
	return out
}
