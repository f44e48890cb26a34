// Package witness writes what SV-COMP calls witnesses: of a violation, the places that an execution passes on its way
// there and what the environment decides at them; of a proof, loop invariants in C. Two formats have the same contents:
// YAML (version 2.0) and GraphML (version 1.0). A place that is not certain in the source (macros, line directives
// that name a line twice) is left out: the rest is still passed in this order.
package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Task holds what was verified.
type Task struct {
	File          string // as it was given
	Text          string // its contents
	Specification string // the text of the property file
	Bits          int    // of a pointer: 32 or 64
	Version       string // of firmproof
	Created       time.Time
}

// Kind says what a waypoint is about.
type Kind string

// The kinds of waypoint.
const (
	Assumption Kind = "assumption"      // Value is true in front of the statement
	Branching  Kind = "branching"       // the condition is Value; of a switch the number, or "default"
	Return     Kind = "function_return" // a function of the environment gives Value
	Target     Kind = "target"          // the statement that violates the property
)

// Waypoint is a place that the execution passes.
type Waypoint struct {
	Kind         Kind
	Line, Column int // Column 0: somewhere in the line
	Function     string
	Value        string // an expression of C; of Return a constant
	Called       string // of Return: the function
}

// Invariant is a condition that holds whenever control is at a place.
type Invariant struct {
	Loop         bool // of the loop that begins there, wherever its condition is evaluated
	Line, Column int
	Function     string
	Value        string
}

// Witness is a witness without its format.
type Witness struct {
	Task
	Violated   bool
	Waypoints  []Waypoint // of a violation
	Cycle      *Waypoint  // of a run that does not end: where it comes to again and again, with what holds there
	Invariants []Invariant
}

// uuid names the witness by what is in it.
func (w *Witness) uuid() string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q %q %q %d %q %v %v %v %v", w.File, w.Text, w.Specification, w.Bits,
		w.Version, w.Violated, w.Waypoints, w.Cycle, w.Invariants)))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // RFC 9562, version 8
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func (t *Task) hash() string {
	sum := sha256.Sum256([]byte(t.Text))
	return hex.EncodeToString(sum[:])
}

// created is the time in the form that both formats want.
func (t *Task) created() string { return t.Created.UTC().Format(time.RFC3339) }

// Violation is the witness of a violated claim with its trace.
func Violation(t Task, c *verdict.Claim) *Witness {
	b := &builder{source: parse(t.File, t.Text), waiting: map[string][]pending{}}
	w := &Witness{Task: t, Violated: true}
	for i := range c.Trace {
		b.step(&c.Trace[i])
	}
	switch {
	case c.Check == verdict.Termination:
		w.Cycle = b.cycle(c)
	default:
		b.target(c.Pos)
	}
	w.Waypoints = b.out
	return w
}

// Correctness is the witness of a proof, with the invariants that it has in C.
func Correctness(t Task, r *verdict.Result) *Witness {
	s := parse(t.File, t.Text)
	w := &Witness{Task: t}
	seen := map[Invariant]bool{}
	for i := range r.Claims {
		cert := r.Claims[i].Certificate
		if cert == nil {
			continue
		}
		for _, inv := range cert.Invariants {
			if got, ok := s.invariant(inv); ok && !seen[got] {
				seen[got] = true
				w.Invariants = append(w.Invariants, got)
			}
		}
	}
	return w
}
