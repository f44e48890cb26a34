package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/scripts/sources"
)

// texts are the fields that hold words for people, a user's among them: by package below the module, type and field.
var texts = []string{
	"verifier/verdict.Claim.Message", "verifier/verdict.Reason.Detail", "verifier/verdict.Reason.Remedy",
	"verifier/verdict.Step.What", "verifier/verdict.Assumption.Text", "verifier/verdict.Result.Warnings",
	"verifier/verdict.Certificate.Detail", "verifier/verdict.Certificate.Method", "verifier/verdict.MachineRun.Detail",
	"verifier/interp.Outcome.Message", "verifier/encode.Claim.Message", "verifier/encode.Claim.Holds",
	"verifier/ir.Instr.What", "verifier/termination.Answer.Reason",
}

// comparing are the functions that a decision by words takes; all methods of regexp.Regexp are, too.
var comparing = []string{
	"strings.Compare", "strings.Contains", "strings.ContainsAny", "strings.ContainsFunc", "strings.ContainsRune",
	"strings.Count", "strings.Cut", "strings.CutPrefix", "strings.CutSuffix", "strings.EqualFold", "strings.HasPrefix",
	"strings.HasSuffix", "strings.Index", "strings.IndexByte", "strings.IndexFunc", "strings.LastIndex",
	"strings.TrimPrefix", "strings.TrimSuffix", "regexp.MatchString", "slices.Contains", "slices.ContainsFunc",
	"slices.Index", "slices.IndexFunc", "slices.Equal",
}

// noDecision lists the functions that look into words and decide no answer by them, with the reason.
var noDecision = map[string]string{
	"editors.literal":                     "puts words into Markdown",
	"editors.places.checks":               "puts words together: the entries of a line",
	"editors.places.values":               "finds the steps that name a variable, to show its value",
	"verifier/calls.inWords":              "puts words together: calls of one function in a row",
	"verifier/interp.Part":                "puts words together: the name of a place in a block",
	"verifier/interp.Machine.Unmark":      "puts words together: names in the place of marks",
	"verifier/interp/trace.tracer.showIn": "puts words together: the value of a place",
	"verifier/interp/trace.isWoven":       "names of variables and functions that the tool put into the program; its steps are not shown",
	"verifier/seg.builder.giveUp":         "lists what is not modelled once for each place",
	"pipeline/answers.movable":            "words that may name a line are not moved: at worst, a run that another answer would have spared",
	"pipeline/answers.namesPlace":         "likewise",
	"verifier/frontend.explain":           "the words of llir about a text that it cannot read",
	"pipeline.likeness":                   "says which finding of an edited program is which of the earlier one: the same is said of both",
	"pipeline.sides.matchEdited":          "likewise",
}

// TestNoDecisionByWords: outside of reports/ and cmd/, nothing compares what is said to people. It follows words through
// the variables, parameters and results of a package, not through data or from one package to another.
func TestNoDecisionByWords(t *testing.T) {
	used := map[string]bool{}
	eachTyped(t, func(path string, p *typed) {
		w := &words{typed: p, engine: strings.HasPrefix(path, "verifier"), tainted: map[types.Object]bool{},
			funcs: map[types.Object]*ast.FuncDecl{}}
		for _, found := range w.find() {
			name := path + "." + found.function
			if used[name] = true; noDecision[name] == "" {
				t.Errorf("%s: %s decides by words for people: give the value that they word a field of its own",
					p.fset.Position(found.at), name)
			}
		}
	})
	for name := range noDecision {
		if !used[name] {
			t.Errorf("noDecision has %s, which compares no words", name)
		}
	}
}

// typed is a package with the types of its expressions.
type typed struct {
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// byPath holds what eachTyped has read.
var byPath map[string]*typed

// eachTyped gives see the packages that packages lists, by their paths below the module.
func eachTyped(t *testing.T, see func(path string, p *typed)) {
	t.Helper()
	if byPath == nil {
		byPath = readTyped(t)
	}
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		see(path, byPath[path])
	}
}

