package verdict

import (
	"encoding/json"
	"io"
	"slices"
)

// Stage holds what one stage of one run cost.
type Stage struct {
	Name    string           `json:"name"` // compile, read, encode, simplify, blast, solve, replay, ...
	Seconds float64          `json:"seconds"`
	Peak    int64            `json:"peak_rss_bytes,omitempty"`
	Counts  map[string]int64 `json:"counts,omitempty"` // terms, gates, clauses, conflicts, calls, ...
}

// FromCache is the value of Reused for an answer from the folder of --cache.
const FromCache = "cache"

// Result is everything about one entry on one target.
type Result struct {
	Target      string       `json:"target"`
	Entry       string       `json:"entry"`
	At          *Pos         `json:"location,omitempty"` // of the entry's head, if it is known
	Status      Status       `json:"status"`
	DurationMS  int64        `json:"duration_ms"`
	ProcessorMS int64        `json:"processor_ms,omitempty"` // of all its engines and solvers together
	PeakRSS     int64        `json:"peak_rss_bytes"`
	Bounds      Bounds       `json:"bounds"`
	Claims      []Claim      `json:"claims"`
	Wider       []Claim      `json:"wider,omitempty"` // what TakeWider puts in the place of violations that are withdrawn
	Complexity  *Complexity  `json:"complexity,omitempty"`
	Coverage    *Coverage    `json:"coverage,omitempty"` // where it was asked for
	Stages      []Stage      `json:"stages,omitempty"`
	Assumptions []Assumption `json:"assumptions,omitempty"` // that its answers rest on
	Warnings    []string     `json:"warnings,omitempty"`    // vacuity, dropped flags, ...
	Reason      *Reason      `json:"reason,omitempty"`      // why the whole entry is unknown, if it is
	// whether every run ends, which nobody asked, was not decided: nothing here says that it does
	EndsOpen bool `json:"ends_open,omitempty"`
	// the time was over, which only a warning says: no claim is unknown or bounded for want of it
	CutShort bool `json:"cut_short,omitempty"`
	// why what holds says nothing about the program: contradictory assumptions, nothing checked
	Vacuous *Reason `json:"vacuous,omitempty"`
	// what C means on the target, where it differs between targets
	Machine *Machine `json:"machine,omitempty"`
	// the run that gave this answer before, if nothing that it rests on has changed since
	Reused string `json:"reused,omitempty"`
	// of the base of a change: what executions of both commits show; no report has it
	Change *Change `json:"change,omitempty"`
	// violations that were withdrawn, without their traces
	Left []Claim `json:"-"`
	// every path was followed to its end, or to a violation
	Followed bool `json:"-"`
}

// Machine says what C leaves to the machine: sizes in bytes, and how values lie in memory.
type Machine struct {
	Int        int    `json:"int"`
	Long       int    `json:"long"`
	Pointer    int    `json:"pointer"`
	Endian     string `json:"endian"`      // "little" or "big"
	Char       string `json:"char"`        // "signed" or "unsigned"
	AlignInt   int    `json:"align_int"`   // of int
	AlignLarge int    `json:"align_large"` // of long long
}

// Tool names the program that made a Report.
type Tool struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Compiler string `json:"compiler,omitempty"`
	Solver   string `json:"solver,omitempty"`
}

// Report is the one value that leaves the engine.
type Report struct {
	Version int      `json:"version"` // of this format: 1
	Tool    Tool     `json:"tool"`
	Results []Result `json:"results"`

	// a line for each claim that targets disagree about, with the reason
	Differences []string `json:"differences,omitempty"`
	// the lines that counterexamples go through, by file, where the report is read without the sources
	Sources map[string]Source `json:"sources,omitempty"`
}

// Source is a piece of a source file.
type Source struct {
	From  int      `json:"from"` // number of the first line
	Lines []string `json:"lines"`
}

// IsShadowed reports whether c is unknown only because every execution that
// reaches it violates another claim first.
func (c *Claim) IsShadowed() bool { return c.Reason != nil && c.Reason.Kind == Shadowed }

// Always reports whether c holds for any number of loop turns, under its assumptions.
func (c *Claim) Always() bool {
	return c.Status == Proved || (c.Status == Bounded || c.Status == Conditional) && c.Certificate != nil
}

// Undecided reports whether something is left to be found out.
func (r *Result) Undecided() bool {
	return r.Reason != nil || slices.ContainsFunc(r.Claims, func(c Claim) bool {
		return c.Status == Unknown && !c.IsShadowed()
	})
}

// Summarise sets r.Status from its claims: the worst of them, Unknown with a
// whole-entry Reason, Proved when there is nothing to check. A bound that was
// reached does not count when all else is proved without it, by invariants.
func (r *Result) Summarise() {
	s, unwinding, others := Proved, Proved, 0
	if r.Reason != nil {
		s = Unknown
	}
	for i := range r.Claims {
		switch c := &r.Claims[i]; {
		case c.Accepted != nil && c.Status == Unknown:
		case c.Check == Unwinding:
			unwinding = Worse(unwinding, c.Status)
		default:
			s = Worse(s, c.Status)
			others++
		}
	}
	if s != Proved || others == 0 {
		s = Worse(s, unwinding)
	}
	r.Status = s
}

// Status is the worst status over all results.
func (r *Report) Status() Status {
	s := Invalid
	for i := range r.Results {
		s = Worse(s, r.Results[i].Status)
	}
	return s
}

// WriteJSON writes the report as one indented object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}
