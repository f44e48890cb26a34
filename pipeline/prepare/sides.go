package prepare

import (
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Asked holds what a commit of a change is verified with on behalf of the other one: what only one of them is asked
// cannot be told to be new or known.
type Asked struct {
	// functions that get a generated harness whatever changed; nil: see the manifest
	Called []string `json:"called"`
	// FUNCTION.ARGUMENT: pointers that the other commit takes null for possible of
	MayBeNull []string `json:"may_be_null,omitempty"`
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
	BaseErr    error // why there is no Base
}

// BothSides builds the commits of a change. What the head calls stands against the same calls of the base. What either
// takes null for possible may be null in both: a pointer that it asks about, and a member that it asks about more
// often than the other. So a check that is gone is missed. The error is the head's.
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
	members := testedByOne(heads, s.Base)
	if more := append(MayBeNull(s.Base), members...); hasOther(more, ask.MayBeNull) {
		s.Head, err = head(Asked{MayBeNull: more})
	}
	if len(members) > 0 && err == nil {
		ask.MayBeNull = append(ask.MayBeNull, members...)
		s.Base, s.BaseErr = base(ask)
	}
	return s, err
}

func hasOther(list, known []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return !slices.Contains(known, p) })
}

// testedByOne lists members, as Asked.MayBeNull, of functions where the code of one commit compares a member with null
// and that of the other does not, or not as often: that member, and all that the function itself compares, which the
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

// TryOn lets jobs of the base begin with the inputs that violate the head: a violation that the base has, too, is
// known, however much time its search would take. Where objects lie is left to the execution: that depends on the
// whole program.
func TryOn(bases []Job, head []verdict.Result) {
	type key struct{ target, entry string }
	tried := map[key][][]verdict.Input{}
	for i := range head {
		k := key{head[i].Target, head[i].Entry}
		for _, c := range head[i].Claims {
			if c.Status == verdict.Violated && len(c.Inputs) > 0 {
				tried[k] = append(tried[k], slices.DeleteFunc(slices.Clone(c.Inputs), func(in verdict.Input) bool {
					return in.Kind == input.Base.String()
				}))
			}
		}
	}
	for i := range bases {
		bases[i].Plan.Tried = tried[key{bases[i].Plan.Target, bases[i].Name()}]
	}
}