func readTyped(t *testing.T) map[string]*typed {
	t.Helper()
	if testing.Short() {
		t.Skip("types of all packages")
	}
	if err := sources.Walk("..", func(string) error { return nil }); err != nil { // so that go test sees new files
		t.Fatal(err)
	}
	list, export := packages(t)
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, errors.New("not built: " + path)
		}
		return os.Open(export[path])
	})
	out := map[string]*typed{}
	for _, l := range list {
		p := &typed{fset: fset, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}}}
		for _, name := range l.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			p.files = append(p.files, f)
		}
		conf := types.Config{Importer: from, FakeImportC: true}
		if _, err := conf.Check(l.ImportPath, fset, p.files, p.info); err != nil {
			t.Fatal(err)
		}
		out[strings.TrimPrefix(l.ImportPath, module)] = p
	}
	return out
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles, Deps           []string
}

// packages lists the packages of the module that decide about reports, and the export data of all, by path.
func packages(t *testing.T) (list []listed, export map[string]string) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Deps", "./...")
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	export = map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
		name, own := strings.CutPrefix(p.ImportPath, module)
		if own && !strings.HasPrefix(name, "reports") && !strings.HasPrefix(name, "cmd/") &&
			slices.Contains(p.Deps, module+"verifier/verdict") {
			list = append(list, p)
		}
	}
	return list, export
}

// words follows the words for people through a package.
type words struct {
	*typed
	engine  bool                  // a package of verifier/, where what errors say is shown, too
	tainted map[types.Object]bool // variables that hold words, and functions that return some
	funcs   map[types.Object]*ast.FuncDecl
	changed bool
}

// comparison is a place where words are compared.
type comparison struct {
	at       token.Pos
	function string // that it is in, as Type.Name or Name
}

func (w *words) find() []comparison {
	for _, f := range w.files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				w.funcs[w.info.Defs[fn.Name]] = fn
			}
		}
	}
	for w.changed = true; w.changed; {
		w.changed = false
		for _, f := range w.files {
			ast.Inspect(f, func(n ast.Node) bool { w.flow(n); return true })
			for _, d := range f.Decls {
				w.results(d)
			}
		}
	}
	var out []comparison
	for _, f := range w.files {
		for _, d := range f.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				if w.compares(n) {
					out = append(out, comparison{n.Pos(), nameOf(d)})
				}
				return true
			})
		}
	}
	return out
}

func nameOf(d ast.Decl) string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return "var"
	}
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	return fmt.Sprintf("%s.%s", t, fn.Name.Name)
}

// flow taints what n gives words to.
func (w *words) flow(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			from := n.Rhs[0]
			if len(n.Rhs) == len(n.Lhs) {
				from = n.Rhs[i]
			}
			if w.holds(from) {
				w.taint(to)
			}
		}
	case *ast.ValueSpec:
		for i, to := range n.Names {
			if i < len(n.Values) && w.holds(n.Values[i]) {
				w.taint(to)
			}
		}
	case *ast.RangeStmt:
		if w.holds(n.X) && n.Value != nil {
			w.taint(n.Value)
		}
	case *ast.CallExpr:
		w.call(n)
	}
}

// results taints a function that returns words.
func (w *words) results(d ast.Decl) {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || w.tainted[w.info.Defs[fn.Name]] {
		return
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if _, inner := n.(*ast.FuncLit); inner {
			return false
		}
		if ret, is := n.(*ast.ReturnStmt); is && slices.ContainsFunc(ret.Results, w.holds) {
			w.tainted[w.info.Defs[fn.Name]], w.changed = true, true
		}
		return true
	})
}

// call taints the parameters that words are given to: of the function called, or of one that is handed on beside words.
func (w *words) call(n *ast.CallExpr) {
	if fn := w.funcs[w.called(n)]; fn != nil {
		for i, a := range n.Args {
			if w.holds(a) {
				w.parameter(fn, i)
			}
		}
		return
	}
	if !slices.ContainsFunc(n.Args, w.holds) {
		return
	}
	for _, a := range n.Args {
		if id, ok := a.(*ast.Ident); ok && w.funcs[w.info.Uses[id]] != nil {
			w.parameter(w.funcs[w.info.Uses[id]], 0)
		}
		if lit, ok := a.(*ast.FuncLit); ok {
			for _, p := range lit.Type.Params.List {
				for _, name := range p.Names {
					w.taint(name)
				}
			}
		}
	}
}

