package prepare

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
)

// Frozen says which functions have to do the same whatever changes: they are compared, whatever time that takes.
type Frozen struct {
	Functions []string `json:"functions,omitempty"` // patterns
	Since     string   `json:"since,omitempty"`     // the tag as which Functions have to behave; empty: as the base does
	All       bool     `json:"all,omitempty"`       // all functions have to do what the base does
}

// FrozenBy reads which functions have to do the same.
func FrozenBy(m *manifest.Manifest) Frozen {
	return Frozen{m.Unchanged, m.Since, reports.FailsOn(m.Report.FailOn, "behaviour")}
}

// Freeze has functions do the same as m says, whatever a build in a sandbox left.
func (b *Built) Freeze(m *manifest.Manifest) {
	for _, v := range b.Versions {
		v.Frozen = FrozenBy(m)
	}
}

// whole digests all that functions can come to, those that patterns stand for.
func (v *Version) whole(patterns []string) {
	v.Bodies.Whole = map[string]string{}
	for _, name := range v.Bodies.Names {
		if reports.MatchesAny(patterns, v.shown(name)) {
			sum := v.Module.Slice(v.Module.Func(name), false).Sum
			v.Bodies.Whole[name] = hex.EncodeToString(sum[:])
		}
	}
}

// frozenIn returns what has to do the same in a program, by its versions for all targets.
func frozenIn(list map[string]*Version) Frozen {
	for _, v := range list {
		return v.Frozen // all have the same manifest
	}
	return Frozen{}
}

// asBase returns the patterns of functions that have to do what those of the base do.
func (f *Frozen) asBase() []string {
	if f.Since != "" {
		return nil
	}
	return f.Functions
}

// since asks whether functions do what they did at a tag, which build builds. It adds what it asks to asked, by target, and
// returns the jobs that answer.
func since(now *Built, asked map[string]reports.Behaviour, build func(tag string, ask Asked) (*Built, error)) []Job {
	frozen := frozenIn(now.Versions)
	if frozen.Since == "" {
		return nil
	}
	built, err := build(frozen.Since, Asked{Behaviour: true, Alone: true, Frozen: frozen.Functions})
	if err != nil {
		built = &Built{}
	}
	var jobs []Job
	for target := range now.Versions {
		s := reports.Since{Tag: frozen.Since, Functions: frozen.Functions}
		if was := built.Versions[target]; was != nil {
			var list []Job
			list, s.Gone = sinceThat(now, target, was)
			s.Asked, s.Nothing = len(list), was.without(s.Functions)
			jobs = append(jobs, list...)
		} else if s.Unknown = "nothing is built of it for " + target; err != nil {
			s.Unknown = strings.TrimSpace(err.Error())
		}
		b := asked[target]
		b.Since = &s
		asked[target] = b
	}
	return jobs
}

// without lists the patterns that stand for no function of v.
func (v *Version) without(patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool {
		return slices.ContainsFunc(v.Bodies.Names, func(name string) bool { return reports.MatchesAny([]string{pattern}, v.shown(name)) })
	})
}

// sinceThat makes the jobs that ask whether functions of a target do what they did at the tag that was is of, and lists
// those that are gone since then.
func sinceThat(now *Built, target string, was *Version) (jobs []Job, gone []string) {
	is := now.Versions[target]
	list, _, left := Renewals(&was.Bodies, &is.Bodies)
	list = slices.DeleteFunc(list, func(r Renewed) bool {
		return !reports.MatchesAny(is.Frozen.Functions, was.shown(r.Old))
	})
	for _, name := range left {
		if name = was.shown(name); reports.MatchesAny(is.Frozen.Functions, name) {
			gone = append(gone, name)
		}
	}
	return pairs(now, target, was, list, func(p *Pair) { p.Needed, p.Since = true, is.Frozen.Since }), gone
}
