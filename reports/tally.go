package reports

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Tally counts what a headline says of results.
type Tally struct {
	By                                   map[verdict.Status]int
	Fresh, Known, Accepted, Apart, Fixed int // apart: violations of which nothing is known of the base
	Vacuous, Open, Results               int // open: whether every run ends
	Compared                             bool
	Targets                              []string
	Functions, Differ                    int // that changed and were compared, and those that do something else
}

// TallyOf counts results.
func TallyOf(results []verdict.Result, o PageOptions) Tally {
	t := Tally{By: map[verdict.Status]int{}, Fixed: o.FixedCount, Compared: o.States != nil || o.ByTarget != nil,
		Open: endsOpen(pointers(results)), Results: len(results),
		Functions: len(o.Behaviour.all()) - o.Behaviour.count(verdict.NotCompared)}
	t.Differ = (&verdict.Comparisons{Comparisons: o.Behaviour.all()}).Count(verdict.Differs)
	for i := range results {
		r := &results[i]
		if r.Vacuous != nil {
			t.Vacuous++
		}
		if !slices.Contains(t.Targets, r.Target) {
			t.Targets = append(t.Targets, r.Target)
		}
		for j := range r.Claims {
			c := &r.Claims[j]
			t.Compared = t.Compared || c.Baseline != ""
			switch state := o.state(r, c); {
			case c.IsShadowed():
			case state == Accepted && (c.Status == verdict.Violated || c.Status == verdict.Unknown):
				t.Accepted++
			case c.Status == verdict.Violated && state == Preexisting:
				t.Known++
			case c.Status == verdict.Violated && (state == Introduced || state == OnTarget):
				t.Fresh++
			case c.Status == verdict.Violated:
				t.Apart++
			default:
				t.By[c.Status]++
			}
		}
		if r.Reason != nil {
			t.By[verdict.Unknown]++
		}
	}
	return t
}

// Add adds the counts of other targets.
func (t *Tally) Add(o Tally) {
	if t.By == nil {
		t.By = map[verdict.Status]int{}
	}
	for s, n := range o.By {
		t.By[s] += n
	}
	t.Fresh, t.Known, t.Accepted, t.Apart = t.Fresh+o.Fresh, t.Known+o.Known, t.Accepted+o.Accepted, t.Apart+o.Apart
	t.Fixed, t.Vacuous, t.Open, t.Results = t.Fixed+o.Fixed, t.Vacuous+o.Vacuous, t.Open+o.Open, t.Results+o.Results
	t.Functions, t.Differ = t.Functions+o.Functions, t.Differ+o.Differ
	t.Compared = t.Compared || o.Compared
	for _, name := range o.Targets {
		if !slices.Contains(t.Targets, name) {
			t.Targets = append(t.Targets, name)
		}
	}
}

// Headline says how many claims are new, fixed or known where there is something to compare with, else how many are
// violated, or how many are proved and what else holds.
func (t *Tally) Headline() string {
	on := ""
	if len(t.Targets) > 1 {
		on = fmt.Sprintf(" on %d targets", len(t.Targets))
	}
	head := ""
	switch {
	case t.Fresh+t.Known+t.Fixed > 0 && t.Compared:
		head = fmt.Sprintf("%d new, %d fixed, %d known", t.Fresh, t.Fixed, t.Known)
		if t.Apart > 0 {
			head += fmt.Sprintf(", %d not compared", t.Apart)
		}
	case t.Fresh+t.Known+t.Apart > 0:
		head = plural(t.Fresh+t.Known+t.Apart, "violation")
	case t.Vacuous > 0 && t.By[verdict.Unknown] == 0:
		head = fmt.Sprintf("%d of %s vacuous: nothing is shown", t.Vacuous, plural(t.Results, "verification"))
	default:
		head = held(t.By, t.Accepted)
	}
	if t.Accepted > 0 {
		head += fmt.Sprintf(", %d accepted", t.Accepted)
	}
	if t.Differ > 0 {
		verb := "differ"
		if t.Differ == 1 {
			verb = "differs"
		}
		head += fmt.Sprintf(", %d of %s %s", t.Differ, plural(t.Functions, "compared function"), verb)
	}
	if t.Open > 0 {
		head += ", " + termination(t.Open, t.Results)
	}
	return head + on
}

// headlineOf is the headline of results.
func headlineOf(results []verdict.Result, o PageOptions) string {
	t := TallyOf(results, o)
	return t.Headline()
}
