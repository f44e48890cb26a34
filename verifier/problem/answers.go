package problem

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Answers collects what engines find out about one problem. Claims, proofs and
// rounds are seen by all engines of a race at once; stages, warnings and reasons are
// an engine's own until it is joined. Safe for concurrent use.
type Answers struct {
	shared *shared
	by     string // the engine that adds; empty: no single one
	giving func() // tells the race that those that wait may begin; may be nil

	mu       sync.Mutex
	stages   []verdict.Stage
	warnings []string
	reason   *verdict.Reason
}

// shared holds what all engines see.
type shared struct {
	mu         sync.Mutex
	settled    map[string]*Settled
	open       map[string]verdict.Claim
	executed   []verdict.Claim
	vacuous    *verdict.Reason
	proofs     *Proofs
	unwinding  *Unwinding
	coverage   *Coverage
	complexity *verdict.Complexity
	found      func(verdict.Claim) // told of each violation; may be nil
}

// NewAnswers returns answers without any.
func NewAnswers() *Answers {
	return &Answers{shared: &shared{settled: map[string]*Settled{}, open: map[string]verdict.Claim{}}}
}

// Announce has found called once for each violation that is settled from now on; nil: nobody is told.
func (a *Answers) Announce(found func(verdict.Claim)) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	a.shared.found = found
}

// Fork returns the answers that the engine by of a race adds to, which are marked with its name. giving is called
// when the engine lets those begin that wait for it.
func (a *Answers) Fork(by string, giving func()) *Answers {
	return &Answers{shared: a.shared, by: by, giving: giving}
}

// GiveWay says that engines which wait for this one may begin beside it.
func (a *Answers) GiveWay() {
	if a.giving != nil {
		a.giving()
	}
}

// Join takes over what is b's own.
func (a *Answers) Join(b *Answers) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.stages {
		a.AddStage(s)
	}
	for _, w := range b.warnings {
		a.Warn(w)
	}
	if b.reason != nil {
		a.Fail(b.reason)
	}
}

// Settle gives a claim its final answer. The first one stays: false if there was one.
func (a *Answers) Settle(s *Settled) bool {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	if a.shared.settled[s.ID] != nil {
		return false
	}
	s.By = cmp.Or(s.By, a.by)
	a.shared.settled[s.ID] = s
	if a.shared.found != nil && s.Status == verdict.Violated {
		a.shared.found(s.Claim)
	}
	return true
}

// AddWay notes that a violation that is settled fails in another way, too.
func (a *Answers) AddWay(id string, other verdict.Claim) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	if s := a.shared.settled[id]; s != nil && s.Other == nil {
		both := *s // others may be reading s
		both.Other = &other
		a.shared.settled[id] = &both
	}
}

// Settled returns the final answer of a claim, or nil.
func (a *Answers) Settled(id string) *Settled {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return a.shared.settled[id]
}

// AnySettled reports whether any claim has its final answer.
func (a *Answers) AnySettled() bool {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return len(a.shared.settled) > 0
}

// AllSettled lists the final answers by claim ID.
func (a *Answers) AllSettled() []*Settled {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	out := make([]*Settled, 0, len(a.shared.settled))
	for _, s := range a.shared.settled {
		out = append(out, s)
	}
	slices.SortFunc(out, func(x, y *Settled) int {
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	return out
}

// Enough reports that p asks for one violation only, and it was found.
func (a *Answers) Enough(p *Problem) bool {
	return p.FirstOnly && slices.ContainsFunc(a.AllSettled(),
		func(s *Settled) bool { return s.Status == verdict.Violated })
}

// LeaveOpen gives a claim the reason why an engine could not decide it, for the
// report if no other engine can.
func (a *Answers) LeaveOpen(c verdict.Claim) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	a.shared.open[c.ID] = c
}

// Open returns the claim that was left open under this ID.
func (a *Answers) Open(id string) (c verdict.Claim, ok bool) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	c, ok = a.shared.open[id]
	return c, ok
}

