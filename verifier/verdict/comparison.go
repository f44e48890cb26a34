package verdict

// Sameness says what two versions of a function do on the same inputs, from the same memory.
type Sameness string

// What they do.
const (
	Same        Sameness = "same"    // the same on all inputs, proved
	SameBounded Sameness = "bounded" // the same within the bounds and assumptions that are given
	Differs     Sameness = "differs" // here is an input; both were executed on it
	SameOpen    Sameness = "open"    // not decided, or not compared
	NotCompared Sameness = "waits"   // nobody compared them, as there was no time left; of a change alone
)

// Comparison is the answer for one function that changed.
type Comparison struct {
	Function    string       `json:"function"`      // as C names it
	Old         string       `json:"old,omitempty"` // its name in the old version, where that is another
	Target      string       `json:"target"`
	Against     string       `json:"against,omitempty"` // where one version is compared on two targets: the first of them
	Since       string       `json:"since,omitempty"`   // the tag that the old version is of; empty: of none
	Status      Sameness     `json:"status"`
	Pos         Pos          `json:"location"`         // of the new version
	Reason      *Reason      `json:"reason,omitempty"` // of open
	Differences []Difference `json:"differences,omitempty"`
	// checks that the old version violates: inputs that bring that about are not compared
	Excused []Excused `json:"excused,omitempty"`
	// what the answer holds under: of the harness, and of the comparison itself
	Assumptions []Assumption `json:"assumptions,omitempty"`
	Limits      []string     `json:"limits,omitempty"`
	// what layouts of one version have and those of the other one do not: it is not compared
	Layouts     []string `json:"layouts,omitempty"`
	Bounds      Bounds   `json:"bounds"`
	ProcessorMS int64    `json:"processor_ms"`
}

// Difference is a thing in which they differ, with an input that shows it.
type Difference struct {
	Kind   DifferenceKind `json:"kind"`
	Name   string         `json:"name,omitempty"` // what differs, in terms of C
	Pos    Pos            `json:"location"`       // in the new version
	Check  Check          `json:"check,omitempty"`
	Inputs []Input        `json:"inputs"`
	Old    string         `json:"old,omitempty"` // the value in the old version, where it is one
	New    string         `json:"new,omitempty"`
	Trace  []Step         `json:"trace,omitempty"` // both calls, the old version's first
}

// DifferenceKind says what differs.
type DifferenceKind string

// The kinds of Difference.
const (
	DiffersResult DifferenceKind = "result"
	DiffersMemory DifferenceKind = "memory" // that was written
	DiffersEvent  DifferenceKind = "event"  // a call of a function without a body, or a volatile access
	DiffersCheck  DifferenceKind = "check"  // the new version violates a check
)

// Excused is a check that the old version violates.
type Excused struct {
	Check Check `json:"check"`
	Pos   Pos   `json:"location"` // in the old version
}

// Comparisons is the answer of `diff`, as JSON shows it.
type Comparisons struct {
	Version     int          `json:"version"`
	Tool        Tool         `json:"tool"`
	Comparisons []Comparison `json:"comparisons"`
	Added       []string     `json:"added,omitempty"` // functions that the new version alone has
	Gone        []string     `json:"gone,omitempty"`  // that the old one alone has
}

// Count returns how many functions have that answer.
func (c *Comparisons) Count(s Sameness) int {
	n := 0
	for i := range c.Comparisons {
		if c.Comparisons[i].Status == s {
			n++
		}
	}
	return n
}
