package certificate

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/weave"
)

// program is the stored program with what its host does around it, as the engines saw it.
type program struct {
	*problem.Problem
	instrs map[string]*ir.Instr // by place
}

// surround weaves in what runs before the entry; with arguments, also what makes those of a hosted main.
func surround(part *ir.Module, plan problem.Plan, arguments bool) (*program, error) {
	entry := part.Func(plan.Entry)
	if entry == nil || entry.IsDecl() {
		return nil, fmt.Errorf("the program has no function %q", plan.Entry)
	}
	p := &program{Problem: &problem.Problem{Plan: plan}}
	var made bool
	if p.Module, p.Entry, made = weave.Startup(part, entry); made && plan.Depth > 0 {
		p.Depth++ // the entry is called
	}
	if arguments && plan.Hosted {
		if p.Module, p.Entry, made = weave.Arguments(p.Module, p.Entry, entry); made && plan.Depth > 0 {
			p.Depth++
		}
	}
	return p, nil
}

// placeOf names an instruction by its function and its number there.
func placeOf(in *ir.Instr) string {
	n := 0
	for _, b := range in.Block.Func.Blocks {
		for _, other := range b.Instrs {
			if other == in {
				return fmt.Sprintf("%s#%d", in.Block.Func.Name, n)
			}
			n++
		}
	}
	return ""
}

// at returns the instruction that placeOf names so, or nil.
func (p *program) at(place string) *ir.Instr {
	if p.instrs == nil {
		p.instrs = map[string]*ir.Instr{}
		for _, f := range p.Module.Funcs {
			n := 0
			for _, b := range f.Blocks {
				for _, in := range b.Instrs {
					p.instrs[fmt.Sprintf("%s#%d", f.Name, n)] = in
					n++
				}
			}
		}
	}
	return p.instrs[place]
}

// pastOf finds the claims that executions go on behind, by their IDs.
func (p *program) pastOf(ids []string) (ir.Past, error) {
	past := ir.Past{}
	if len(ids) == 0 {
		return past, nil
	}
	claims := encode.ListClaims(p.Module, p.Checks, p.Leaks, func(*ir.Block) bool { return true })
	for _, id := range ids {
		i := slices.IndexFunc(claims, func(c encode.Claim) bool { return c.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("the program has no claim %s", id)
		}
		past[ir.At{Instr: claims[i].Instr, Check: claims[i].Check}] = true
	}
	return past, nil
}

// unchecked makes p a program in which only where control goes matters. Assembly that may jump is no such program: its
// own loops are not followed.
func (p *program) unchecked() error {
	p.Problem = p.Unchecked()
	return p.jumpsNowhere()
}

// jumpsNowhere refuses inline assembly that may jump.
func (p *program) jumpsNowhere() error {
	for _, f := range p.Module.Slice(p.Entry, true).Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == ir.OpAsm && in.Asm != nil && in.Asm.Any == "" && ir.MayJump(in.Asm) {
					return fmt.Errorf("inline assembly in %s may loop", f.Name)
				}
			}
		}
	}
	return nil
}
