package prepare

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/reports"
)

// Asked holds what a commit of a change is verified with on behalf of the other one: what only one of them is asked
// cannot be told to be new or known.
type Asked struct {
	// functions that get a generated harness whatever changed; nil: see the manifest
	Called []string `json:"called"`
	// FUNCTION.ARGUMENT: pointers that the other commit takes null for possible of, and numbers of enumerations of which it
	// asks whether they are one of the enumerators
	Doubted []string `json:"doubted,omitempty"`
	// FUNCTION.ARGUMENT=COUNT: pointers of which the code of the other commit says which argument counts what they lead to
	Counts []string `json:"counts,omitempty"`
	// FUNCTION.ARGUMENT=BYTES: pointers of whose memory the code of the other commit accesses so much at most, of functions
	// with changed lines
	Needs []string `json:"needs,omitempty"`
	// functions that the other commit does not have as they are, by target and by name in the object file: they have
	// changed, too, whatever the lines say
	Differ map[string][]string `json:"differ,omitempty"`
	// likewise functions that read variables in which those store
	Readers map[string][]string `json:"readers,omitempty"`
	// the outline says what generated harnesses give, for the other commit's does
	Whole bool `json:"whole,omitempty"`
	// whole programs are kept, so that what functions do in both can be compared
	Behaviour bool `json:"behaviour,omitempty"`
	// patterns of functions that have to do the same in both
	Frozen []string `json:"frozen,omitempty"`
	// the whole program alone is built, and nothing of it verified
	Alone bool `json:"alone,omitempty"`
}

// Change holds what a build is told of the change that its commit is part of.
type Change struct {
	Lines map[string][]reports.LineRange `json:"lines"`          // those that changed, by file
	Only  []string                       `json:"only,omitempty"` // see Request
	Asked
}

// Sides are the two commits of a change, built.
type Sides struct {
	Head, Base []Job
	BaseErr    error                   // why there is no Base
	Gaps       map[string]reports.Gaps // by target: what of the change nobody looks at
	// by target: what was asked about the behaviour of functions, which further jobs of Base answer
	Behaviour map[string]reports.Behaviour
}

// BothSides builds the commits of a change. What the head calls stands against the same calls of the base. What either
// asks about counts in both: a pointer may be null, a number of an enumeration none of its enumerators; of members, where
// one asks more often than the other. What either compares an index with says how large a block is in both; so does what the
// one with fewer accesses of a block at most. So a check that is gone is missed. What the programs differ in has changed, too: a function whose lines are as they were may mean
// something else. tag builds what has a tag, as which functions of the head have to behave. The error is the head's.
func BothSides(head, base func(Asked) (*Built, error), tag func(string, Asked) (*Built, error)) (*Sides, error) {
	now, err := head(Asked{})
	if err != nil {
		return nil, err
	}
	whole := now.calls()
	lines := changedLines(now.Outlines)
	ask := Asked{Called: CalledIn(now.Jobs), Doubted: doubtedIn(now.Jobs), Counts: countsOf(now.Jobs),
		Needs: needsOf(now.Jobs, lines), Whole: whole, Behaviour: now.Versions != nil,
		Frozen: frozenIn(now.Versions).Functions}
	before, err := base(ask)
	if err != nil {
		return withoutBase(now, err), nil
	}
	members := testedByOne(now.Jobs, before.Jobs)
	more := append(doubtedIn(before.Jobs), members...)
	differ, renamed := differing(now.Outlines, before.Outlines), renamings(now.Outlines, before.Outlines)
	readers := readersIn(now.Outlines, before.Outlines)
	unknown := whole && (hidden(now, differ) || hidden(now, readers))
	counts, needs := countsOf(before.Jobs), needsOf(before.Jobs, lines)
	if unknown || hasOther(more, ask.Doubted) || hasOther(counts, ask.Counts) || hasOther(needs, ask.Needs) {
		again := Asked{Doubted: more, Counts: counts, Needs: needs}
		if whole {
			again.Differ, again.Readers = differ, readers
		}
		if now, err = head(again); err != nil {
			return nil, err
		}
	}
	earlier := renamed.of(CalledIn(now.Jobs))
	if unknown || len(members) > 0 || hasOther(earlier, ask.Called) {
		ask.Called, ask.Counts = append(CalledIn(now.Jobs), earlier...), countsOf(now.Jobs)
		ask.Needs = needsOf(now.Jobs, lines)
		for _, place := range append(members, doubtedIn(now.Jobs)...) {
			if !slices.Contains(ask.Doubted, place) {
				ask.Doubted = append(ask.Doubted, place)
			}
		}
		if before, err = base(ask); err != nil {
			return withoutBase(now, err), nil
		}
	}
	sameTime(before.Jobs, now.Jobs)
	pairs, asked := behaviours(now, before)
	pairs = append(pairs, since(now, asked, tag)...)
	return &Sides{Head: now.Jobs, Base: append(before.Jobs, pairs...), Gaps: gapsOf(now, before, differ, renamed),
		Behaviour: asked}, nil
}

