package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hold compares text with a golden file; UPDATE=1 writes it anew.
func hold(t *testing.T, golden, text string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != text {
		t.Errorf("limits changed (UPDATE=1 go test ./verifier/policy writes %s): %v\n%s", golden, err,
			changes(string(want), text))
	}
}

// changes lists the lines of one text that the other has not.
func changes(was, is string) string {
	var b strings.Builder
	in := func(text, line string) bool { return strings.Contains("\n"+text, "\n"+line+"\n") }
	for _, l := range strings.Split(was, "\n") {
		if !in(is, l) && l != "" {
			b.WriteString("- " + l + "\n")
		}
	}
	for _, l := range strings.Split(is, "\n") {
		if !in(was, l) && l != "" {
			b.WriteString("+ " + l + "\n")
		}
	}
	return b.String()
}

// The limits are those of testdata/limits.txt: who changes one sees it there, and says in the commit what it won and
// cost.
func TestLimits(t *testing.T) {
	list, err := Limits()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	group := ""
	for _, l := range list {
		if l.Group != group {
			group = l.Group
			fmt.Fprintf(&b, "# %s\n", group)
		}
		fmt.Fprintf(&b, "%s = %s\n", l.Name, l.Value)
		if l.Group == "" {
			t.Errorf("%s: no comment says what its group is about", l.Name)
		}
	}
	hold(t, "testdata/limits.txt", b.String())
	if len(list) < 200 {
		t.Errorf("only %d limits", len(list))
	}
}

// No other package of the engine names numbers for itself: a limit belongs here. A constant that limits nothing (an
// address, a mask, a format, a mark) has a type, or is written in hexadecimal.
func TestElsewhere(t *testing.T) {
	var b strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || name == "policy" || name == "rulegen" || name == "testprogram"):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_gen.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					numbers(&b, strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path))+"/", "../"), s.(*ast.ValueSpec))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if b.Len() > 0 {
		t.Errorf("limits that belong into package policy, or constants that have no type:\n%s", b.String())
	}
}

// numbers writes the constants of s that are numbers without a type.
func numbers(b *strings.Builder, folder string, s *ast.ValueSpec) {
	if s.Type != nil || len(s.Values) != len(s.Names) {
		return
	}
	for i, n := range s.Names {
		if v, ok := number(s.Values[i]); ok {
			fmt.Fprintf(b, "%s%s = %s\n", folder, n.Name, v)
		}
	}
}

// number prints literals, and what is computed of them.
func number(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value, (e.Kind == token.INT || e.Kind == token.FLOAT) && !strings.HasPrefix(e.Value, "0x")
	case *ast.UnaryExpr:
		x, ok := number(e.X)
		return e.Op.String() + x, ok
	case *ast.BinaryExpr:
		x, left := number(e.X)
		y, right := number(e.Y)
		return x + " " + e.Op.String() + " " + y, left && right
	}
	return "", false
}
