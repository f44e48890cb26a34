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
	spent time.Duration // of the sampled calls
}

// NewSimplifier returns the rules, none called.
func NewSimplifier() *Simplifier { return &Simplifier{rules: rewrite.New()} }

// Simplify implements ilr.Simplifier.
func (x *Simplifier) Simplify(s *ilr.Store, k ilr.Kind, sort ilr.Sort, imm uint64, args []ilr.Term) ilr.Term {
	x.Calls++
	var begin time.Time
	timed := x.Calls%policy.SampledCalls == 0
	if timed {
		begin = time.Now()
	}
	t := x.rules.Simplify(s, k, sort, imm, args)
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
