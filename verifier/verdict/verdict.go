// Package verdict is the vocabulary that every other package may show: what was
// asked (Check), where (Pos), what came out (Status, Claim, Result, Report) and
// why (Reason, Certificate, Trace). It is plain data with one JSON form, the
// contract of `firmproof check --format json`.
//
// A Report holds one Result per (target, entry); a Result holds one Claim per
// checked instruction or property.
//
//	report, results[0]: target cortex-m3, entry ring_push_harness, status violated
//	  claim "memory@ring_push#2"  violated  src/ring.c:41:9  index 8 of 8   trace of 12 steps, replay confirmed
//	  claim "assert@harness#1"    proved    certificate: complete unwinding
package verdict

import (
	"fmt"
	"strings"
)

// Status is the answer for one claim, or the summary over several.
type Status uint8

// The zero Status is Invalid so that a forgotten answer is never a good one.
const (
	Invalid     Status = iota
	Proved             // holds for every execution; carries a Certificate
	Bounded            // no violation up to the printed bounds; never shown as proved
	Violated           // carries a Trace that a replay agreed with
	Unknown            // carries a Reason
	Conditional        // holds if what the tool chose to assume is so; never shown as proved
)

var statusNames = [...]string{"invalid", "proved", "bounded", "violated", "unknown", "conditional"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// Holds reports that a claim holds, under what its answer names.
func (s Status) Holds() bool { return s == Proved || s == Bounded || s == Conditional }

// MarshalText gives the name used in JSON.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name used in JSON.
func (s *Status) UnmarshalText(b []byte) error {
	for i, n := range statusNames {
		if n == string(b) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", b)
}

// Worse reports which of two statuses a summary shows: violated, unknown,
// conditional, bounded, proved, in that order of precedence.
func Worse(a, b Status) Status {
	if severity[a] >= severity[b] {
		return a
	}
	return b
}

var severity = [...]int{Invalid: 0, Proved: 1, Bounded: 2, Conditional: 3, Unknown: 4, Violated: 5}

// Pos is a place in the user's sources. Line and Column start at 1; 0 is unknown.
type Pos struct {
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
}

// LibraryDir is the folder that positions in the C library which is linked to programs (pipeline/compile) name.
const LibraryDir = "firmproof-libc"

// InLibrary reports whether p is in the C library that is linked to programs.
func (p Pos) InLibrary() bool { return strings.HasPrefix(p.File, LibraryDir+"/") }

func (p Pos) String() string {
	switch {
	case p.File == "" && p.Function == "":
		return "?"
	case p.File == "":
		return "in " + p.Function
	case p.Column > 0:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return p.File
}

// ReasonKind says why an answer is Unknown.
type ReasonKind string

// The kinds of Reason.
const (
	Unsupported    ReasonKind = "unsupported"     // a construct that is not modelled, by name
	BoundReached   ReasonKind = "bound"           // a bound was hit and the answer depends on it
	TimedOut       ReasonKind = "timeout"         // the processor time given was used up
	ClockOver      ReasonKind = "clock"           // the clock ended it, on a machine too busy to give that time
	OutOfMemory    ReasonKind = "memory"          // the memory given was used up
	SolverGaveUp   ReasonKind = "solver"          // the solver could not decide
	ReplayMismatch ReasonKind = "replay-mismatch" // the interpreter did not confirm a counterexample: a bug of ours
	Incomplete     ReasonKind = "incomplete"      // the method is not strong enough for this program
	Undefined      ReasonKind = "no-body"         // a call to a function without a body
	Internal       ReasonKind = "internal"        // a panic of ours, recovered
	Cancelled      ReasonKind = "cancelled"       // someone stopped the run
	Shadowed       ReasonKind = "shadowed"        // only reached past a violation that is reported on its own
	Vacuous        ReasonKind = "vacuous"         // what holds says nothing: no execution comes to what could fail
)

// PastUnknown starts the detail of a reason where executions come to a claim only past another that is unknown; what
// follows is the detail of that one's reason.
const PastUnknown = "executions come here only past a claim that is unknown: "

// Reason explains an Unknown: its kind, what exactly, where, and what would settle it.
type Reason struct {
	Kind   ReasonKind `json:"kind"`
	Detail string     `json:"detail"`
	Pos    *Pos       `json:"location,omitempty"`
	Remedy string     `json:"remedy,omitempty"`
	// of Undefined: the function without a body that is called
	Function string `json:"function,omitempty"`
	// Detail begins with PastUnknown
	Past bool `json:"past,omitempty"`
}

// NotDefined is why a failure is no finding that depends on what variables hold which are defined nowhere.
func NotDefined(names []string) *Reason {
	return &Reason{Kind: Incomplete, Detail: fmt.Sprintf("the failure depends on %s, which the program declares and does not define",
		strings.Join(names, ", ")), Remedy: "check the file that defines it, too, or have a harness set it"}
}

// OutOfTime reports that more time, or a less busy machine, might settle it.
func (r *Reason) OutOfTime() bool { return r != nil && (r.Kind == TimedOut || r.Kind == ClockOver) }

func (r *Reason) String() string {
	if r == nil {
		return ""
	}
	s := string(r.Kind) + ": " + r.Detail
	if r.Pos != nil {
		s += " at " + r.Pos.String()
	}
	if r.Remedy != "" {
		s += " (" + r.Remedy + ")"
	}
	return s
}

// StepKind classifies a trace step.
type StepKind string

// The kinds of Step.
const (
	StepCall      StepKind = "call"
	StepReturn    StepKind = "return"
	StepAssign    StepKind = "assign"
	StepBranch    StepKind = "branch"
	StepInput     StepKind = "input"
	StepVolatile  StepKind = "volatile-read"
	StepInterrupt StepKind = "interrupt"
	StepAlloc     StepKind = "alloc"
	StepFree      StepKind = "free"
	StepViolation StepKind = "violation"
)

// Step is one line of a counterexample in C terms. Value is in C syntax of Type;
// Bytes is the same in hexadecimal, memory order, when it is a scalar in memory.
type Step struct {
	Pos   Pos      `json:"location"`
	Kind  StepKind `json:"kind"`
	What  string   `json:"what"`
	Value string   `json:"value,omitempty"`
	Bytes string   `json:"bytes,omitempty"`
	Type  string   `json:"type,omitempty"`
	Depth int      `json:"depth,omitempty"` // call depth, 0 for the entry
	// of an assignment or a volatile read: the number of the object, from 1 in the order in which the trace meets them
	Object int `json:"object,omitempty"`
	// of an object that is a local: 1 + the call depth of the call that it belongs to
	Frame int `json:"frame,omitempty"`
	// in a generated harness: the pointer to the block that it allocates or fills here
	Behind  string `json:"behind,omitempty"`
	Pointer bool   `json:"pointer,omitempty"` // of an assignment: of a pointer, or an array of them
	// of an input that a call gives: the function; in a generated harness FUNCTION.PLACE
	From string `json:"from,omitempty"`
	Null bool   `json:"null,omitempty"` // such an input says whether the pointer there is null
	// of a call: the function's name in the object file; where the trace was made
	Callee string `json:"-"`

	Relevant bool `json:"relevant,omitempty"` // the failure depends on it, by values or by branches
	// of a relevant step: numbers of the steps (from 0) that it follows from, latest first
	Causes []int `json:"causes,omitempty"`
}

// LeavesOut reports whether turns of a loop are left out of the trace at s, a branch without a value.
func (s *Step) LeavesOut() bool { return s.Kind == StepBranch && s.Value == "" }

// Object is the piece of memory that a failed access was to leave, in bytes from its start.
type Object struct {
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"`
	Size   int64  `json:"size"`
	From   int64  `json:"from"` // the access may touch From..To-1: the object, or an array in it
	To     int64  `json:"to"`
	Offset int64  `json:"offset"` // of the access
	Width  int64  `json:"width"`
	Start  int64  `json:"start"`           // where Bytes begins
	Bytes  string `json:"bytes,omitempty"` // in hexadecimal; ?? is indeterminate, pp part of a pointer
	// in terms of C the access is before From, by a number that is negative
	Before bool `json:"before,omitempty"`
	// likewise by an unsigned number that wrapped around, which no size of the object mends
	Wraps bool `json:"wraps,omitempty"`
	// it is read, past the object or in front of it
	Reads bool `json:"reads,omitempty"`
}

// Replay says whether the interpreter reached the same failure.
type Replay string

// The outcomes of a replay.
const (
	Confirmed Replay = "confirmed"
	Mismatch  Replay = "mismatch"
	NotRun    Replay = "not-run"
)

// Claim is the answer for one property at one place.
type Claim struct {
	ID          string       `json:"id"` // stable across unrelated edits: check@function#digest of the expression
	Check       Check        `json:"check"`
	Status      Status       `json:"status"`
	By          string       `json:"by,omitempty"` // the engine that settled it; empty where it is unknown
	Message     string       `json:"message"`
	Pos         Pos          `json:"location"`
	Inside      *Pos         `json:"inside,omitempty"` // the place in LibraryDir, where Pos is the call that leads there
	Reason      *Reason      `json:"reason,omitempty"`
	Certificate *Certificate `json:"certificate,omitempty"`
	Trace       []Step       `json:"trace,omitempty"`
	// of a run that never ends: the step, from 1, at which the part begins that repeats, up to the last; 0: not known
	Cycle  int    `json:"cycle,omitempty"`
	Replay Replay `json:"replay,omitempty"`
	// of a violation, in what the check leaves open
	Failure *Failure `json:"failure,omitempty"`
	Object  *Object  `json:"object,omitempty"` // of an access out of bounds
	// what a run of the compiled program with these inputs showed (check --replay, replay)
	Machine     *MachineRun `json:"machine,omitempty"`
	Inputs      []Input     `json:"inputs,omitempty"`      // what the trace fed to the program, in order
	Unreachable bool        `json:"unreachable,omitempty"` // proved because no execution gets there
	// the ID of another violated claim: the trace goes on past its violation, or (shadowed) every execution ends there
	Behind string `json:"behind,omitempty"`
	// IDs of the assumptions of the result that the answer rests on: of a failure, those about what it depends on
	Assumptions []string  `json:"assumptions,omitempty"`
	Accepted    *Accepted `json:"accepted,omitempty"` // somebody decided that this one does not count
	Baseline    Baseline  `json:"baseline,omitempty"` // of a violation, where the report is held to an earlier one
	// of one that holds: the IDs of the violated claims that an execution may come to before it, or AnyBefore: it holds
	// of the executions that violate none of them
	After     []string `json:"after,omitempty"`
	Undefined []string `json:"undefined,omitempty"` // variables without a definition that the failure depends on
	// nobody named the check, termination: proofs are not shown at length
	Unasked bool `json:"unasked,omitempty"`
	// of a conditional one: it holds within the bounds that were reached, for all that is known
	Within bool `json:"within_bounds,omitempty"`
	known  Fact // what the status follows from
	// what the engine leaves for a certificate (package certificate); nil: nothing, or the answer was read from a file
	Evidence any `json:"-"`
	// of a violation: one of the same claim in another way (WayID), which becomes a claim of its own at the end
	Other *Claim `json:"-"`
}

// MachineRun holds what a run of the compiled program with a trace's inputs showed.
type MachineRun struct {
	Result MachineResult `json:"result"`
	Detail string        `json:"detail,omitempty"` // why not, in words
}

// MachineResult says whether the failure happened.
type MachineResult string

// The results of a run.
const (
	Reproduced    MachineResult = "reproduced"
	NotReproduced MachineResult = "not-reproduced"
	NotPossible   MachineResult = "not-possible" // no such machine here, or inputs that a program cannot be given
)

// Input is one value that the environment gave during a trace, in program order.
type Input struct {
	Kind  string `json:"kind"` // interp.InputKind: nondet, volatile, malloc, memory, base, unspecified, ...
	Name  string `json:"name,omitempty"`
	Width int    `json:"width"`
	Value string `json:"value"`           // hexadecimal, without prefix, most significant digit first
	Bytes string `json:"bytes,omitempty"` // havoc, memory: contents in hexadecimal, memory order; what follows is 0
	Pos   Pos    `json:"location"`
}

// LoopBound is how often a loop was unwound.
type LoopBound struct {
	Pos      Pos    `json:"location"`
	Name     string `json:"name"` // function.index, as --unwindset takes it
	Turns    int    `json:"turns"`
	Complete bool   `json:"complete"` // no execution takes more turns
}

// Bounds are the limits under which `bounded` claims hold.
type Bounds struct {
	Unwind int         `json:"unwind,omitempty"` // 0: found by deepening
	Depth  int         `json:"depth,omitempty"`
	Loops  []LoopBound `json:"loops,omitempty"`
	// how often interrupt handlers run, where they may run at all: of more runs nothing is said
	Handlers []Assumption `json:"handlers,omitempty"`
}

// Complexity is an upper bound of the executed instructions of an entry.
type Complexity struct {
	Bound string `json:"bound"` // a term over the entry's parameters
	Class string `json:"class"` // O(1), O(n^2), O(log(n)), ...
	Order string `json:"-"`     // Class without logarithms, as competitions print it

	Loops []LoopTurns  `json:"loops,omitempty"` // by function and position
	Runs  []CountedRun `json:"runs,omitempty"`  // by At
}

// CountedRun is an execution of an entry beside the bound of its length.
type CountedRun struct {
	At       int64  `json:"at"` // the value of every parameter
	Executed int64  `json:"executed"`
	Bound    string `json:"bound"` // a decimal number
}

// LoopTurns bounds how often the head of a loop is reached in a whole run, in all
// calls of its function together. It bounds the turns of the loop as well.
type LoopTurns struct {
	Name  string `json:"name"` // function.index, as --unwindset takes it
	Pos   Pos    `json:"location"`
	Bound string `json:"bound"`           // a term over the entry's parameters
	Turns int    `json:"turns,omitempty"` // the bound where it is a number that an unwinding can use
}
