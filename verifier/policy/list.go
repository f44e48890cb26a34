package policy

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// files are those with limits, in this order.
var files = []string{"policy.go", "systems.go", "graphs.go", "encoding.go", "programs.go", "runs.go"}

//go:embed policy.go systems.go graphs.go encoding.go programs.go runs.go
var texts embed.FS

// Limit is one constant or table of this package, as it is written.
type Limit struct {
	Group string // the comment above its group, up to the first full stop
	Name  string
	Value string
	Says  string // the comment beside it
}

// Limits lists all limits in the order in which they are written: Go keeps no constants to be listed.
func Limits() ([]Limit, error) {
	var out []Limit
	for _, name := range files {
		list, err := limitsOf(name)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

func limitsOf(name string) ([]Limit, error) {
	text, err := texts.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	source := func(e ast.Expr) string {
		return strings.Join(strings.Fields(string(text[set.Position(e.Pos()).Offset:set.Position(e.End()).Offset])), " ")
	}
	var out []Limit
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST && g.Tok != token.VAR {
			continue
		}
		group, _, _ := strings.Cut(oneLine(g.Doc), ".")
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i, n := range v.Names {
				says := oneLine(v.Comment)
				if says == "" {
					says = oneLine(v.Doc)
				}
				out = append(out, Limit{Group: group, Name: n.Name, Value: source(v.Values[min(i, len(v.Values)-1)]),
					Says: says})
			}
		}
	}
	return out, nil
}

func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
