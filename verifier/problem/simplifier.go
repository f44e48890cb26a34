package problem

import (
	"time"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/rewrite"
)

// Simplifier is the rewrite rules with a clock: rules run while terms are made,
// so their cost is a part of encoding that is only known by sampling.
type Simplifier struct {
	rules *rewrite.Rules
	Calls int64
	Fired int64
	outer int64         // calls that no rule made
	depth int           // of calls that rules make
	spent time.Duration // of the sampled calls among outer ones
}

// NewSimplifier returns the rules, none called.
func NewSimplifier() *Simplifier { return &Simplifier{rules: rewrite.New()} }

// Simplify implements ilr.Simplifier.
func (x *Simplifier) Simplify(s *ilr.Store, k ilr.Kind, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	x.Calls++
	var begin time.Time
	timed := false
	if x.depth == 0 {
		x.outer++
		if timed = x.outer%policy.SampledCalls == 0; timed {
			begin = time.Now()
		}
	}
	x.depth++
	t := x.rules.Simplify(s, k, sort, imm, args)
	x.depth--
	if timed {
		x.spent += time.Since(begin)
	}
	if t != 0 {
		x.Fired++
	}
	return t
}

// Seconds is the estimated time of all calls.
func (x *Simplifier) Seconds() float64 { return x.spent.Seconds() * policy.SampledCalls }
