package verdict

import "strings"

// before ends the IDs of violations by an access before the start of what it may touch: past its end is another
// finding of the same claim.
const before = "-before"

// Site returns the ID of a claim without the way in which it fails.
func Site(id string) string { return strings.TrimSuffix(id, before) }

// IsBefore reports that the access is before the start of what it may touch. o may be nil.
func (o *Object) IsBefore() bool { return o != nil && o.Before }

// Wrapped reports that the number of an access wrapped around below zero, which no size of the object mends. o may be
// nil.
func (o *Object) Wrapped() bool { return o != nil && o.Wraps }

// Read reports that the access reads past the object, or in front of it. o may be nil.
func (o *Object) Read() bool { return o != nil && o.Reads }

// WayID returns the ID of the violation of a claim by a failed access of o, which may be nil: `memory@f#1a2b3c` past
// the end and for all else, `memory@f#1a2b3c-before` before the start.
func WayID(id string, o *Object) string {
	if o.IsBefore() {
		return Site(id) + before
	}
	return Site(id)
}

// Ways lists the IDs that violations of a claim that holds would have.
func Ways(id string) []string {
	if !strings.HasPrefix(id, string(Memory)+"@") {
		return []string{id}
	}
	return []string{Site(id), Site(id) + before}
}

// NameWays gives the violations of r the IDs of the ways in which they fail, and makes claims of Claim.Other. What holds
// of the executions without a violation names both.
func (r *Result) NameWays() {
	named := map[string][]string{} // the new IDs, by the old one
	var others []Claim
	for i := range r.Claims {
		c := &r.Claims[i]
		other := c.Other
		if c.Other = nil; c.Status != Violated {
			continue
		}
		id := c.ID
		c.ID = WayID(id, c.Object)
		named[id] = append(named[id], c.ID)
		if other != nil {
			o := *other
			o.ID, o.By, o.Assumptions, o.Behind = WayID(id, o.Object), c.By, c.Assumptions, c.Behind
			named[id] = append(named[id], o.ID)
			others = append(others, o)
		}
	}
	r.Claims = append(r.Claims, others...)
	for i := range r.Claims {
		c := &r.Claims[i]
		if ids := named[c.Behind]; ids != nil {
			c.Behind = ids[0]
		}
		var after []string
		for _, id := range c.After {
			if ids := named[id]; ids != nil {
				after = append(after, ids...)
			} else {
				after = append(after, id)
			}
		}
		c.After = after
	}
}
