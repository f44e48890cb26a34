package docs

import (
	"go/ast"
	"go/types"
	"testing"
)

// TestOneWriterOfStatus: the status of a claim follows from what is known of it (verdict.Claim.Learn). Nobody else writes
// it: no assignment, no literal.
func TestOneWriterOfStatus(t *testing.T) {
	asked := 0
	eachTyped(t, func(path string, p *typed) {
		claim := func(e ast.Expr) bool {
			of := p.info.Types[e].Type
			if ptr, ok := of.(*types.Pointer); ok {
				of = ptr.Elem()
			}
			named, ok := of.(*types.Named)
			return ok && named.Obj().Name() == "Claim" && named.Obj().Pkg().Path() == module+"verifier/verdict"
		}
		// written reports whether e is the status of a claim; an embedded one is a claim, too.
		written := func(e ast.Expr) bool {
			sel, ok := e.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Status" {
				return false
			}
			f, ok := p.info.Uses[sel.Sel].(*types.Var)
			if !ok || f.Pkg().Path() != module+"verifier/verdict" {
				return false
			}
			if claim(sel.X) {
				return true
			}
			of := p.info.Selections[sel]
			return of != nil && len(of.Index()) > 1
		}
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Learn" || sel.Sel.Name == "Learned") {
						asked++
					}
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						if written(l) && path != "verifier/verdict" {
							t.Errorf("%s: say what is known (Learn), not the status", p.fset.Position(l.Pos()))
						}
					}
				case *ast.CompositeLit:
					if !claim(n) {
						break
					}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Status" {
							t.Errorf("%s: say what is known (Learned), not the status", p.fset.Position(e.Pos()))
						}
					}
				}
				return true
			})
		}
	})
	if asked < 20 {
		t.Errorf("only %d places say what is known: the test does not see them", asked)
	}
}