// SetExecuted gives the claims of a program whose only execution violates none.
func (a *Answers) SetExecuted(claims []verdict.Claim) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	for i := range claims {
		claims[i].By = cmp.Or(claims[i].By, a.by)
	}
	a.shared.executed = claims
}

// Executed returns the claims that the program's only execution proves; ok is false if it was not executed.
func (a *Answers) Executed() (claims []verdict.Claim, ok bool) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return a.shared.executed, a.shared.executed != nil
}

// SetVacuous gives the reason why what the program's only execution proves says nothing.
func (a *Answers) SetVacuous(r *verdict.Reason) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	a.shared.vacuous = r
}

// Vacuous returns why what holds says nothing about the program: by its only execution, or the last round.
func (a *Answers) Vacuous() *verdict.Reason {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	if a.shared.vacuous == nil && a.shared.unwinding != nil {
		return a.shared.unwinding.Vacuous
	}
	return a.shared.vacuous
}

// AddProofs gives what an engine proved for any number of turns; p is not changed from then on.
func (a *Answers) AddProofs(p *Proofs) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	p.by = cmp.Or(p.by, a.by)
	p.others, a.shared.proofs = a.shared.proofs, p
}

// Proofs returns what is proved for any number of turns so far; nil covers nothing.
func (a *Answers) Proofs() *Proofs {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return a.shared.proofs
}

// SetUnwinding gives what the last round of unwinding found out. A part of a round is not taken after a whole one.
func (a *Answers) SetUnwinding(u *Unwinding) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	for i := range u.Claims {
		u.Claims[i].By = cmp.Or(u.Claims[i].By, a.by)
	}
	if old := a.shared.unwinding; old == nil || old.Partial || !u.Partial {
		a.shared.unwinding = u
	}
}

// Unwinding returns the last round of unwinding that ended, else what the first one has so far, or nil.
func (a *Answers) Unwinding() *Unwinding {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return a.shared.unwinding
}

// SetCoverage gives what is known of lines and branches so far.
func (a *Answers) SetCoverage(c *Coverage) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	a.shared.coverage = c
}

// Coverage returns what is known of lines and branches, or nil.
func (a *Answers) Coverage() *Coverage {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return a.shared.coverage
}

// SetComplexity gives the bound of the instructions of any run.
func (a *Answers) SetComplexity(c *verdict.Complexity) {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	a.shared.complexity = c
}

// Complexity returns the bound of the instructions of any run, or nil.
func (a *Answers) Complexity() *verdict.Complexity {
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	return a.shared.complexity
}

// Fail gives the reason why the whole answer is unknown.
func (a *Answers) Fail(r *verdict.Reason) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reason == nil || a.reason.Kind != verdict.Internal {
		a.reason = r
	}
}

// Reason returns why the whole answer is unknown, or nil.
func (a *Answers) Reason() *verdict.Reason {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reason
}

// Warn adds a warning to the report.
func (a *Answers) Warn(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.warnings = append(a.warnings, text)
}

// Warnings lists the warnings.
func (a *Answers) Warnings() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.warnings)
}

// Stage starts a stage's clock; the function it returns stops it.
func (a *Answers) Stage(name string) func(counts map[string]int64) {
	begin := time.Now()
	return func(counts map[string]int64) {
		a.AddStage(verdict.Stage{Name: name, Seconds: time.Since(begin).Seconds(), Peak: PeakRSS(), Counts: counts})
	}
}

// AddStage adds to what was spent in stages of that name; the counts are the last ones.
func (a *Answers) AddStage(s verdict.Stage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.stages {
		if old := &a.stages[i]; old.Name == s.Name {
			old.Seconds += s.Seconds
			old.Peak = max(old.Peak, s.Peak)
			old.Counts = s.Counts
			return
		}
	}
	a.stages = append(a.stages, s)
}

// Stages lists the stages in the order in which they began first.
func (a *Answers) Stages() []verdict.Stage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.stages)
}
