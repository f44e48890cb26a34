package verdict

import "strings"

// before ends the IDs of violations by an access before the start of what it may touch: past its end is another
// finding of the same claim.
const before = "-before"

// Site returns the ID of a claim without the way in which it fails.
func Site(id string) string { return strings.TrimSuffix(id, before) }

// Before reports that the access is before the first byte that it may touch. o may be nil.
func (o *Object) Before() bool { return o != nil && o.Offset < o.From }

// WayID returns the ID of the violation of a claim by a failed access of o, which may be nil: `memory@f#1a2b3c` past
// the end and for all else, `memory@f#1a2b3c-before` before the start.
func WayID(id string, o *Object) string {
	if o.Before() {
		return Site(id) + before
	}
	return Site(id)
}

// Finding returns the ID that a violation is known by, also where a report of an earlier version has it by another.
func (c *Claim) Finding() string {
	if c.Status == Violated && c.Object.Before() {
		return WayID(c.ID, c.Object)
	}
	return c.ID
}

// Ways lists the IDs that violations of a claim that holds would have.
func Ways(id string) []string {
	if !strings.HasPrefix(id, string(Memory)+"@") {
		return []string{id}
	}
	return []string{Site(id), Site(id) + before}
}
