package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// standing is what a claim or a result is said to be: its status, but that nobody takes what was accepted for a finding
// or for proved, and that what was there before is told apart from what is new.
type standing string

// The standings that are no status.
const (
	standsAccepted standing = "accepted"
	standsKnown    standing = "known"
	standsBehind   standing = "behind a violation"
	standsVacuous  standing = "vacuous"
)

// standings are all that are counted, those first that ask most of the reader.
var standings = []standing{asStanding(verdict.Violated), standsKnown, standsAccepted, asStanding(verdict.Unknown),
	asStanding(verdict.Conditional), asStanding(verdict.Bounded), asStanding(verdict.Proved), standsBehind}

func asStanding(s verdict.Status) standing { return standing(s.String()) }

// standingOf is how a claim stands.
func standingOf(c *verdict.Claim) standing {
	switch {
	case c.IsShadowed():
		return standsBehind
	case c.Accepted != nil && (c.Status == verdict.Violated || c.Status == verdict.Unknown):
		return standsAccepted
	case c.Status == verdict.Violated && c.Baseline == verdict.Known:
		return standsKnown
	}
	return asStanding(c.Status)
}

// standingOfResult is how a result stands: what holds vacuously is not shown as proved, nor what holds but for what
// was accepted.
func standingOfResult(r *verdict.Result) standing {
	switch {
	case r.Vacuous != nil:
		return standsVacuous
	case r.Status != verdict.Violated:
		return asStanding(r.Status)
	case r.IsAccepted():
		return standsAccepted
	case r.IsKnown():
		return standsKnown
	}
	return asStanding(r.Status)
}

// signs tell a standing without its colour. Only what is proved has a tick.
var signs = map[standing]string{asStanding(verdict.Violated): "✗", standsKnown: "✗", standsAccepted: "✎",
	asStanding(verdict.Unknown): "?", asStanding(verdict.Conditional): "◇", asStanding(verdict.Bounded): "≤",
	asStanding(verdict.Proved): "✓", standsVacuous: "⚠"}

// Standing is the sign and the word for a status on pages.
func Standing(s verdict.Status) string {
	return cmp.Or(signs[asStanding(s)], "?") + " " + s.String()
}

// class is the class of a standing in the style of pages.
func (s standing) class() string {
	switch s {
	case standsVacuous:
		return verdict.Unknown.String()
	case standsKnown:
		return verdict.Violated.String()
	}
	return string(s)
}

// Condition is what some answers rest on that the tool chose, with these answers: they hold if it is so.
type Condition struct {
	Assumptions []verdict.Assumption // all of them; none: the tool does not say
	Status      verdict.Status       // Conditional, or Bounded where it is a limit
	Within      bool                 // and within the bounds that were reached
	Claims      []SiteClaim
}

// Conditions groups the claims that hold under conditions by what they rest on, those with most claims first.
func Conditions(results []verdict.Result) []Condition {
	index := map[string]int{}
	var out []Condition
	for i := range results {
		res := &results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status != verdict.Conditional && c.Status != verdict.Bounded {
				continue
			}
			rests := guesses(res, c)
			if c.Status == verdict.Bounded && len(rests) == 0 {
				continue // by turns of loops
			}
			key := fmt.Sprint(res.Entry, "\x00", c.Status, c.Within)
			for _, a := range rests {
				key += "\x00" + a.ID
			}
			at, known := index[key]
			if !known {
				at = len(out)
				index[key] = at
				out = append(out, Condition{Assumptions: rests, Status: c.Status, Within: c.Within})
			}
			out[at].Claims = append(out[at].Claims, SiteClaim{res, c})
		}
	}
	slices.SortStableFunc(out, func(a, b Condition) int {
		return cmp.Or(cmp.Compare(rank[a.Status], rank[b.Status]), cmp.Compare(len(b.Claims), len(a.Claims)))
	})
	return out
}

