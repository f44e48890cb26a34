// Package stack bounds how many bytes of stack calls take, over all chains of calls, from the frames that the compiler lays
// out. The check `stack` follows executions instead, with the same frames.
package stack

import (
	"maps"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Use is what a call of a function takes.
type Use struct {
	Func    *ir.Func
	Frame   int64      // bytes of the function itself; 0 where they are not known
	Bytes   int64      // with the deepest chain of calls
	Chain   []*ir.Func // that takes Bytes, beginning with Func
	Open    string     // why more may be taken; "": that is all, but for Without
	Without []string   // functions without a body, whose frames are not counted; sorted
}

// Program holds the uses of the functions of a module.
type Program struct {
	module *ir.Module
	stack  *ir.Stack
	uses   map[*ir.Func]*Use
}

// Of prepares the uses of a module's functions with the frames of s.
func Of(m *ir.Module, s *ir.Stack) *Program {
	return &Program{module: m, stack: s, uses: map[*ir.Func]*Use{}}
}

// Of returns what a call of f, which has a body, takes.
func (p *Program) Of(f *ir.Func) *Use {
	if u := p.uses[f]; u != nil {
		return u
	}
	u := &Use{Func: f, Open: "recursion of " + f.CName} // for calls that come back to it
	p.uses[f] = u
	var open string
	if why, _ := p.stack.Unknown(f); why != "" {
		open = "the frame of " + f.CName + " is not known: " + why
	}
	without := map[string]bool{}
	deepest := &Use{}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if open == "" && in.Op == ir.OpAsm && movesStack(in.Asm) {
				open = "assembly in " + f.CName + " may call something, or move the stack pointer"
			}
			for _, to := range p.callees(in) {
				if to.IsDecl() {
					if name := library(to); name != "" {
						without[name] = true
					}
					continue
				}
				down := p.Of(to)
				for _, name := range down.Without {
					without[name] = true
				}
				if open == "" {
					open = down.Open
				}
				if down.Bytes > deepest.Bytes {
					deepest = down
				}
			}
		}
	}
	u.Frame, _ = p.stack.Frame(f)
	u.Bytes, u.Chain = u.Frame+deepest.Bytes, append([]*ir.Func{f}, deepest.Chain...)
	u.Open, u.Without = open, slices.Sorted(maps.Keys(without))
	return u
}

// callees lists what an instruction may call: through a pointer, each function whose address is taken and that fits.
func (p *Program) callees(in *ir.Instr) []*ir.Func {
	if in.Op != ir.OpCall {
		return nil
	}
	if to := ir.CalledFunc(in); to != nil {
		return []*ir.Func{to}
	}
	var out []*ir.Func
	for _, f := range p.module.Funcs {
		if f.Addr && ir.Mismatch(f, in, false) == "" {
			out = append(out, f)
		}
	}
	return out
}

// library is the name of the code that a call of a function without a body runs; "": the compiler makes instructions of it.
func library(f *ir.Func) string {
	name, intrinsic := strings.CutPrefix(f.Name, "llvm.")
	if !intrinsic {
		return f.CName
	}
	if name, _, _ = strings.Cut(name, "."); slices.Contains([]string{"memcpy", "memmove", "memset"}, name) {
		return name
	}
	return ""
}

// movesStack reports inline assembly that may call something or move the stack pointer.
func movesStack(a *ir.Asm) bool {
	return ir.MayJump(a) || slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(a.Template), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), func(word string) bool {
		return strings.HasPrefix(word, "push") || strings.HasSuffix(word, "sp") || word == "r13" || word == "stmdb" || word == "spl"
	})
}

// Worst returns the function that takes most of those that begin a chain of calls: main if there is one, else what no
// function calls and is no handler of interrupts, else any. nil: the module has no function with a body.
func (p *Program) Worst(handlers []string) *Use {
	if main := p.module.Func("main"); main != nil && !main.IsDecl() {
		return p.Of(main)
	}
	called := map[*ir.Func]bool{}
	for _, f := range p.module.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, to := range p.callees(in) {
					called[to] = called[to] || to != f
				}
			}
		}
	}
	var worst, any *Use
	for _, f := range p.module.Funcs {
		if f.IsDecl() {
			continue
		}
		u := p.Of(f)
		if any == nil || u.Bytes > any.Bytes {
			any = u
		}
		if !called[f] && !slices.Contains(handlers, f.Name) && (worst == nil || u.Bytes > worst.Bytes) {
			worst = u
		}
	}
	if worst == nil {
		return any
	}
	return worst
}
