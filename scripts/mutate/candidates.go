package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is a mistake that can be turned on.
type mutant struct {
	id    string // file:function:kind#count, which edits elsewhere leave alone
	pos   string // file:line:column
	what  string // the change in words
	text  string // of the function, whose change asks for a new run
	file  string
	node  ast.Node
	edits func(n int) []edit
}

// edit replaces the bytes of a file from one offset to another.
type edit struct {
	from, to int
	text     string
	depth    int // of the node that is changed: the outer one begins first and ends last
	closes   bool
}

// key names what was found about the mutant.
func (m *mutant) key() string {
	return fmt.Sprintf("%s %x", m.id, sha256.Sum256([]byte(m.text)))[:len(m.id)+17]
}

// sample takes n mutants by the digests of their names, at most one a node.
func sample(all []*mutant, n int, seed int64) []*mutant {
	rank := func(m *mutant) uint64 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, m.id))
		return binary.BigEndian.Uint64(sum[:])
	}
	list := slices.SortedFunc(slices.Values(all), func(a, b *mutant) int {
		if rank(a) < rank(b) {
			return -1
		}
		return 1
	})
	used := map[ast.Node]bool{}
	var out []*mutant
	for _, m := range list {
		if len(out) < n && !used[m.node] {
			used[m.node] = true
			out = append(out, m)
		}
	}
	return out
}

// finder collects the candidates of one file.
type finder struct {
	fset  *token.FileSet
	info  *types.Info
	pkg   *types.Package
	path  string
	src   []byte
	fn    *ast.FuncDecl
	stack []ast.Node
	count map[string]int
	out   []*mutant
}

// candidates lists every mutant of the package in a folder of the module, outside tests and generated files.
func candidates(dir string) ([]*mutant, error) {
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	sources := map[*ast.File][]byte{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files, sources[f] = append(files, f), src
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}
	lookup, err := exports(dir)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	pkg, err := conf.Check(dir, fset, files, info)
	if err != nil {
		return nil, err
	}
	var out []*mutant
	for _, f := range files {
		if ast.IsGenerated(f) {
			continue // its generator makes the mistakes
		}
		path := fset.Position(f.Pos()).Filename
		v := &finder{fset: fset, info: info, pkg: pkg, path: path, src: sources[f]}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && fn.Name.Name != "String" {
				v.fn, v.count = fn, map[string]int{}
				ast.Inspect(fn.Body, v.visit)
			}
		}
		out = append(out, v.out...)
	}
	return out, nil
}

// exports returns a reader of the compiled packages that the one in dir imports.
func exports(dir string) (importer.Lookup, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "./"+dir).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]string{}
	for line := range bytes.Lines(out) {
		if pkg, file, ok := strings.Cut(strings.TrimSpace(string(line)), "="); ok {
			files[pkg] = file
		}
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }, nil
}

func (v *finder) offset(p token.Pos) int { return v.fset.Position(p).Offset }

func (v *finder) text(n ast.Node) string { return string(v.src[v.offset(n.Pos()):v.offset(n.End())]) }

// add records a mutant of node.
func (v *finder) add(kind, what string, node ast.Node, edits func(n int) []edit) {
	name := v.fn.Name.Name
	if v.fn.Recv != nil {
		name = strings.TrimLeft(v.text(v.fn.Recv.List[0].Type), "*") + "." + name
	}
	v.count[kind]++
	at, depth := v.fset.Position(node.Pos()), len(v.stack)
	v.out = append(v.out, &mutant{
		id:  fmt.Sprintf("%s:%s:%s#%d", v.path, name, kind, v.count[kind]),
		pos: fmt.Sprintf("%s:%d:%d", v.path, at.Line, at.Column), what: what, text: v.text(v.fn), file: v.path,
		node: node,
		edits: func(n int) []edit {
			list := edits(n)
			for i := range list {
				list[i].depth = depth
			}
			return list
		}})
}

// around puts text before and behind a node.
func (v *finder) around(n ast.Node, before, behind string) []edit {
	from, to := v.offset(n.Pos()), v.offset(n.End())
	return []edit{{from: from, to: from, text: before}, {from: to, to: to, text: behind, closes: true}}
}
