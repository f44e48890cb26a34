package frontend

import (
	"cmp"
	"path"
	"strings"

	llir "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// debugInfo turns metadata into positions and C types, each node once.
type debugInfo struct {
	root  string
	files map[*metadata.DIFile]string
	locs  map[*metadata.DILocation]*verdict.Pos
	types map[metadata.Field]*ir.DType

	depth   int           // of nested calls of typ
	pending []pendingElem // pointers without Elem
}

func newDebugInfo(root string, src *llir.Module) *debugInfo {
	d := &debugInfo{root: root, files: map[*metadata.DIFile]string{}, locs: map[*metadata.DILocation]*verdict.Pos{},
		types: map[metadata.Field]*ir.DType{}}
	if root == "" {
		d.root = compileFolder(src)
	}
	return d
}

// compileFolder is the folder in which the compiler ran, if it was one for all units.
func compileFolder(src *llir.Module) string {
	dir := ""
	for _, m := range src.MetadataDefs {
		u, ok := m.(*metadata.DICompileUnit)
		if !ok || u.File == nil {
			continue
		}
		if dir != "" && dir != u.File.Directory {
			return ""
		}
		dir = u.File.Directory
	}
	return dir
}

// file is a source file's name: relative to the root if it lies below it.
func (d *debugInfo) file(f *metadata.DIFile) string {
	if f == nil {
		return ""
	}
	name, ok := d.files[f]
	if !ok {
		name = f.Filename
		if !path.IsAbs(name) && f.Directory != "" {
			name = path.Join(f.Directory, name)
		}
		name = path.Clean(name)
		if rel, below := strings.CutPrefix(name, strings.TrimSuffix(d.root, "/")+"/"); d.root != "" && below {
			name = rel
		}
		d.files[f] = name
	}
	return name
}

func (d *debugInfo) filePos(f *metadata.DIFile, line int64) verdict.Pos {
	return verdict.Pos{File: d.file(f), Line: int(line)}
}

func (d *debugInfo) varPos(v *metadata.DILocalVariable, function string) verdict.Pos {
	p := d.filePos(v.File, v.Line)
	p.Function = function
	return p
}

// location is the position of an instruction: the place in the inlined
// function, if it was inlined.
func (d *debugInfo) location(l *metadata.DILocation) *verdict.Pos {
	if p, ok := d.locs[l]; ok {
		return p
	}
	f, sp := scope(l.Scope)
	p := &verdict.Pos{File: d.file(f), Line: int(l.Line), Column: int(l.Column)}
	if sp != nil {
		p.Function = qualified(sp)
	}
	d.locs[l] = p
	return p
}

// scope walks up to the file and the function that a scope lies in.
func scope(s metadata.Field) (file *metadata.DIFile, sp *metadata.DISubprogram) {
	note := func(f *metadata.DIFile) {
		if file == nil {
			file = f
		}
	}
	for s != nil {
		switch n := s.(type) {
		case *metadata.DILexicalBlock:
			note(n.File)
			s = n.Scope
		case *metadata.DILexicalBlockFile:
			note(n.File)
			s = n.Scope
		case *metadata.DISubprogram:
			note(n.File)
			return file, n
		case *metadata.DIFile:
			note(n)
			return file, nil
		default:
			return file, nil
		}
	}
	return file, nil
}

// qualified returns the name of a function; in C++ behind those of its classes and namespaces.
func qualified(sp *metadata.DISubprogram) string {
	name := sp.Name
	if !strings.HasPrefix(sp.LinkageName, "_Z") {
		return name
	}
	for scope := metadata.Field(sp.Scope); ; {
		outer := ""
		switch s := scope.(type) {
		case *metadata.DICompositeType:
			outer, scope = s.Name, s.Scope
		case *metadata.DINamespace:
			outer, scope = cmp.Or(s.Name, "(anonymous)"), s.Scope
		default:
			return name
		}
		name = outer + "::" + name
	}
}

// subprogram fills in a function's C name and position; the result is the
// position of instructions that have none of their own.
func (d *debugInfo) subprogram(out *ir.Func, f *llir.Func) *verdict.Pos {
	out.CName = out.Name
	out.Pos = verdict.Pos{Function: out.Name}
	for _, a := range f.Metadata {
		if sp, ok := a.Node.(*metadata.DISubprogram); ok && a.Name == "dbg" {
			out.CName = qualified(sp)
			out.Pos = d.filePos(sp.File, sp.Line)
			out.Pos.Function = out.CName
			out.Public = sp.SPFlags&enum.DISPFlagLocalToUnit == 0
			if st, ok := sp.Type.(*metadata.DISubroutineType); ok && len(fields(st.Types)) > 0 {
				out.DRet = d.typ(st.Types.Fields[0])
			}
		}
	}
	p := out.Pos
	return &p
}
