package problem

import (
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Group is all instances of one claim of a formula, over contexts and turns.
type Group struct {
	ID        string
	First     *encode.Claim
	Instances []*encode.Claim
}

// GroupsOf lists the claims of f in the order of execution, dead ones last.
func GroupsOf(f *encode.Formula) []*Group {
	return append(grouped(f.Claims), grouped(f.Dead)...)
}

func grouped(claims []encode.Claim) []*Group {
	byID := map[string]*Group{}
	var out []*Group
	for i := range claims {
		c := &claims[i]
		g := byID[c.ID]
		if g == nil {
			g = &Group{ID: c.ID, First: c}
			byID[c.ID] = g
			out = append(out, g)
		}
		g.Instances = append(g.Instances, c)
	}
	return out
}

// ClaimOf returns the claim that c is an instance of, without an answer.
func ClaimOf(c *encode.Claim) verdict.Claim {
	return verdict.Claim{ID: c.ID, Check: c.Check, Message: c.Message, Pos: c.Pos}
}

// Settled is a claim with its final answer: a violation that a replay confirmed, or
// a claim about which the engines disagree.
type Settled struct {
	verdict.Claim
	At          ir.At                // where the execution violates it
	Passed      []ir.At              // claims of Plan.Past that the execution violated before
	Assumptions []verdict.Assumption // that the answer rests on
}

// Proofs holds what was proved for any number of loop turns.
type Proofs struct {
	Claims      []verdict.Claim // all that the program has, bounds included
	Holds       map[string]bool // by claim ID
	Certificate *verdict.Certificate
	Evidence    any             // for a certificate
	by          string          // the engine that proved it
	never       map[string]bool // by claim ID: no execution comes to it
	others      *Proofs         // by other engines
}

// NewProofs returns proofs for a program of which executions come to these claims, none of which is proved, and to no
// other of those that the program lists. Of a claim in neither list nothing is said.
func NewProofs(claims, listed []verdict.Claim) *Proofs {
	p := SomeProofs(claims)
	p.never = map[string]bool{}
	for i := range listed {
		p.never[listed[i].ID] = true
	}
	for i := range claims {
		delete(p.never, claims[i].ID)
	}
	return p
}

// SomeProofs returns proofs of some claims of a program, none of which is proved; of others nothing is said.
func SomeProofs(claims []verdict.Claim) *Proofs {
	return &Proofs{Claims: claims, Holds: map[string]bool{}}
}

// ListClaims lists all claims that p has, whether an execution comes to them or not, but those of Plan.Past.
func (p *Problem) ListClaims() []verdict.Claim {
	var out []verdict.Claim
	for _, c := range encode.ListClaims(p.Module, p.Checks, p.Leaks, func(*ir.Block) bool { return true }) {
		if !p.Past[ir.At{Instr: c.Instr, Check: c.Check}] {
			out = append(out, ClaimOf(&c))
		}
	}
	return out
}

// Covers reports that claim id was proved: it holds, or nothing gets there.
func (p *Proofs) Covers(id string) bool { return p.of(id) != nil }

// of returns the proofs of the engine that proved claim id, or nil.
func (p *Proofs) of(id string) *Proofs {
	for ; p != nil; p = p.others {
		if p.Holds[id] || p.never[id] {
			return p
		}
	}
	return nil
}

// All reports that every claim but the bounds was proved.
func (p *Proofs) All() bool {
	if p == nil {
		return false
	}
	for i := range p.Claims {
		if c := &p.Claims[i]; c.Check != verdict.Unwinding && !p.Covers(c.ID) {
			return false
		}
	}
	return true
}

// Open lists the claims that some engine met and none proved, but the bounds.
func (p *Proofs) Open() []verdict.Claim {
	var out []verdict.Claim
	listed := map[string]bool{}
	for q := p; q != nil; q = q.others {
		for i := range q.Claims {
			c := q.Claims[i]
			if c.Check == verdict.Unwinding || listed[c.ID] || p.Covers(c.ID) {
				continue
			}
			listed[c.ID] = true
			out = append(out, c)
		}
	}
	return out
}

// Proved returns the answer for a claim that is covered. dead: c says that nothing comes to it, as far as it was looked.
func (p *Proofs) Proved(c verdict.Claim, dead bool) verdict.Claim {
	p = p.of(c.ID)
	if own := func(l verdict.Claim) bool { return l.ID == c.ID }; dead && p.Holds[c.ID] {
		if i := slices.IndexFunc(p.Claims, own); i >= 0 { // within a bound only
			c.Message = p.Claims[i].Message
		}
	}
	return verdict.Claim{ID: c.ID, Check: c.Check, Message: c.Message, Pos: c.Pos,
		Replay: verdict.NotRun, By: p.by, Certificate: p.Certificate, Evidence: p.Evidence,
		Unreachable: !p.Holds[c.ID]}.Learned(verdict.Always)
}

// Unwinding holds what the last round of unwinding that ended found out.
type Unwinding struct {
	Limit    int  // turns per loop
	Partial  bool // the round is not over: claims that it left open are Unknown without a Reason
	Claims   []Unwound
	Loops    []encode.LoopInfo
	Notes    []verdict.Assumption
	Complete bool            // no loop or call can go beyond what was analysed
	Ordered  bool            // some of it rests on the order of products (package ring)
	Repeats  bool            // a loop that only repeats a state was not followed: Complete does not say that it ends
	Gap      *verdict.Reason // a reachable construct that is not modelled; nil if there is none
	Cut      *verdict.Reason // why deciding ended early; nil if it did not
	Vacuous  *verdict.Reason // why what holds says nothing about the program; nil if it does, or nobody knows
	Stops    map[ir.At]bool  // claims behind which nothing was looked at, in some context: they always fail there
	// by a violated claim: the branches before it that nothing leaves without violating it
	DeadEnds map[ir.At][]*ir.Instr
	PartEnds map[ir.At][]*ir.Instr // likewise, in one call of their function at least
}

// Counted returns the turns of the loops, by name, that the round walked beyond its limit, as constants count them.
func (u *Unwinding) Counted() map[string]int {
	var out map[string]int
	for _, l := range u.Loops {
		if l.Turns > u.Limit {
			if out == nil {
				out = map[string]int{}
			}
			out[l.Name] = l.Turns
		}
	}
	return out
}

// Ended returns what u says where its round ended for such a reason.
func (u *Unwinding) Ended(why *verdict.Reason) *Unwinding {
	out := *u
	out.Partial, out.Cut, out.Claims = false, why, slices.Clone(u.Claims)
	for i := range out.Claims {
		if c := &out.Claims[i]; c.Status == verdict.Unknown && c.Reason == nil {
			c.Reason = why
		}
	}
	return &out
}

// Open reports that a claim is left open.
func (u *Unwinding) Open() bool {
	return slices.ContainsFunc(u.Claims, func(c Unwound) bool { return c.Status == verdict.Unknown })
}

// Unwound is a claim of a round: Unknown, or Bounded where nothing violates it
// within the limit. Bounds can be Proved.
type Unwound struct {
	verdict.Claim
	At        ir.At
	Reach     Reach
	Blocked   bool // Unreached, and only because earlier claims fail
	Dead      bool // the round came to it in no context
	BehindGap bool // an execution may come to it by way of a gap
	// turns of the round that looked at every execution that comes to it: no bound that is reached, and no gap, is
	// before it; 0: none did
	Whole int
}

// Reach says whether some execution reaches a claim, earlier ones satisfied. What always fails when it is reached
// counts as reached where the branch before it is.
type Reach uint8

// What is known about reaching a claim.
const (
	Unclear Reach = iota
	Reached
	Unreached
)

// Barred returns the reason why claims behind an assumption that nothing passes say nothing.
func Barred(at *verdict.Pos) *verdict.Reason {
	return &verdict.Reason{Kind: verdict.Vacuous, Pos: at, Remedy: "assume less",
		Detail: "no execution gets past this assumption: it contradicts what is assumed or computed before it"}
}

// TerminationClaim returns the claim that every run of p ends, without an answer.
func (p *Problem) TerminationClaim() verdict.Claim {
	return p.claimOf(verdict.Termination)
}

// ComplexityClaim returns the claim that runs of p are bounded, without an answer.
func (p *Problem) ComplexityClaim() verdict.Claim {
	return p.claimOf(verdict.ComplexityBound)
}

func (p *Problem) claimOf(c verdict.Check) verdict.Claim {
	return verdict.Claim{ID: string(c) + "@" + p.Plan.Entry, Check: c, Message: c.Of().Holds, Pos: p.Entry.Pos}
}

// UndefinedEnds is an assumption of proofs of termination.
var UndefinedEnds = verdict.Assume("", verdict.Meaning, verdict.Read,
	"runs with undefined behaviour end there: its absence is the matter of other checks")
