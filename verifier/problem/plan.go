package problem

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Plan says what to verify and within which limits. The context given to a run carries the time limit.
type Plan struct {
	ir.Semantics
	Target    string
	Entry     string
	Checks    verdict.CheckSet
	Unwind    int            // turns per loop; 0: deepen until everything is settled or time is up
	UnwindSet map[string]int // by loop name func.index or file:line
	Depth     int            // nested calls; 0: recursion grows with the rounds, other calls nest as they do
	Memory    int64          // bytes for the solver, 0: no limit
	Integers  string         // "bitvector" or "unbounded" (mathematical integers, for termination and complexity)
	Solver    string         // "auto", "cadical", ...
	// techniques that are left out, by name (verifier.Techniques): to see what each earns
	Off map[string]bool `json:",omitempty"`

	Past   ir.Past `json:"-"` // claims that are left out: runs go on past them
	Hosted bool    // an operating system calls main with its arguments
	// nobody named the check termination: it gets a part of the time, loops that are meant to go on for ever are no
	// violation, and what stays open is a warning
	EndsUnasked bool
	Undefined   []string             // variables that the program declares and does not define: nobody knows what they hold
	Generated   bool                 // nobody wrote the entry: a function in which nothing can fail is no fault of a harness
	Assumptions []verdict.Assumption // what the program was changed by before, for the result
	// brings the entry's function about by calls that make the state it starts from; nil: none does
	Calls *Calls `json:",omitempty"`
	// the same call with longer strings and more elements, for executions; nil: there is no other
	Wide *Wide `json:",omitempty"`
	// the same call with pointers that may lead to one place; nil: there is no other
	Overlap *Wide `json:",omitempty"`
	// the same call with strings and lengths past the arrays of the code: some of them, and all
	Longer []*Wide `json:",omitempty"`
	// the same call with what other functions of the program make; nil: they make nothing for it
	Made *Wide `json:",omitempty"`
	// texts that the project's tests hand to the program: what both commits of a change are executed on begins with them
	Samples [][]byte             `json:",omitempty"`
	Open    []verdict.Assumption // contents that a harness made up, and the line of `assume` that would settle each
	Guesses []string             `json:",omitempty"` // pointers of the entry, of which a harness guessed how much they lead to
	Texts   []string             `json:",omitempty"` // those of them to characters

	Coverage  bool              // find out which lines and branches executions come to
	Relevant  bool              // traces hold only the steps that the failure depends on
	Detailed  bool              // traces hold branches too, and what variables hold before they are written
	Alone     bool              `json:",omitempty"` // what only executions past a violation come to stays open
	FirstOnly bool              // stop at the first confirmed violation
	StopAfter string            // "encode": make the formula, decide nothing
	Tried     [][]verdict.Input `json:"tried,omitempty"` // inputs of violations found before: they are tried first
	// folder for the SAT solver's proofs, which are checked; empty for none
	Proofs string `json:"-"`
	// of earlier runs of the same engine on this entry; may be nil
	Answers  *solve.Answers `json:"-"`
	Progress func(Progress) `json:"-"` // may be nil; called from the running goroutine
	// may be nil; called once for each violation, as soon as it is confirmed
	Found func(verdict.Claim)   `json:"-"`
	Dump  func(stage, s string) `json:"-"` // receives printed stages asked for by Dumps; may be nil
	Dumps map[string]bool       `json:"-"` // ir, ilr, smt2, dimacs, seg, its
}

// Wide is an entry that a generated harness has beside its own (harness.Program.Wide, Overlapping, Made, Longer).
type Wide struct {
	Entry             string
	Assumptions, Open []verdict.Assumption // in the place of the plan's
}

// Calls are entries beside the one of a plan: of calls in any order (harness.Program.Calls), and of one call whatever
// variables hold (harness.Program.AnyState). Each may be missing.
type Calls struct {
	AnyState            string               // the second one
	AnyStateAssumptions []verdict.Assumption // of it

	Entry             string
	Functions         []string // that it calls, by their names in C
	Of                string   // of them, the one that the question is about, by its name in the object file
	Alone             bool     // one call of them shows nothing: it rests on a structure that no function makes
	Assumptions, Open []verdict.Assumption
	// IDs of assumptions that are too weak to settle what is unknown: the program has such structures from elsewhere, too
	Elsewhere []string
	Guesses   []string // the same of this one
}

// GuessedIn lists the pointers of which a harness guessed how much they lead to, whose blocks a failure is about.
func (p *Plan) GuessedIn(c *verdict.Claim) []string {
	return slices.DeleteFunc(c.Failure.Names(verdict.ByHarness), func(name string) bool { return !slices.Contains(p.Guesses, name) })
}

// Part returns what of m the plan is about; nil where m does not define its entry.
func (p *Plan) Part(m *ir.Module) *ir.Module {
	entry := m.Func(p.Entry)
	if entry == nil || entry.IsDecl() {
		return nil
	}
	all := []*ir.Func{entry}
	if p.Calls != nil {
		all = append(all, m.Func(p.Calls.Entry), m.Func(p.Calls.AnyState))
	}
	for _, w := range p.others() {
		if w != nil {
			all = append(all, m.Func(w.Entry))
		}
	}
	return m.Part(all...)
}

// others lists the entries beside the one of the plan.
func (p *Plan) others() []*Wide {
	return append([]*Wide{p.Wide, p.Overlap, p.Made}, p.Longer...)
}

// LeaveOthers leaves out the entries beside the one of the plan, but for calls.
func (p *Plan) LeaveOthers() { p.Wide, p.Overlap, p.Made, p.Longer = nil, nil, nil, nil }

// Beside returns the plan of another entry of the same program, with its own assumptions.
func (p *Plan) Beside(entry string, assumptions, open []verdict.Assumption) Plan {
	q := *p
	q.Entry, q.Assumptions, q.Open, q.Calls = entry, slices.Clone(assumptions), open, nil
	return q
}

// On reports whether the technique of that name is not left out.
func (p *Plan) On(technique string) bool { return !p.Off[technique] }

// Progress is a snapshot for a progress line.
type Progress struct {
	Stage  string
	Done   int // claims settled
	Total  int
	Unwind int
}
