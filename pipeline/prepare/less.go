package prepare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// AskedLess lists what the manifest of a head asks less than that of its base, or under more assumptions: what a base
// violates, and its head does not any more, may be gone because of that.
func AskedLess(base, head *manifest.Manifest) []reports.Less {
	l := &less{base: base, head: head}
	for _, t := range base.Targets {
		if _, is := head.Target(t.Name); !is {
			l.add(reports.Less{What: "target " + t.Name + " is gone"})
		}
	}
	for i := range base.Harnesses {
		h := &base.Harnesses[i]
		k := slices.IndexFunc(head.Harnesses, func(o manifest.Harness) bool { return o.Entry == h.Entry })
		if k < 0 {
			l.add(reports.Less{Entry: h.Entry, What: "harness " + h.Entry + " is gone"})
			continue
		}
		l.harness(h, &head.Harnesses[k])
	}
	l.calls()
	l.environment()
	return l.out
}

// HasTarget reports whether a manifest names a target.
func HasTarget(m *manifest.Manifest, target string) bool {
	_, is := m.Target(target)
	return is
}

// less collects what is asked less.
type less struct {
	base, head *manifest.Manifest
	out        []reports.Less
}

func (l *less) add(what reports.Less) { l.out = append(l.out, what) }

// harness compares what two manifests say of one harness.
func (l *less) harness(was, is *manifest.Harness) {
	for _, b := range []struct {
		what    string
		was, is int
	}{{"unwind", was.Unwind, is.Unwind}, {"depth", was.Depth, is.Depth}} {
		l.bound(is.Entry, b.what, b.was, b.is)
	}
	before := map[string]int{}
	for _, b := range was.Unwindset {
		before[loopName(b)] = b.Bound
	}
	for _, b := range is.Unwindset {
		old := cmp.Or(before[loopName(b)], was.Unwind)
		l.bound(is.Entry, "unwindset of "+loopName(b), old, b.Bound)
	}
	old, err := verdict.ParseChecks(was.Checks)
	now, err2 := verdict.ParseChecks(is.Checks)
	if err != nil || err2 != nil {
		return // the build says so
	}
	for _, c := range slices.Sorted(maps.Keys(old)) {
		if !now.Has(c) {
			l.add(reports.Less{Entry: is.Entry, What: fmt.Sprintf("check %s of %s is gone", c, is.Entry)})
		}
	}
}

// bound notes a bound that is lower than it was; 0 is none.
func (l *less) bound(entry, what string, was, is int) {
	switch {
	case is == 0 || was > 0 && is >= was:
	case was == 0:
		l.add(reports.Less{Entry: entry, Bound: true, What: fmt.Sprintf("%s of %s is %d, and was not set", what, entry, is)})
	default:
		l.add(reports.Less{Entry: entry, Bound: true, What: fmt.Sprintf("%s of %s is %d, and was %d", what, entry, is,
			was)})
	}
}

func loopName(b manifest.LoopBound) string {
	if b.Loop < 0 {
		return b.Func
	}
	return fmt.Sprintf("%s.%d", b.Func, b.Loop)
}

// calls compares which functions are called by generated harnesses, and with what.
func (l *less) calls() {
	rank := func(f manifest.FunctionsMode) int {
		return slices.Index([]manifest.FunctionsMode{manifest.FunctionsNone, manifest.FunctionsChanged,
			manifest.FunctionsAll}, f)
	}
	was, is := l.base.Functions, l.head.Functions
	switch {
	case was == is && is == manifest.FunctionsNamed:
		for _, f := range l.base.Called {
			if !slices.Contains(l.head.Called, f) {
				l.add(reports.Less{Entry: AnyCall + f, What: f + " is not called any more"})
			}
		}
	case was != is && is != manifest.FunctionsAll && (rank(was) < 0 || rank(is) < rank(was)):
		l.add(reports.Less{What: fmt.Sprintf("functions is %s, and was %s", is, was)})
	}
	before := map[string]string{}
	for _, a := range l.base.Assume {
		before[a.Place] = a.Text
		if f, _, _ := strings.Cut(a.Place, "."); a.Text == manifest.MayAlias && !slices.ContainsFunc(l.head.Assume,
			func(b manifest.Assumption) bool { return b.Place == a.Place && b.Text == a.Text }) {
			l.add(reports.Less{Entry: AnyCall + f, What: fmt.Sprintf("%s are not said to alias any more", a.Place)})
		}
	}
	for _, a := range l.head.Assume {
		if before[a.Place] != a.Text && a.Text != manifest.MayAlias {
			entry := ""
			if f, _, ok := strings.Cut(a.Place, "."); ok {
				entry = AnyCall + f
			}
			l.add(reports.Less{Entry: entry, What: fmt.Sprintf("%s is assumed to be %s", a.Place, a.Text)})
		}
	}
}

// environment compares what is said of the world around the program.
func (l *less) environment() {
	before := map[string]string{}
	for _, s := range l.base.Stubs {
		before[s.Func] = s.Kind
	}
	for _, s := range l.head.Stubs {
		if before[s.Func] != s.Kind {
			l.add(reports.Less{What: fmt.Sprintf("%s is a stub (%s)", s.Func, s.Kind)})
		}
	}
	for _, in := range l.base.Interrupts {
		k := slices.IndexFunc(l.head.Interrupts, func(o manifest.Interrupt) bool { return o.Handler == in.Handler })
		if k < 0 || l.head.Interrupts[k].Max < in.Max {
			l.add(reports.Less{What: "interrupt " + in.Handler + " comes less often, or not at all"})
		}
	}
	if l.head.Volatile > l.base.Volatile {
		l.add(reports.Less{What: "volatile reads give less"})
	}
	if was, is := l.base.Since, l.head.Since; was != is && len(l.base.Unchanged) > 0 {
		was, is = cmp.Or(was, "the base"), cmp.Or(is, "the base")
		l.add(reports.Less{What: fmt.Sprintf("unchanged functions have to do what they do in %s, and not in %s", is, was)})
	}
	for _, f := range l.base.Unchanged {
		if !slices.Contains(l.head.Unchanged, f) {
			l.add(reports.Less{Entry: f, What: f + " need not do the same any more"})
		}
	}
	for _, s := range l.head.Suppress {
		if !slices.ContainsFunc(l.base.Suppress, func(o manifest.Suppression) bool { return o.Claim == s.Claim }) {
			l.add(reports.Less{Entry: s.Claim, What: s.Claim + " is suppressed"}) // which is never fixed
		}
	}
}
