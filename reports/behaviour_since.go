package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Since says what functions do that have to do what they do at a tag.
type Since struct {
	Tag         string               `json:"tag"`
	Functions   []string             `json:"functions"`       // patterns
	Asked       int                  `json:"asked,omitempty"` // of Functions, those whose code is another: each has a comparison
	Comparisons []verdict.Comparison `json:"comparisons,omitempty"`
	Gone        []string             `json:"gone,omitempty"`    // of Functions, those that the head does not have
	Nothing     []string             `json:"nothing,omitempty"` // of Functions, those that stand for none that is built of the tag
	Unknown     string               `json:"unknown,omitempty"` // why nothing was compared
}

// with returns what two targets say; either may be nil.
func (s *Since) with(other *Since) *Since {
	if s == nil {
		return other
	}
	if other == nil {
		return s
	}
	out := *s
	out.Asked += other.Asked
	out.Comparisons = slices.Concat(s.Comparisons, other.Comparisons)
	out.Gone, out.Nothing = union(s.Gone, other.Gone), union(s.Nothing, other.Nothing)
	if out.Unknown == "" {
		out.Unknown = other.Unknown
	}
	return &out
}

// breaks reports whether a function does something else, or is gone. s may be nil.
func (s *Since) breaks() bool {
	return s != nil && (len(s.Gone) > 0 || slices.ContainsFunc(s.Comparisons, func(c verdict.Comparison) bool {
		return c.Status == verdict.Differs
	}))
}

// unsure reports whether it is not proved that all do the same. s may be nil.
func (s *Since) unsure() bool {
	return s != nil && (s.Unknown != "" || s.left() > 0 || slices.ContainsFunc(s.Comparisons, func(c verdict.Comparison) bool {
		return c.Status != verdict.Same
	}))
}

// left counts the functions whose comparison was not come to.
func (s *Since) left() int { return s.Asked - len(s.Comparisons) }

// sinceText says what functions do that have to do the same as at a tag; empty if none have to.
func (b *Behaviour) sinceText() string {
	s := b.Since
	if s == nil {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n\n**Unchanged since " + Inert(line(s.Tag)) + "** (" + someNames(s.Functions) + "): ")
	switch {
	case s.Unknown != "":
		out.WriteString("not known, as it cannot be compared: " + Inert(line(s.Unknown)) + "\n")
	case s.Asked > 0:
		all := counts(s.Comparisons)
		if n := s.left(); n > 0 {
			all = strings.TrimPrefix(fmt.Sprintf("%s, %d not compared", all, n), ", ")
		}
		out.WriteString(all + ".\n\n")
	case len(s.Gone) == 0:
		out.WriteString("their code is what it was, and that of what they call.\n")
	}
	if len(s.Comparisons) > 0 {
		out.WriteString(b.table(s.Comparisons) + layouts(s.Comparisons))
	}
	if len(s.Gone) > 0 {
		out.WriteString("\nGone since then: " + someNames(s.Gone) + ".\n")
	}
	if len(s.Nothing) > 0 {
		out.WriteString("\nNo function there: " + someNames(s.Nothing) + ".\n")
	}
	return out.String() + bothCalls(s.Comparisons)
}
