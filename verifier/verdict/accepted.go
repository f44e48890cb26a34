package verdict

import (
	"fmt"
	"strings"
)

// Accepted says why a violation, or an unknown, does not count. Its claim keeps its status.
type Accepted struct {
	Reason string `json:"reason"`
	By     string `json:"by,omitempty"`    // who decided it
	Until  string `json:"until,omitempty"` // the day from which on it counts again, as 2027-01-31; empty: never
}

// String says it in a sentence; "" for none.
func (a *Accepted) String() string {
	if a == nil {
		return ""
	}
	var more []string
	if a.By != "" {
		more = append(more, "by "+a.By)
	}
	if a.Until != "" {
		more = append(more, "until "+a.Until)
	}
	if len(more) == 0 {
		return a.Reason
	}
	return fmt.Sprintf("%s (%s)", a.Reason, strings.Join(more, ", "))
}

// Baseline says whether an earlier report has a violation, too.
type Baseline string

// The values; empty where the report is held to no other.
const (
	New   Baseline = "new"
	Known Baseline = "known"
)

// Counts reports whether c is a violation that asks for something: nobody accepted it, and it was not there before.
func (c *Claim) Counts() bool {
	return c.Status == Violated && c.Accepted == nil && c.Baseline != Known
}

// IsAccepted reports whether r is violated, and all that is violated was accepted. A result without its claims is not.
func (r *Result) IsAccepted() bool {
	return r.allViolated(func(c *Claim) bool { return c.Accepted != nil })
}

// IsKnown reports whether r is violated, and nothing of that counts.
func (r *Result) IsKnown() bool { return r.allViolated(func(c *Claim) bool { return !c.Counts() }) }

// allViolated reports whether there are violated claims, and all are as is says.
func (r *Result) allViolated(is func(*Claim) bool) bool {
	any := false
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Status == Violated {
			if any = true; !is(c) {
				return false
			}
		}
	}
	return any
}

// AnyBefore in Claim.After stands for every violated claim of the result.
const AnyBefore = "*"

// StandBehind makes what holds of the executions without a violation that off accepts, and of no others, unknown: it
// stands behind that one. r is summarised.
func (r *Result) StandBehind(off func(*Claim) bool) {
	violated := map[string]bool{} // those that off accepts
	for i := range r.Claims {
		if c := &r.Claims[i]; c.Status == Violated && off(c) {
			violated[c.ID] = true
		}
	}
	if len(violated) == 0 {
		return
	}
	first := sortedFirst(violated)
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Status != Proved && c.Status != Bounded && c.Status != Conditional {
			continue
		}
		for _, id := range c.After {
			if id == AnyBefore {
				id = first
			}
			if violated[id] {
				c.Learn(Behind)
				c.Certificate, c.Evidence, c.Behind = nil, nil, id
				c.Reason = &Reason{Kind: Shadowed, Detail: "it holds where " + id + " is not violated before, which it is",
					Remedy: "mend that one"}
				break
			}
		}
	}
	r.Summarise()
}

func sortedFirst(set map[string]bool) string {
	first := ""
	for id := range set {
		if first == "" || id < first {
			first = id
		}
	}
	return first
}
