package verdict

// Change is what executions of both commits of a change show: of the base, whose result it is part of, and the head.
type Change struct {
	// by the ID of a violation of the base: what the head does on its inputs
	Ends map[string]Ending `json:"ends,omitempty"`
	// by the ID of a violation of the head: the claim that the base violates on its inputs; where that is another one, and
	// the base violates the same on inputs beside them, this one
	Same map[string]string `json:"same,omitempty"`
	// violations of the head by inputs on which the base fails nowhere
	New []Claim `json:"new,omitempty"`
	// violations of the base by inputs on which the head fails nowhere, that the base's own answer does not have
	Mended []Claim `json:"mended,omitempty"`
	// IDs of New and Mended that are findings since the other commit comes to the same place on the same inputs and
	// does not fail: by themselves they rest on what a generated harness made up
	Relative []string `json:"relative,omitempty"`
	// what some of New and Mended name as their assumptions, and the commit's own answer does not have
	Assumptions []Assumption `json:"assumptions,omitempty"`
	// entries of the head that make all calls of this one's function: what each of them proves, New does not refute
	Callers []string `json:"callers,omitempty"`
	// what both versions of a function do, where that is what was asked, and nothing else
	Behaviour *Comparison `json:"behaviour,omitempty"`
}

// Ending says what an execution of another commit on the inputs of a violation comes to.
type Ending struct {
	How EndingKind `json:"how"`
	// of one that fails: the ID of the claim that it violates
	Claim string `json:"claim,omitempty"`
}

// EndingKind says how it ends.
type EndingKind string

// The kinds of Ending.
const (
	Fails  EndingKind = "fails"
	Passes EndingKind = "passes" // it was asked for those inputs, and came to an end without a failure
	Open   EndingKind = "open"   // anything else: by an assumption, or with inputs that are no longer asked for
)

// NewOf returns the violation of the head for a claim that the base does not fail with, nil: none is known. c may be
// nil.
func (c *Change) NewOf(id string) *Claim {
	if c == nil {
		return nil
	}
	for i := range c.New {
		if c.New[i].ID == id {
			return &c.New[i]
		}
	}
	return nil
}

// EndOf returns what the head does on the inputs of a violation of the base. c may be nil.
func (c *Change) EndOf(id string) Ending {
	if c != nil {
		if e, known := c.Ends[id]; known {
			return e
		}
	}
	return Ending{How: Open}
}
