package prepare

import (
	"slices"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Asked is what a commit of a change is verified with on behalf of the other one: what only one of them is asked
// cannot be told to be new or known.
type Asked struct {
	// functions that get a generated harness whatever changed; nil: see the manifest
	Called []string `json:"called"`
	// FUNCTION.ARGUMENT: pointers that the other commit takes null for possible of
	MayBeNull []string `json:"may_be_null,omitempty"`
}

// Change is what a build is told of the change that its commit is part of.
type Change struct {
	Lines map[string][]reports.LineRange `json:"lines"` // those that changed, by file
	Asked
}

// Sides are the two commits of a change, built.
type Sides struct {
	Head, Base []Job
	BaseErr    error // why there is no Base
}

// BothSides builds the commits of a change. What the head calls stands against the same calls of the base, and a
// pointer that either takes null for possible may be null in both: a check that is gone is missed. The error is the
// head's.
func BothSides(head, base func(Asked) ([]Job, error)) (*Sides, error) {
	heads, err := head(Asked{})
	if err != nil {
		return nil, err
	}
	s := &Sides{Head: heads}
	ask := Asked{Called: CalledIn(heads), MayBeNull: MayBeNull(heads)}
	if s.Base, s.BaseErr = base(ask); s.BaseErr != nil {
		return s, nil
	}
	more := MayBeNull(s.Base)
	if slices.ContainsFunc(more, func(p string) bool { return !slices.Contains(ask.MayBeNull, p) }) {
		s.Head, err = head(Asked{MayBeNull: more})
	}
	return s, err
}

// TryOn lets jobs of the base begin with the inputs that violate the head: a violation that the base has, too, is
// known, however much time its search would take.
func TryOn(bases []Job, head []verdict.Result) {
	type key struct{ target, entry string }
	tried := map[key][][]verdict.Input{}
	for i := range head {
		k := key{head[i].Target, head[i].Entry}
		for _, c := range head[i].Claims {
			if c.Status == verdict.Violated && len(c.Inputs) > 0 {
				tried[k] = append(tried[k], c.Inputs)
			}
		}
	}
	for i := range bases {
		bases[i].Plan.Tried = tried[key{bases[i].Plan.Target, bases[i].Name()}]
	}
}
