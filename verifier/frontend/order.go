package frontend

import (
	"fmt"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
)

// effects is the memory that a function reads and writes, with all that it calls: globals, and what its parameters
// point to. elsewhere stands for all other memory that pointers lead to.
type effects struct {
	reads, writes map[any]bool // *ir.Global, the number of a parameter, elsewhere
}

type anywhere struct{}

var elsewhere = anywhere{}

// effectsOf computes the effects of functions, each once.
type effectsOf struct{ of map[*ir.Func]*effects }

// note lists the conflict with what f assumes, if the order of its calls decides something.
func (e effectsOf) note(f *ir.Func, c conflict) {
	first, second := e.at(f, c, 0), e.at(f, c, 1)
	if first == nil || second == nil || !meets(first.writes, second) && !meets(second.writes, first) {
		return
	}
	var names []string
	for _, a := range c.accesses {
		name := "'" + a.variable + "'"
		if in, _ := a.find(f, c.file); a.kind == "call" {
			name = "a call"
			if k, ok := in.Callee.(*ir.Const); ok && k.Func != nil {
				name = k.Func.CName
				if name == "" {
					name = k.Func.Name
				}
				name += "()"
			}
		} else if a.variable == "" {
			name = "an access"
		}
		names = append(names, name)
	}
	what := names[0] + " and " + names[1]
	if names[0] == names[1] {
		what = "the uses of " + names[0]
	}
	text := fmt.Sprintf("%s:%d: %s are evaluated from left to right: C leaves the order open, and it matters here",
		c.file, c.accesses[0].line, what)
	if !slices.Contains(f.Assumed, text) {
		f.Assumed = append(f.Assumed, text)
	}
}

func meets(written map[any]bool, other *effects) bool {
	for k := range written {
		if other.reads[k] || other.writes[k] {
			return true
		}
		if k == any(elsewhere) && (len(other.reads) > 0 || len(other.writes) > 0) {
			return true
		}
	}
	return len(written) > 0 && (other.reads[elsewhere] || other.writes[elsewhere])
}

// at returns the effects of an access of the conflict, in terms of f; nil if there is no code for it.
func (e effectsOf) at(f *ir.Func, c conflict, k int) *effects {
	in, _ := c.accesses[k].find(f, c.file)
	if in == nil {
		return nil
	}
	out := &effects{reads: map[any]bool{}, writes: map[any]bool{}}
	e.add(out, f, in, ir.Escapes(f))
	return out
}

// function returns the effects of f. What is being computed already has none: its caller's way adds them.
func (e effectsOf) function(f *ir.Func) *effects {
	if have := e.of[f]; have != nil {
		return have
	}
	out := &effects{reads: map[any]bool{}, writes: map[any]bool{}}
	e.of[f] = out
	escapes := ir.Escapes(f)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			e.add(out, f, in, escapes)
		}
	}
	for k := range out.reads {
		if _, local := k.(*ir.Instr); local {
			delete(out.reads, k)
		}
	}
	for k := range out.writes {
		if _, local := k.(*ir.Instr); local {
			delete(out.writes, k)
		}
	}
	return out
}

// add adds what one instruction of f does.
func (e effectsOf) add(out *effects, f *ir.Func, in *ir.Instr, escapes map[*ir.Instr]bool) {
	switch in.Op {
	case ir.OpLoad:
		out.reads[region(f, in.Args[0], escapes)] = true
	case ir.OpStore:
		out.writes[region(f, in.Args[1], escapes)] = true
	case ir.OpCmpXchg, ir.OpAtomicRMW:
		out.writes[region(f, in.Args[0], escapes)] = true
	case ir.OpCall:
		e.call(out, f, in, escapes)
	}
}

// readers are the models that only read; others without memory are not listed in either.
var readers = []ir.Model{ir.ModelMemcmp, ir.ModelMemchr, ir.ModelStrlen, ir.ModelStrnlen, ir.ModelStrcmp,
	ir.ModelStrncmp, ir.ModelStrchr, ir.ModelStrrchr, ir.ModelStrstr, ir.ModelStrdup, ir.ModelPrintf}

// writers are the models that write what their first argument points to, and read the second's.
var writers = []ir.Model{ir.ModelHavoc, ir.ModelHavocObj, ir.ModelMakeSymbolic, ir.ModelRealloc, ir.ModelMemalign,
	ir.ModelFree, ir.ModelMemcpy, ir.ModelMemmove, ir.ModelMemset, ir.ModelStrcpy, ir.ModelStrncpy, ir.ModelStrcat,
	ir.ModelStrncat, ir.ModelStubHavoc, ir.ModelHavocRest}

func (e effectsOf) call(out *effects, f *ir.Func, in *ir.Instr, escapes map[*ir.Instr]bool) {
	k, _ := in.Callee.(*ir.Const)
	switch {
	case in.Model != ir.ModelNone:
		for i, a := range in.Args {
			if !a.Type().IsPtr() {
				continue
			}
			if i == 0 && slices.Contains(writers, in.Model) {
				out.writes[region(f, a, escapes)] = true
			} else if slices.Contains(readers, in.Model) || slices.Contains(writers, in.Model) {
				out.reads[region(f, a, escapes)] = true
			}
		}
	case k == nil || k.Func == nil || k.Func.IsDecl(): // anything
		out.writes[elsewhere], out.reads[elsewhere] = true, true
	default:
		callee := e.function(k.Func)
		for _, way := range []struct{ from, to map[any]bool }{{callee.reads, out.reads}, {callee.writes, out.writes}} {
			for r := range way.from {
				if n, parameter := r.(int); parameter {
					r = any(elsewhere)
					if n < len(in.Args) {
						r = region(f, in.Args[n], escapes)
					}
				}
				way.to[r] = true
			}
		}
	}
}

// region names the memory that v points to: a global, a local variable (its alloca), what a parameter points to, or
// elsewhere.
func region(f *ir.Func, v ir.Value, escapes map[*ir.Instr]bool) any {
	for {
		switch x := v.(type) {
		case *ir.Const:
			if x.Global != nil {
				return x.Global
			}
		case *ir.Param:
			return x.Index
		case *ir.Instr:
			switch x.Op {
			case ir.OpAlloca:
				return x
			case ir.OpGep, ir.OpBitcast:
				v = x.Args[0]
				continue
			case ir.OpLoad:
				if p := spilled(f, x.Args[0], escapes); p != nil {
					return p.Index
				}
			}
		}
		return elsewhere
	}
}

// spilled returns the parameter whose value a local variable always has, or nil.
func spilled(f *ir.Func, slot ir.Value, escapes map[*ir.Instr]bool) *ir.Param {
	local, ok := slot.(*ir.Instr)
	if !ok || local.Op != ir.OpAlloca || escapes[local] {
		return nil
	}
	var out *ir.Param
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op != ir.OpStore || in.Args[1] != slot {
				continue
			}
			p, is := in.Args[0].(*ir.Param)
			if !is || out != nil {
				return nil
			}
			out = p
		}
	}
	return out
}
