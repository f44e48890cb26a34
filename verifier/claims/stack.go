package claims

import (
	"fmt"

	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// CheckFrames says what the claims of the check stack rest on, and takes them back
// where the size of a frame that the entry can reach is not known.
func CheckFrames(p *problem.Problem, res *verdict.Result) {
	var why *verdict.Reason
	s := p.Stack
	if s == nil || s.Size == 0 {
		why = &verdict.Reason{Kind: verdict.Unsupported, Detail: "the size of the target's stack is not known",
			Remedy: "give the target a `stack_size` in the manifest"}
	} else {
		callers := ""
		if p.Generated {
			callers = ", and without what its callers use"
		}
		res.Assumptions = append(res.Assumptions, verdict.Assume("", verdict.Meaning, verdict.Declared,
			fmt.Sprintf("stack of %d bytes; frames are as clang lays them out with the project's flags, without interrupt handlers and without library functions that have no body here%s", s.Size, callers)))
		for _, f := range p.Module.Slice(p.Entry, false).Funcs {
			if f.IsDecl() {
				continue
			}
			if detail, remedy := s.Unknown(f); detail != "" {
				why = &verdict.Reason{Kind: verdict.Unsupported,
					Detail: fmt.Sprintf("the stack frame of %s has no known size: %s", f.Name, detail), Pos: &f.Pos,
					Remedy: remedy}
				break
			}
		}
	}
	if why == nil {
		return
	}
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Check == verdict.Stack && c.Status != verdict.Violated {
			*c = verdict.Claim{ID: c.ID, Check: c.Check, Pos: c.Pos, Message: c.Message, Reason: why}
			c.Learn(verdict.Undecided)
		}
	}
}