func (w *words) parameter(fn *ast.FuncDecl, i int) {
	for _, p := range fn.Type.Params.List {
		for _, name := range p.Names {
			if i == 0 {
				w.taint(name)
			}
			i--
		}
	}
}

// taint notes a variable for strings.
func (w *words) taint(e ast.Expr) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return
	}
	o := w.info.Defs[id]
	if o == nil {
		o = w.info.Uses[id]
	}
	if o != nil && !w.tainted[o] && isText(o.Type()) {
		w.tainted[o], w.changed = true, true
	}
}

// isText reports strings and lists of them.
func isText(t types.Type) bool {
	if s, ok := t.Underlying().(*types.Slice); ok {
		t = s.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// holds reports an expression whose value has words in it: a field of texts, a variable that holds some, or what is made
// of those.
func (w *words) holds(e ast.Expr) bool {
	if t := w.info.TypeOf(e); t != nil && !isText(t) {
		if _, many := t.(*types.Tuple); !many {
			return false
		}
	}
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return w.isText(e)
	case *ast.Ident:
		return w.tainted[w.info.Uses[e]]
	case *ast.BinaryExpr:
		return w.holds(e.X) || w.holds(e.Y)
	case *ast.ParenExpr:
		return w.holds(e.X)
	case *ast.IndexExpr:
		return w.holds(e.X)
	case *ast.SliceExpr:
		return w.holds(e.X)
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, w.holds)
	case *ast.CallExpr:
		called := w.called(e)
		return w.tainted[called] || slices.ContainsFunc(e.Args, w.holds) || w.engine && isError(called)
	}
	return false
}

// isError reports the method that says an error in words.
func isError(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Pkg() == nil && f.Name() == "Error"
}

func (w *words) isText(e *ast.SelectorExpr) bool {
	s := w.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal || s.Obj().Pkg() == nil {
		return false
	}
	for _, field := range texts {
		pkg, rest, _ := strings.Cut(field, ".")
		owner, name, _ := strings.Cut(rest, ".")
		if s.Obj().Name() == name && s.Obj().Pkg().Path() == module+pkg && owns(s, owner) {
			return true
		}
	}
	return false
}

// owns reports whether the field of s is one of the type called owner, by itself or embedded.
func owns(s *types.Selection, owner string) bool {
	o := s.Obj().Pkg().Scope().Lookup(owner)
	if o == nil {
		return false
	}
	t, ok := o.Type().Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range t.NumFields() {
		if t.Field(i).Pos() == s.Obj().Pos() && t.Field(i).Name() == s.Obj().Name() {
			return true
		}
	}
	return false
}

// called returns the function that a call is of, by its name.
func (w *words) called(n *ast.CallExpr) types.Object {
	switch f := n.Fun.(type) {
	case *ast.Ident:
		return w.info.Uses[f]
	case *ast.SelectorExpr:
		return w.info.Uses[f.Sel]
	}
	return nil
}

// compares reports a node that compares words with others; whether there are some may be asked.
func (w *words) compares(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op != token.EQL && n.Op != token.NEQ {
			return false
		}
		return w.holds(n.X) && !w.empty(n.Y) || w.holds(n.Y) && !w.empty(n.X)
	case *ast.SwitchStmt:
		return n.Tag != nil && w.holds(n.Tag)
	case *ast.IndexExpr:
		_, isMap := w.info.TypeOf(n.X).Underlying().(*types.Map)
		return isMap && w.holds(n.Index)
	case *ast.CallExpr:
		f, ok := w.called(n).(*types.Func)
		if !ok || f.Pkg() == nil || !slices.ContainsFunc(n.Args, w.holds) {
			return false
		}
		method := f.Signature().Recv() != nil
		return method && f.Pkg().Path() == "regexp" || !method && slices.Contains(comparing, f.Pkg().Path()+"."+f.Name())
	}
	return false
}

// empty reports "".
func (w *words) empty(e ast.Expr) bool {
	v := w.info.Types[e].Value
	return v != nil && v.String() == `""`
}