// withoutBase says what is known where there is no base, and why there is none: which targets the head has, and which callers
// of changed functions are left out.
func withoutBase(now *Built, why error) *Sides {
	gaps, asked := map[string]reports.Gaps{}, map[string]reports.Behaviour{}
	for target, o := range now.Outlines {
		has := slices.ContainsFunc(now.Jobs, func(j Job) bool { return j.Plan.Target == target })
		gaps[target] = reports.Gaps{Callers: o.LeftOut, All: !has}
	}
	since(now, asked, func(string, Asked) (*Built, error) {
		return nil, errors.New("the commit that the change starts from cannot be verified")
	})
	return &Sides{Head: now.Jobs, BaseErr: why, Gaps: gaps, Behaviour: asked}
}

// calls reports whether an outline says what generated harnesses give.
func (b *Built) calls() bool {
	for _, o := range b.Outlines {
		if o.Calls {
			return true
		}
	}
	return false
}

// hidden reports whether something differs that does not count as changed because of its lines.
func hidden(now *Built, differ map[string][]string) bool {
	for target, names := range differ {
		for _, name := range names {
			if _, known := slices.BinarySearch(now.Outlines[target].Changed, name); !known {
				return true
			}
		}
	}
	return false
}

// gapsOf says for each target what of differ the entries do not come to, and which callers are left out.
func gapsOf(now, before *Built, differ map[string][]string, renamed renames) map[string]reports.Gaps {
	out := map[string]reports.Gaps{}
	for target, o := range now.Outlines {
		g := reports.Gaps{Callers: o.LeftOut}
		g.Functions, g.All = o.unseen(differ[target])
		if b := before.Outlines[target]; b != nil {
			g.Less = assumesMore(o, b)
		}
		g.Renamed = renamed[target]
		changed := slices.Clone(o.Changed)
		for t, names := range differ { // of other targets, too, but for what is asked because the base has no such target
			if before.Outlines[t] != nil {
				changed = append(changed, names...)
			}
		}
		slices.Sort(changed)
		for _, f := range slices.DeleteFunc(slices.Compact(changed), ofDriver) {
			g.Changed = append(g.Changed, cmp.Or(o.Shown[f], f))
		}
		out[target] = g
	}
	return out
}

// sameTime gives the jobs of the base the time that the head's have: callers share theirs.
func sameTime(bases, heads []Job) {
	type key struct{ target, entry string }
	times := map[key]time.Duration{}
	for i := range heads {
		times[key{heads[i].Plan.Target, heads[i].Name()}] = heads[i].Timeout
	}
	for i := range bases {
		if t, is := times[key{bases[i].Plan.Target, bases[i].Name()}]; is && bases[i].Label != "" {
			bases[i].Timeout = t
		}
	}
}

func hasOther(list, known []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return !slices.Contains(known, p) })
}

// testedByOne lists members, as Asked.Doubted, of functions where the code of one commit asks about a member and
// that of the other does not, or not as often: that member, and all that the function itself compares, which the
// missing test may depend on.
func testedByOne(heads, bases []Job) []string {
	out := map[string]bool{}
	for i := range heads {
		k := slices.IndexFunc(bases, func(b Job) bool { return b.Label != "" && b.Label == heads[i].Label })
		if k < 0 || maps.Equal(heads[i].Tests, bases[k].Tests) {
			continue
		}
		now, before, f := heads[i].Tests, bases[k].Tests, heads[i].function()
		for _, tests := range []map[string]int{now, before} {
			for test := range tests {
				member, by, _ := strings.Cut(test, "|")
				if by == f || now[test] != before[test] {
					out[f+"."+member] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(out))
}