// guesses lists what the tool chose of what c rests on.
func guesses(res *verdict.Result, c *verdict.Claim) []verdict.Assumption {
	return slices.DeleteFunc(res.RestsOn(c), func(a verdict.Assumption) bool { return !a.Guessed() })
}

// conditionList is a line of Markdown for each condition.
func conditionList(results []verdict.Result) []string {
	var out []string
	for _, c := range Conditions(results) {
		out = append(out, badge(c.Status)+": "+Inert(conditionLine(&c)))
	}
	return out
}

// Says is the condition in words, such as "holds if p leads to len elements".
func (c *Condition) Says() string {
	list := shortened(c.Assumptions)
	if n := len(list) - mostConditions; n > 1 {
		list = append(list[:mostConditions:mostConditions], fmt.Sprintf("%d more of what is assumed is so", n))
	}
	what := strings.Join(list, ", and ")
	if what == "" {
		what = "what is assumed is so"
	}
	if c.Within {
		what += ", within the bounds that were reached"
	}
	return "holds if " + what
}

// mostConditions is how many assumptions one condition spells out; the list of assumptions has all.
const mostConditions = 6

// shortened lists the texts of assumptions, with one text for several places that do not overlap, and none for a place
// of what is said of the whole program.
func shortened(list []verdict.Assumption) []string {
	var names, out []string
	apart := 0
	for _, a := range list {
		if a.Relation != verdict.Apart || a.Other == "" {
			continue
		}
		apart++
		for _, name := range []string{a.Other, a.Subject} {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, a := range list {
		everywhere := func(b verdict.Assumption) bool { return strings.HasSuffix(a.Text, ": "+b.Text) }
		switch {
		case slices.ContainsFunc(list, everywhere):
		case apart < 2 || a.Relation != verdict.Apart || a.Other == "":
			out = append(out, a.Text)
		case names != nil:
			last := len(names) - 1
			out = append(out, "no two of "+strings.Join(names[:last], ", ")+" and "+names[last]+" share memory")
			names = nil
		}
	}
	return out
}

// Of says for what it is one, such as "5 claims (memory 5) of f on host".
func (c *Condition) Of() string { return leaves(c.Claims) }

// Change is a line of the manifest's `assume` that says more about the condition; "" where none can.
func (c *Condition) Change() string {
	return correction(c.Claims[0].Result, c.Assumptions)
}

// Declare returns how the declaration of the function says the condition; "" where it cannot.
func (c *Condition) Declare() string {
	for _, a := range c.Assumptions {
		switch a.Relation {
		case verdict.Apart:
			return "`restrict` on a parameter says that callers keep what it leads to apart"
		case verdict.Calls:
			switch a.Other {
			case verdict.Replaceable:
				return fmt.Sprintf("`stubs: {%s: havoc}` in the manifest (or --stub) has it do anything", a.Subject)
			case "havoc", "nondet": // as which it was tried
				return fmt.Sprintf("`stubs: {%s: %s}` in the manifest (or --stub) says so", a.Subject, a.Other)
			}
		case verdict.Mapped:
			return fmt.Sprintf("name the processor (--target, see `firmproof targets`), or what is there: "+
				"`memory_map: [{name: regs, base: %s, size: %#x, access: volatile}]` in the manifest", a.Subject, verdict.MappedPage)
		case verdict.Quiet:
			if a.Other != "" {
				return fmt.Sprintf("`interrupts: [{handler: %s, max: any}]` in the manifest has the handler run", a.Other)
			}
		}
	}
	return ""
}

// conditionLine is a condition as one line.
func conditionLine(c *Condition) string {
	text := fmt.Sprintf("%s: %s", c.Says(), c.Of())
	if line := c.Change(); line != "" {
		text += "; `assume` of the manifest (or --assume) changes it, such as " + line
	} else if how := c.Declare(); how != "" {
		text += "; " + how
	}
	return text
}
