package frontend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// conflict is a pair of accesses without an order, as pipeline/compile notes it (named metadata
// firmproof.unsequenced, see there).
type conflict struct {
	// "undefined", "unspecified", or no pair: "assumed", what holds at the first access; "chosen", of all done there
	kind     string
	file     string
	function string
	what     string
	accesses [2]noted
}

// noted is one of the accesses, by its place: from line and column up to line and column.
type noted struct {
	kind               string // "read", "write" or "call"
	variable           string // empty: through a pointer
	line, col, end, to int
	conditional, macro bool
}

// sequences claims that the accesses of each conflict do not meet in one object, and notes the calls whose order
// decides something.
func (t *translator) sequences(src *llir.Module) {
	def := src.NamedMetadataDefs["firmproof.unsequenced"]
	if def == nil {
		return
	}
	effects := effectsOf{of: map[*ir.Func]*effects{}}
	seen := map[string]bool{} // a header's, once for each unit that has it
	for _, n := range def.Nodes {
		c, key, ok := readConflict(n)
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		for _, s := range src.Funcs {
			f := t.funcs[s]
			if f == nil || f.IsDecl() || f.CName != c.function || f.Pos.File != c.file {
				continue
			}
			switch c.kind {
			case "undefined":
				t.claimApart(f, c)
			case "unspecified":
				effects.note(f, c)
			case "chosen":
				c.accesses[0].choose(f, c)
			case "assumed":
				f.Assumed = append(f.Assumed, fmt.Sprintf("%s:%d: %s", c.file, c.accesses[0].line, c.what))
			}
		}
	}
}

func readConflict(n metadata.Node) (c conflict, key string, ok bool) {
	tuple, ok := n.(*metadata.Tuple)
	if !ok || len(tuple.Fields) != 18 {
		return c, "", false
	}
	var s [18]string
	for i, f := range tuple.Fields {
		text, is := f.(*metadata.String)
		if !is {
			return c, "", false
		}
		s[i] = text.Value
	}
	c = conflict{kind: s[0], file: s[1], function: s[2], what: s[3]}
	for k := range c.accesses {
		at := s[4+7*k:]
		a := noted{kind: at[0], variable: at[1], conditional: strings.Contains(at[6], "conditional"),
			macro: strings.Contains(at[6], "macro")}
		for i, to := range []*int{&a.line, &a.col, &a.end, &a.to} {
			v, err := strconv.Atoi(at[2+i])
			if err != nil {
				return c, "", false
			}
			*to = v
		}
		c.accesses[k] = a
	}
	return c, strings.Join(s[:], "\x00"), true
}

// holds reports whether p is one of the access's places in file.
func (a noted) holds(p *verdict.Pos, file string) bool {
	return p.File == file && (p.Line > a.line || p.Line == a.line && p.Column >= a.col) &&
		(p.Line < a.end || p.Line == a.end && p.Column < a.to)
}

// choose notes what is assumed of all that is accessed and called there, of calls of the program's functions alone, or of
// accesses alone ("read").
func (a noted) choose(f *ir.Func, c conflict) {
	does := func(in *ir.Instr) bool {
		switch in.Op {
		case ir.OpLoad, ir.OpStore:
			return a.kind != "call"
		case ir.OpCall:
			return a.kind != "read" && in.Model == ir.ModelNone || a.kind == "write" && in.Model != ir.ModelLifetimeStart &&
				in.Model != ir.ModelLifetimeEnd
		}
		return false
	}
	text := fmt.Sprintf("%s:%d: %s", c.file, a.line, c.what)
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if does(in) && in.Pos != nil && a.holds(in.Pos, c.file) {
				chosenFor(f, in, text)
			}
		}
	}
}

// find returns the instruction of the access; sure is false if it is one of several. A read is the last load
// of its expression: those in front of it find its address.
func (a noted) find(f *ir.Func, file string) (found *ir.Instr, sure bool) {
	op := map[string]ir.Op{"read": ir.OpLoad, "write": ir.OpStore, "call": ir.OpCall}[a.kind]
	var all []*ir.Instr
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == op && a.holds(in.Pos, file) && (op != ir.OpCall || in.Model != ir.ModelLifetimeStart &&
				in.Model != ir.ModelLifetimeEnd) {
				all = append(all, in)
			}
		}
	}
	if len(all) > 1 && a.kind == "read" && !a.macro {
		all = all[len(all)-1:]
	}
	if len(all) > 1 && a.variable != "" {
		all = slices.DeleteFunc(all, func(in *ir.Instr) bool { return nameOf(f, address(in)) != a.variable })
	}
	if len(all) == 0 {
		return nil, true
	}
	return all[0], len(all) == 1
}

