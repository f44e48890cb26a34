package prepare

import (
	"fmt"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Job is one verification: an entry on a target. It is data, made by one process
// and worked by another.
type Job struct {
	Plan    verifier.Plan `json:"plan"`
	Timeout time.Duration `json:"timeout"`
	Raise   bool          `json:"raise,omitempty"` // with greater bounds again, until the time is used

	Program *ir.Module `json:"-"` // the whole, in the process that built it
	// file with the part of the program that the entry reaches (ir.Decode)
	Module string `json:"module,omitempty"`
	answers.Question

	// What the result is completed with, however it was found.
	Machine *verdict.Machine `json:"machine,omitempty"`
	Label   string           `json:"label,omitempty"` // shown instead of the entry
	Stages  []verdict.Stage  `json:"stages,omitempty"`
	Notes   []string         `json:"notes,omitempty"`
	// functions without a body that the entry reaches, and the warning of them
	Bodiless     []string      `json:"bodiless,omitempty"`
	BodilessNote string        `json:"bodiless_note,omitempty"`
	Suppressed   []suppression `json:"suppressed,omitempty"`

	Structs  []string       `json:"structs,omitempty"`  // of a generated harness: see harness.Harnessed
	Tests    map[string]int `json:"tests,omitempty"`    // likewise
	Doubted  []string       `json:"doubted,omitempty"`  // likewise
	Unended  []string       `json:"unended,omitempty"`  // likewise
	Unplaced []string       `json:"unplaced,omitempty"` // likewise
	Counts   []string       `json:"counts,omitempty"`   // likewise, as Asked has them
	Needs    []string       `json:"needs,omitempty"`    // likewise
	// variables that the program declares and does not define, with the place in the tree that does, as far as it is known
	Undefined map[string]string  `json:"undefined,omitempty"`
	Stubbed   []string           `json:"stubbed,omitempty"` // functions without a body that give any result, unasked
	Markers   []string           `json:"markers,omitempty"` // variables that may only mark a place: see markersOf
	Refused   []contract.Refusal `json:"refused,omitempty"` // clauses of contracts that the entry comes to
	Quiet     []string           `json:"quiet,omitempty"`   // handlers that change what the entry reads, and do not run in it
	// names of the jobs that the function is called in, if those are all calls
	Callers []string `json:"callers,omitempty"`
	// names of the jobs of those that call it, where the program's calls are all of them: what none of these finds,
	// only a call that the program may not make brings about
	Static []string `json:"static,omitempty"`

	Pragmas []weave.CheckPragma `json:"pragmas,omitempty"` // of a proof for CBMC

	Settled *verdict.Result `json:"settled,omitempty"` // known without a run, and complete
	Base    bool            `json:"base,omitempty"`    // of the commit that a change is compared with
	Against *Against        `json:"against,omitempty"` // of such a job: the head's
	Pair    *Pair           `json:"pair,omitempty"`    // what two versions of a function do is asked, and nothing else
}

// Name returns what the report calls the entry.
func (j *Job) Name() string {
	switch {
	case j.Settled != nil:
		return j.Settled.Entry
	case j.Label != "":
		return j.Label
	}
	return j.Plan.Entry
}

// Complete adds to an answer of the engine what belongs to the build and the manifest.
func (j *Job) Complete(res *verdict.Result) {
	if j.Pair != nil {
		j.Pair.complete(j, res)
		return
	}
	res.Stages = append(slices.Clone(j.Stages), res.Stages...)
	res.Warnings = append(res.Warnings, j.Notes...)
	if res.Status != verdict.Proved && !j.toldOfBodies(res) {
		res.Warnings = append(res.Warnings, j.BodilessNote)
	}
	j.accept(res)
	j.leaveOut(res)
	j.refuse(res)
	res.StandBehind(func(c *verdict.Claim) bool { return c.Accepted != nil })
	j.nameAssumed(res)
	res.Summarise()
	res.Entry, res.Machine = j.Name(), j.Machine
}

// toldOfBodies reports whether the reasons of a result name each function without a body that the entry reaches.
func (j *Job) toldOfBodies(res *verdict.Result) bool {
	named := map[string]bool{}
	note := func(r *verdict.Reason) {
		if r != nil && r.Kind == verdict.Undefined {
			named[r.Function] = true
		}
	}
	note(res.Reason)
	for i := range res.Claims {
		note(res.Claims[i].Reason)
	}
	return !slices.ContainsFunc(j.Bodiless, func(name string) bool { return !named[name] })
}

// leaveOut takes back what goes past a block whose size is a guess, or calls a function whose type is not known:
// it is neither a finding nor proved.
func (j *Job) leaveOut(res *verdict.Result) {
	for i := range res.Claims {
		c := &res.Claims[i]
		if why := j.RestsOn(*c); why != nil && c.Accepted == nil {
			why.Kind = verdict.Incomplete
			var past []string
			if c.Failure.Is(verdict.OutOfBounds) {
				past = j.Plan.GuessedIn(c)
			}
			res.WithdrawPast(c, why, past)
		}
	}
	res.TakeWider()
}

// Stands reports whether a violation that was just found is a finding whatever other verifications come to.
func (j *Job) Stands(c verdict.Claim) bool {
	ended := c.Check == verdict.Termination && slices.ContainsFunc(j.Plan.Assumptions, func(a verdict.Assumption) bool {
		return a.Relation == verdict.Quiet // a handler may end it
	})
	return j.Pair == nil && len(j.Callers) == 0 && len(j.Plan.Open) == 0 && j.RestsOn(c) == nil && !ended &&
		!slices.ContainsFunc(j.Suppressed, func(s suppression) bool { return s.accepts(&c) })
}

// standing says what a violation counts for if the other commit of a change comes to the same place on the same inputs
// without a failure.
func (j *Job) standing(c verdict.Claim) change.Standing {
	switch {
	case slices.ContainsFunc(j.Suppressed, func(s suppression) bool { return s.accepts(&c) }), j.notKnown(&c) != nil:
		return change.Falls
	case len(c.Undefined) > 0, j.guessed(&c) != nil:
		return change.Guessed
	}
	return change.Stands
}

// RestsOn returns why a violation is no finding: it rests on what a generated harness made up. nil: it is one.
func (j *Job) RestsOn(c verdict.Claim) *verdict.Reason {
	if c.Status != verdict.Violated {
		return nil
	}
	if why := j.notKnown(&c); why != nil {
		return why
	}
	if len(c.Undefined) > 0 {
		return j.ofUndefined(c.Undefined)
	}
	return j.guessed(&c)
}

// filledByHarness is what helps where nobody knows what a structure holds.
const filledByHarness = "a harness that fills the structure as callers do says it: `firmproof harness` writes one to begin with"

// notKnown returns why a violation says nothing of the program: nobody knows what it depends on. nil: it may say
// something.
func (j *Job) notKnown(c *verdict.Claim) *verdict.Reason {
	if c.Failure.Is(verdict.OtherType) && len(c.Failure.Names(verdict.ByHarness)) > 0 {
		return &verdict.Reason{Detail: "which function the pointer leads to is not known"}
	}
	if c.Pos.File != "" {
		for _, p := range j.Pragmas {
			if p.Covers(c.Check, c.Pos) {
				return &verdict.Reason{Detail: fmt.Sprintf(
					"`#pragma CPROVER check disable \"%s\"` is in force here, and what an execution does past such a failure is not modelled",
					p.Check)}
			}
		}
	}
	for _, name := range c.Failure.Names(verdict.ByOthers) {
		if c.Failure.Is(verdict.OutOfBounds) && slices.Contains(j.Markers, name) {
			return &verdict.Reason{Detail: fmt.Sprintf("how much %s holds is not known: it is defined nowhere", name),
				Remedy: "`linker_script` of `build` in the manifest says what lies between its symbols"}
		}
	}
	made := c.Failure.Names(verdict.ByHarness)
	for _, g := range j.Plan.Guesses {
		if g == ir.FurtherArguments && slices.Contains(made, g) {
			return &verdict.Reason{Detail: "how many further arguments there are, its caller sees to",
				Remedy: "a harness that calls it with a format and its arguments: `firmproof harness` writes one to begin with"}
		}
		if harness.IsFurther(g) && slices.Contains(made, g) {
			return &verdict.Reason{Detail: "a structure has many pointers, and what the " + g + " lead to is not known",
				Remedy: filledByHarness}
		}
	}
	if c.Check == verdict.PointerCompare && len(made) == 2 {
		return &verdict.Reason{Detail: fmt.Sprintf("whether %s and %s lead into one object is not known", made[0],
			made[1]),
			Remedy: "a harness says it: `firmproof harness` writes one to begin with"}
	}
	if f := j.wildResult(c); f != "" {
		return &verdict.Reason{Detail: "what the result of " + f + " leads to is not known: it has no body",
			Remedy: "a stub in C says it"}
	}
	if p := wildBytes(c); p != "" {
		return &verdict.Reason{
			Detail: "what the pointers behind " + p + " lead to is not known: the harness has any bytes there",
			Remedy: "a harness that fills them as callers do says it: `firmproof harness` writes one to begin with"}
	}
	return nil
}

// guessed returns which guess of a generated harness a violation rests on; nil: none.
func (j *Job) guessed(c *verdict.Claim) *verdict.Reason {
	made := c.Failure.Names(verdict.ByHarness)
	for _, g := range j.Plan.Guesses {
		if slices.Contains(made, g) && !harness.IsFurther(g) && !c.Object.Wrapped() && !c.Failure.WhateverSize() {
			most := "64 bytes"
			if c.Object.IsBefore() {
				most += " in front"
			}
			return &verdict.Reason{Detail: "how much " + g + " leads to is a guess", Remedy: fmt.Sprintf(
				"`%s.%s: %s` under `assume` of the manifest (or --assume) says how much, or a harness: `firmproof harness` writes one",
				j.function(), g, most)}
		}
	}
	for _, p := range made {
		if slices.Contains(j.Unplaced, p) && c.Failure.Is(verdict.Misaligned) {
			return &verdict.Reason{Detail: "how what " + p + " leads to is aligned is a guess", Remedy: fmt.Sprintf(
				"`%s.%s: aligned to 4 bytes` under `assume` of the manifest (or --assume) says how", j.function(), p)}
		}
		if slices.Contains(j.Unended, p) && c.Failure.Is(verdict.OutOfBounds) && c.Object.Read() {
			return &verdict.Reason{Detail: "where the texts in the structure behind " + p + " end is not known",
				Remedy: filledByHarness}
		}
	}
	if p := j.restsOnState(c); p != "" {
		return &verdict.Reason{Detail: "whether the assertion holds depends on what is in the structure behind " + p +
			", which the harness made up",
			Remedy: filledByHarness}
	}
	return nil
}

// Read reads a program in LLVM's text form, and says what that cost.
func Read(path string) (*ir.Module, verdict.Stage, error) {
	start := time.Now()
	m, err := frontend.Read(path)
	return m, verdict.Stage{Name: "read", Seconds: time.Since(start).Seconds(), Peak: verifier.PeakRSS()}, err
}
