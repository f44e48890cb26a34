package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// foldAfter is the length of a list that a page shows unfolded.
const foldAfter = 12

// fileGroup holds the rows of one file, or of all, without a name, where they are few.
type fileGroup[T any] struct {
	File, Counts string
	Items        []T
}

// byFile groups a list that is long by file; counts words a group.
func byFile[T any](list []T, file func(T) string, counts func([]T) string) []fileGroup[T] {
	if len(list) == 0 {
		return nil
	}
	if len(list) <= foldAfter {
		return []fileGroup[T]{{Items: list}}
	}
	groups := map[string][]T{}
	for _, x := range list {
		name := cmp.Or(file(x), "?")
		groups[name] = append(groups[name], x)
	}
	var out []fileGroup[T]
	for _, name := range sortedKeys(groups) {
		out = append(out, fileGroup[T]{name, counts(groups[name]), groups[name]})
	}
	return out
}

// listView is a list of sentences.
type listView struct {
	Lines       []string
	What, Class string // what it lists, and their style
}

// newListView is called by templates.
func newListView(lines []string, what, class string) listView { return listView{lines, what, class} }

// Folded reports whether the list is too long to be shown at once.
func (l listView) Folded() bool { return len(l.Lines) > foldAfter }

// entryView is an entry with its answers on the targets.
type entryView struct {
	Name  string
	Cells []cell
	rank  int // of the worst cell: 0 is the worst
}

// cellRanks order entries by what they say; what is not here is last.
var cellRanks = map[string]int{verdict.Violated.String(): 0, verdict.Unknown.String(): 1,
	string(standsAccepted): 2, verdict.Conditional.String(): 2}

// wellRank is the rank of entries with nothing violated or unknown.
const wellRank = 3

// entryViews lists the entries, violated ones first, then unknown ones. Of many entries, those with neither are folded.
func entryViews(results []verdict.Result, targets []string) (shown, folded []entryView) {
	var out []entryView
	for _, name := range names(results, func(r verdict.Result) string { return r.Entry }) {
		e := entryView{Name: name, rank: wellRank}
		for _, t := range targets {
			c := statusCell(t, verdict.Invalid)
			for i := range results {
				if res := &results[i]; res.Entry == name && res.Target == t {
					c = standingCell(t, standingOfResult(res))
					c.More = fmt.Sprintf("%s, %.2f s", plural(len(res.Claims), "claim"), float64(res.DurationMS)/1000)
					if res.Reused != "" {
						c.More += ", answered earlier"
					}
				}
			}
			e.Cells = append(e.Cells, c)
			if rank, bad := cellRanks[c.Class]; bad {
				e.rank = min(e.rank, rank)
			}
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b entryView) int { return cmp.Compare(a.rank, b.rank) })
	well := slices.IndexFunc(out, func(e entryView) bool { return e.rank == wellRank })
	if well < 0 || len(out)-well <= foldAfter {
		return out, nil
	}
	return out[:well], out[well:]
}

// proofView is why every run of an entry ends, or how long it may take.
type proofView struct {
	File, What  string
	Certificate *certificateView
}

// certificateView shows a certificate, with its diagrams laid out.
type certificateView struct {
	Method, Checked string
	Detail          []string
	Diagrams        []*diagramView
}

// newCertificateView returns nil for an answer without a certificate.
func newCertificateView(c *verdict.Certificate) *certificateView {
	if c == nil {
		return nil
	}
	return &certificateView{c.Method, c.Checked, c.Detail, diagramViews(c.Diagrams)}
}

// proofViews lists the proofs about whole runs; targets with the same proof share it.
func proofViews(results []verdict.Result) []fileGroup[proofView] {
	var out []proofView
	at := map[string]int{}
	for i := range results {
		res := &results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status != verdict.Proved || c.Certificate == nil || c.Check != verdict.Termination &&
				c.Check != verdict.ComplexityBound {
				continue
			}
			key := res.Entry + "\x00" + string(c.Check) + strings.Join(c.Certificate.Detail, "\n")
			if n, known := at[key]; known {
				out[n].What += ", " + res.Target
				continue
			}
			at[key] = len(out)
			out = append(out, proofView{c.Pos.File, fmt.Sprintf("%s: %s on %s", res.Entry, c.Message, res.Target),
				newCertificateView(c.Certificate)})
		}
	}
	return byFile(out, func(p proofView) string { return p.File },
		func(list []proofView) string { return plural(len(list), "proof") })
}

// functionView shows the claims of one function that hold.
type functionView struct {
	Name, File, Counts, Checks, Statuses string
	Claims                               []claimView
	n                                    map[verdict.Status]int // claims
}

// claimView is a claim that holds, with the targets that it holds on.
type claimView struct {
	Where, Message, Class, Text string
	Check                       verdict.Check
}

// functionViews folds the claims that hold by function.
func functionViews(r *verdict.Report) []fileGroup[functionView] {
	sites := Sites(r.Results, func(c *verdict.Claim) bool {
		return c.Status == verdict.Proved || c.Status == verdict.Bounded || c.Status == verdict.Conditional
	})
	type key struct{ file, name string }
	groups := map[key][]Site{}
	for _, s := range sites {
		k := key{s.Pos.File, s.Pos.Function}
		groups[k] = append(groups[k], s)
	}
	var out []functionView
	for k, list := range groups {
		f := functionView{Name: cmp.Or(k.name, "?"), File: k.file, n: map[verdict.Status]int{}}
		slices.SortStableFunc(list, func(a, b Site) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
		for _, s := range list {
			f.n[s.Status]++
			text := s.Status.String() + " on " + listed(s.Targets(), 4)
			if s.Claims[0].Claim.Unreachable {
				text += ", never reached"
			}
			f.Claims = append(f.Claims, claimView{Where: fmt.Sprintf("line %d", s.Pos.Line),
				Message: s.Claims[0].Claim.Message,
				Class:   s.Status.String(), Text: text, Check: s.Check})
		}
		f.Checks = strings.Join(names(list, func(s Site) string { return string(s.Check) }), "|")
		f.Statuses = strings.Join(names(list, func(s Site) string { return s.Status.String() }), "|")
		f.Counts = holdCounts(f.n)
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b functionView) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Name, b.Name))
	})
	return byFile(out, func(f functionView) string { return f.File }, func(list []functionView) string {
		n := map[verdict.Status]int{}
		for _, f := range list {
			for status, k := range f.n {
				n[status] += k
			}
		}
		return plural(len(list), "function") + ", " + holdCounts(n)
	})
}

func holdCounts(n map[verdict.Status]int) string {
	var parts []string
	for _, s := range []verdict.Status{verdict.Conditional, verdict.Bounded, verdict.Proved} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], s))
		}
	}
	return strings.Join(parts, ", ")
}