// address returns what a load reads, or a store writes to.
func address(in *ir.Instr) ir.Value {
	if in.Op == ir.OpStore {
		return in.Args[1]
	}
	return in.Args[0]
}

// nameOf returns the C name of the variable that v is an address of, or within; empty if there is none.
func nameOf(f *ir.Func, v ir.Value) string {
	for {
		in, ok := v.(*ir.Instr)
		if !ok || in.Op != ir.OpGep {
			break
		}
		v = in.Args[0]
	}
	if k, ok := v.(*ir.Const); ok && k.Global != nil && k.Global.Var != nil {
		return k.Global.Var.Name
	}
	for _, x := range f.Vars {
		if x.Slot == v {
			return x.Name
		}
	}
	return ""
}

// claimApart splits the block in front of the later access, and claims that its object is not the other's.
func (t *translator) claimApart(f *ir.Func, c conflict) {
	first, sure := c.accesses[0].find(f, c.file)
	second, sureToo := c.accesses[1].find(f, c.file)
	conditional := c.accesses[0].conditional
	switch {
	case first == nil && second == nil: // no code: never executed
		return
	case first == nil || second == nil || !sure || !sureToo || first == second:
		t.undecided(f, c)
		return
	}
	if !before(first, second) {
		if before(second, first) {
			first, second = second, first
		} else if conditional == c.accesses[1].conditional {
			t.undecided(f, c)
			return
		} else {
			if !conditional {
				first, second = second, first
			}
			t.claimThrough(f, first, second, c)
			return
		}
	}
	t.trapOn(f, address(first), second, c)
}

func (t *translator) undecided(f *ir.Func, c conflict) {
	pos := verdict.Pos{File: c.file, Line: c.accesses[0].line, Column: c.accesses[0].col}
	f.Folded = append(f.Folded, ir.Folded{Check: verdict.Unsequenced, Pos: pos, Undecided: true,
		Message: c.what + ": whether both happen is not followed"})
}

// claimThrough keeps the address of the access that is not always made in a slot, until the other comes.
func (t *translator) claimThrough(f *ir.Func, first, second *ir.Instr, c conflict) {
	null := &ir.Const{T: t.ptr, Kind: ir.ConstNull}
	one := &ir.Const{T: t.intType(32), Kind: ir.ConstInt, Bits: bits.New(32, 1)}
	start := f.Blocks[0].Instrs[0]
	slot := at(start, &ir.Instr{Op: ir.OpAlloca, T: t.ptr, Name: "unsequenced", Args: []ir.Value{one}, Access: t.ptr,
		Align: 1})
	insertBefore(start, slot, t.store(null, slot))
	insertBefore(first, t.store(address(first), slot))
	load := at(second, &ir.Instr{Op: ir.OpLoad, T: t.ptr, Args: []ir.Value{slot}, Access: t.ptr, Align: 1})
	insertBefore(second, load, t.store(null, slot))
	t.trapOn(f, load, second, c)
}

// insertBefore puts instructions in front of another.
func insertBefore(in *ir.Instr, add ...*ir.Instr) {
	b := in.Block
	for _, a := range add {
		at(in, a)
	}
	b.Instrs = slices.Insert(b.Instrs, slices.Index(b.Instrs, in), add...)
}

// trapOn claims in front of an access that its address is not other.
func (t *translator) trapOn(f *ir.Func, other ir.Value, in *ir.Instr, c conflict) {
	same := &ir.Instr{Op: ir.OpIcmp, Pred: ir.EQ, T: t.intType(1), Args: []ir.Value{other, address(in)}}
	insertBefore(in, same)
	t.splitAt(f, in, same, verdict.Unsequenced, c.what, *in.Pos)
}

// before reports whether every way from the begin of the function to b comes through a.
func before(a, b *ir.Instr) bool {
	if a.Block == b.Block {
		return slices.Index(a.Block.Instrs, a) < slices.Index(a.Block.Instrs, b)
	}
	return dominates(a.Block, b.Block)
}
