package prepare

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/contract"
	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// refusedBy lists the clauses of contracts that nobody follows, of the functions that an entry reaches.
func refusedBy(units []compile.Unit, reached places.Reach) []contract.Refusal {
	var out []contract.Refusal
	names := map[string]bool{}
	for f := range reached.Funcs {
		if !f.IsDecl() {
			names[f.CName] = true
		}
	}
	for _, u := range units {
		for _, r := range u.Refused {
			if names[r.Function] && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// refuse adds a claim for each clause of a contract that nobody follows: whether it holds is not known.
func (j *Job) refuse(res *verdict.Result) {
	if !j.Plan.Checks.Has(verdict.Assert) {
		return
	}
	for i, r := range j.Refused {
		at := verdict.Pos{File: r.File, Line: r.Line, Column: r.Column, Function: r.Function}
		id := fmt.Sprintf("%s@%s#%s.%d", verdict.Assert, r.Function, r.Clause, i+1)
		res.Claims = append(res.Claims, verdict.Claim{ID: id, Check: verdict.Assert, Replay: verdict.NotRun, Pos: at,
			Message: "the contract holds",
			Reason: &verdict.Reason{Kind: verdict.Unsupported, Pos: &at,
				Detail: r.Clause + " is not followed outside of proofs for CBMC",
				Remedy: "a proof for CBMC does (--cbmc-proof), or an assertion says the same"}}.Learned(verdict.Undecided))
	}
}
