package verdict

import (
	"fmt"
	"sort"
	"strings"
)

// TimeOver is the warning that the time was over where no claim is unknown for want of it.
const TimeOver = "the time given was used up: what stands behind violations may not have been looked at"

// Check names a property, as in --checks and in reports.
type Check string

// Property is the row of a check: the texts that the manual and `firmproof explain` are made from, and what
// the engines have to know of it. Adding a check is a row here, a line in `encode/sites.go` that says at which
// instructions it is claimed, its condition in `encode` and `interp`, and a pair of programs in the corpus of checks.
type Property struct {
	Check   Check
	Title   string
	CWE     string // "CWE-190", or empty
	MISRA   string // MISRA C:2012 rule or directive, or empty
	CERT    string // CERT C rule, or empty
	Default bool   // part of `default`
	Holds   string // of one claim that holds, in a few words
	Meaning string
	Bad     string // C that violates it
	Good    string // the same, mended

	// Severity is how bad a violation is, as GitHub's code scanning sorts it: from 7 on high, from 9 on critical. 0: no
	// statement about security.
	Severity float64

	Decided Decided
	Past    Past
	Driver  bool // also claimed in functions that the driver makes around the entry
}

// Decided says what settles a check's claims.
type Decided uint8

// The ways to settle a claim.
const (
	ByPaths Decided = iota // the condition at an instruction, on the paths that get there
	ByBound                // it is the bound of an unwinding: nothing to settle beside other claims
	ByGraph                // the whole program, from its graph of abstract states
)

// Past says whether a run goes on behind a violation of a check, or where the check is off.
type Past uint8

// The ways to go on.
const (
	PastTrap  Past = iota // only where it is a trap of the compiler, beside which the program goes on
	PastNone              // never
	PastWraps             // as a program compiled with -fwrapv does: the result is the machine's
	PastUses              // with what is there: an indeterminate value as it is, behind an assertion of a harness
)

// Of is the row of c; an unknown check has an empty one.
func (c Check) Of() Property {
	p, _ := Lookup(string(c))
	return p
}

// Properties lists every check in the order of the manual.
func Properties() []Property { return append([]Property(nil), properties...) }

// Lookup finds a check by name.
func Lookup(name string) (Property, bool) {
	for _, p := range properties {
		if string(p.Check) == name {
			return p, true
		}
	}
	return Property{}, false
}

// CheckSet is a set of checks.
type CheckSet map[Check]bool

// Has reports whether c is in the set.
func (s CheckSet) Has(c Check) bool { return s[c] }

// Names lists the set in the order of the manual.
func (s CheckSet) Names() []string {
	var out []string
	for _, p := range properties {
		if s[p.Check] {
			out = append(out, string(p.Check))
		}
	}
	return out
}

// DefaultChecks returns what runs when nothing is said.
func DefaultChecks() CheckSet {
	s := CheckSet{}
	for _, p := range properties {
		if p.Default {
			s[p.Check] = true
		}
	}
	return s
}

// DefinedChecks returns the default checks but for those whose violation leaves nothing undefined: a run goes on there.
func DefinedChecks() CheckSet {
	s := DefaultChecks()
	delete(s, Race)
	delete(s, Register)
	return s
}

// ParseChecks reads a list such as "default,termination,-shift". `default` and
// `all` name groups; a leading `-` removes; an unknown name is an error with the
// nearest known one.
func ParseChecks(list []string) (CheckSet, error) {
	if len(list) == 0 {
		return DefaultChecks(), nil
	}
	s := CheckSet{}
	if strings.HasPrefix(list[0], "-") {
		s = DefaultChecks()
	}
	for _, raw := range list {
		name, drop := strings.CutPrefix(strings.TrimSpace(raw), "-")
		var group []Check
		switch name {
		case "":
			continue
		case "default":
			for c := range DefaultChecks() {
				group = append(group, c)
			}
		case "all":
			for _, p := range properties {
				group = append(group, p.Check)
			}
		default:
			if _, ok := Lookup(name); !ok {
				return nil, fmt.Errorf("unknown check %q%s (known: default, all, %s)", name,
					Meant(name, checkNames()), strings.Join(checkNames(), ", "))
			}
			group = []Check{Check(name)}
		}
		for _, c := range group {
			if drop {
				delete(s, c)
			} else {
				s[c] = true
			}
		}
	}
	if len(s) == 0 {
		return nil, fmt.Errorf("checks %s: none is left", strings.Join(list, ","))
	}
	return s, nil
}

func checkNames() []string {
	var out []string
	for _, p := range properties {
		out = append(out, string(p.Check))
	}
	return out
}

// Nearest gives the candidate with the smallest edit distance to name (ties: first in sorted order), or "".
func Nearest(name string, candidates []string) string {
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	best, bestDist := "", 1<<30
	for _, c := range sorted {
		if d := Distance(strings.ToLower(name), strings.ToLower(c)); d < bestDist {
			best, bestDist = c, d
		}
	}
	return best
}

// Meant asks, behind the sentence about an unknown name, whether the nearest candidate was meant; "" where none is near.
func Meant(name string, candidates []string) string {
	near := Nearest(name, candidates)
	if near == "" || Distance(strings.ToLower(name), strings.ToLower(near)) > 1+len(name)/3 {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", near)
}

// Distance is Levenshtein's, over bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next := min(row[j]+1, row[j-1]+1, diag+cost)
			diag, row[j] = row[j], next
		}
	}
	return row[len(b)]
}
