package verdict

import (
	"encoding/hex"
	"hash/fnv"
	"slices"
	"strconv"
)

// Assumption is something that an answer takes for granted.
type Assumption struct {
	ID      string `json:"id"`                // RELATION@SUBJECT, and a digest of the text
	Subject string `json:"subject,omitempty"` // a pointer, number, variable or function; empty: the run as a whole
	Other   string `json:"other,omitempty"`   // with Apart: the other pointer, or a variable; with Quiet: the handler, if it is one;
	// with Calls: Replaceable, or the kind of stub that says so; with Contents that a harness made up: its function;
	// with Extent: the number that counts it; with Nullness: Linked; with Contents of a variable: Sole;
	// with an Interval that the program itself keeps a volatile number in: Stored, or StoredHere; with Meaning of one: Meanwhile
	Relation Relation `json:"relation"`
	Origin   Origin   `json:"origin"`
	Text     string   `json:"text"`           // shown; nothing is decided by it
	Line     string   `json:"line,omitempty"` // what `assume` of the manifest says instead, where that is as much; of Subject
}

// Relation says what is assumed of a subject.
type Relation string

// The relations.
const (
	Extent   Relation = "extent"   // how much a pointer leads to
	Front    Relation = "front"    // what a pointer leads to has more in front
	Apart    Relation = "apart"    // blocks that pointers lead to do not overlap
	Limit    Relation = "limit"    // a number is no greater than a bound that the tool chose
	Interval Relation = "range"    // a number lies in a range
	Contents Relation = "contents" // what memory holds
	Nullness Relation = "null"     // whether a pointer is null
	Calls    Relation = "call"     // what a call does whose code is not there
	Start    Relation = "start"    // a variable has its initial value
	Order    Relation = "order"    // how blocks stand to each other in memory
	Quiet    Relation = "quiet"    // no handler of interrupts changes a variable while a function runs
	Mapped   Relation = "mapped"   // something is at an address
	Meaning  Relation = "meaning"  // what C, the library, the machine or the environment leaves open
)

// MayBeNull is the Line of an assumption that a pointer is not null, which the program compares with null.
const MayBeNull = "may be null"

// Linked is the Other of an assumption that a member is not null which leads to a structure of its own kind: null may end
// the list or tree there, whether or not the program asks.
const Linked = "linked"

// Replaceable is the Other of an assumption about calls of a function that another file may define instead.
const Replaceable = "replaceable"

// Sole is the Other of an assumption that a volatile variable holds what the one function left there that writes it.
const Sole = "sole"

// Stored is the Other of an assumption that a volatile number is in the range which the program keeps it in: no caller has a
// say in that.
const Stored = "stored"

// StoredHere is the same of one that others may store something else in, for all that is known.
const StoredHere = "stored here"

// Meanwhile is the Other of an assumption about a volatile number that the program itself stores: other variables are not as
// they are at first while it is not. With them, a read of it may give what it never holds then.
const Meanwhile = "meanwhile"

// Origin says where an assumption comes from, which decides what it supports.
type Origin string

// The origins. A proof that rests on what is observed or chosen is Conditional, or Bounded where that is a Limit alone.
const (
	Declared Origin = "declared" // by the user: the manifest, an option, a harness
	Read     Origin = "read"     // off a declaration: a type, an attribute, an assertion at the head
	Shown    Origin = "proved"   // of all that the program does
	Observed Origin = "observed" // where the program's own code does it, which nothing holds others to
	Chosen   Origin = "chosen"   // by the tool
)

// Assume returns an assumption with its ID.
func Assume(subject string, relation Relation, origin Origin, text string) Assumption {
	h := fnv.New32a()
	h.Write([]byte(text)) // never fails
	return Assumption{ID: string(relation) + "@" + subject + "#" + hex.EncodeToString(h.Sum(nil)), Subject: subject,
		Relation: relation, Origin: origin, Text: text}
}

// MayBeReplaced reports that it is about a function that another file may define instead.
func (a *Assumption) MayBeReplaced() bool { return a.Relation == Calls && a.Other == Replaceable }

// ReadsOwn reports that it is about what a function finds in a volatile variable which it alone writes.
func (a *Assumption) ReadsOwn() bool { return a.Relation == Contents && a.Other == Sole }

// ReadsStored reports that it is about what the program stores in a volatile variable, and others may not.
func (a *Assumption) ReadsStored() bool { return a.Relation == Interval && a.Other == StoredHere }

// MayBeNull reports that a pointer is not null, for all that anybody says.
func (a *Assumption) MayBeNull() bool { return a.Relation == Nullness && a.Line == MayBeNull }

// Guessed reports whether nothing but the tool, or the calls that it happened to see, says so.
func (a *Assumption) Guessed() bool { return a.Origin == Chosen || a.Origin == Observed }

// MappedPage is how much of the address space one assumption about registers is about, in bytes: those of a peripheral
// lie within.
const MappedPage uint64 = 1 << 12

// MappedAt is the assumption that a device has registers around an address, where the memory map has nothing.
func MappedAt(addr uint64) Assumption {
	from := addr &^ (MappedPage - 1)
	hex := func(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }
	return Assume(hex(from), Mapped, Chosen,
		"a device has registers in "+hex(from)+".."+hex(from+MappedPage-1)+", where the memory map has nothing")
}

// AddAssumptions appends to list those of more that it does not hold.
func AddAssumptions(list []Assumption, more ...Assumption) []Assumption {
	for _, a := range more {
		if !slices.ContainsFunc(list, func(b Assumption) bool { return a.ID == b.ID }) {
			list = append(list, a)
		}
	}
	return list
}

// TextsOf lists the texts of assumptions.
func TextsOf(list []Assumption) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Text
	}
	return out
}

// Adds reports whether claim k of r rests on a guess that another form of it does not.
func (r *Result) Adds(k, other *Claim) bool {
	return slices.ContainsFunc(r.RestsOn(k), func(a Assumption) bool {
		return a.Guessed() && !slices.Contains(other.Assumptions, a.ID)
	})
}

// RestsOn lists the assumptions of r that claim c names.
func (r *Result) RestsOn(c *Claim) []Assumption {
	var out []Assumption
	for _, a := range r.Assumptions {
		if slices.Contains(c.Assumptions, a.ID) {
			out = append(out, a)
		}
	}
	return out
}
