package frontend

import (
	"slices"
	"strconv"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// foldedNote is a constant whose value is undefined, and whose it is, as
// pipeline/compile notes it (named metadata firmproof.folded, see there).
type foldedNote struct {
	ir.Folded
	kind, owner string
	line, col   int
}

// folded gives the notes to their owners: a global, a function, every function of
// a unit; before the copy of a constant into an automatic object it puts a trap.
func (t *translator) folded(src *llir.Module) {
	def := src.NamedMetadataDefs["firmproof.folded"]
	if def == nil {
		return
	}
	seen := map[string]bool{} // a header's, once for each unit that has it
	for _, n := range def.Nodes {
		note, ok := readNote(n)
		if key := note.kind + note.owner + note.Pos.String(); ok && !seen[key] {
			seen[key] = true
			t.give(src, note)
		}
	}
}

func readNote(n metadata.Node) (foldedNote, bool) {
	tuple, ok := n.(*metadata.Tuple)
	if !ok || len(tuple.Fields) != 10 {
		return foldedNote{}, false
	}
	var s [10]string
	for i, f := range tuple.Fields {
		text, ok := f.(*metadata.String)
		if !ok {
			return foldedNote{}, false
		}
		s[i] = text.Value
	}
	number := func(i int) int {
		v, err := strconv.Atoi(s[i])
		ok = ok && err == nil
		return v
	}
	note := foldedNote{kind: s[5], owner: s[6], line: number(7), col: number(8)}
	note.Folded = ir.Folded{Pos: verdict.Pos{File: s[0], Line: number(1), Column: number(2)},
		Check: verdict.Check(s[3]), Message: "constant expression: " + s[4], Undecided: s[9] == "undecided"}
	return note, ok
}

func (t *translator) give(src *llir.Module, note foldedNote) {
	if note.kind == "global" {
		for _, g := range t.m.Globals {
			if g.Var != nil && g.Var.Name == note.owner && g.Var.Pos.Line == note.line &&
				g.Var.Pos.File == note.Pos.File {
				g.Folded = append(g.Folded, note.Folded)
			}
		}
		return
	}
	for _, s := range src.Funcs {
		f := t.funcs[s]
		switch {
		case f == nil || f.IsDecl():
		case note.kind == "function" && f.CName == note.owner && f.Pos.File == note.Pos.File,
			note.kind == "user" && f.Pos.File+":"+f.CName == note.owner,
			note.kind == "unit" && t.unitOf(s) == note.owner:
			f.Folded = append(f.Folded, note.Folded)
		case note.kind == "aggregate":
			t.trapBefore(f, note)
		}
	}
}

// unitOf is the file that was compiled to f.
func (t *translator) unitOf(f *llir.Func) string {
	for _, a := range f.Metadata {
		if sp, ok := a.Node.(*metadata.DISubprogram); ok && sp.Unit != nil {
			return t.dbg.file(sp.Unit.File)
		}
	}
	return ""
}

// trapBefore splits the block of f in front of what initialises the object that
// is declared where the note says.
func (t *translator) trapBefore(f *ir.Func, note foldedNote) {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Pos.Line != note.line || in.Pos.Column != note.col || in.Pos.File != note.Pos.File ||
				in.Op != ir.OpCall && in.Op != ir.OpStore {
				continue
			}
			where := note.Pos
			where.Function = f.CName
			always := &ir.Const{T: t.intType(1), Kind: ir.ConstInt, Bits: bits.New(1, 1)}
			t.splitAt(f, in, always, note.Check, note.Message, where)
			return
		}
	}
}

// splitAt splits the block of f in front of in: where bad holds, check is violated.
func (t *translator) splitAt(f *ir.Func, in *ir.Instr, bad ir.Value, check verdict.Check, what string,
	where verdict.Pos) {
	b := in.Block
	i := slices.Index(b.Instrs, in)
	rest := &ir.Block{Func: f, Name: b.Name + ".defined", Instrs: b.Instrs[i:]}
	fails := &ir.Block{Func: f, Name: b.Name + ".undefined"}
	trap := &ir.Instr{Op: ir.OpTrap, T: t.void, Check: check, What: what, Block: fails, Pos: &where}
	fails.Instrs = []*ir.Instr{trap, {Op: ir.OpUnreachable, T: t.void, Block: fails, Pos: &where}}
	br := &ir.Instr{Op: ir.OpCondBr, T: t.void, Args: []ir.Value{bad}, Targets: []*ir.Block{fails, rest},
		Block: b, Pos: in.Pos}
	b.Instrs = append(b.Instrs[:i:i], br)
	for _, s := range rest.Instrs {
		s.Block = rest
	}
	for _, s := range rest.Succs() {
		renamePred(s, b, rest)
	}
	f.Blocks = slices.Insert(f.Blocks, slices.Index(f.Blocks, b)+1, rest, fails)
	number(f)
}
