package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// order and arithmetic operators, with those that are confused with them.
var (
	boundary = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}
	confused = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "+", token.QUO: "*", token.REM: "/",
		token.AND: "|", token.OR: "&", token.XOR: "|", token.AND_NOT: "&", token.SHL: ">>", token.SHR: "<<"}
)

// confusedNames are methods, functions and constants with those that a mistake in sign, order or direction calls.
var confusedNames = map[string]string{}

func init() {
	for _, p := range strings.Fields(`Ult:Slt Ule:Sle Udiv:Sdiv Urem:Srem Lshr:Ashr Zext:Sext UaddO:SaddO UmulO:SmulO
		SsubO:UsubO And:Or Add:Sub BvAnd:BvOr Min:Max Floor:Ceil Lt:Le Less:LessEq UMin:SMin UMax:SMax Signed:Unsigned
		KUlt:KSlt KUdiv:KSdiv KUrem:KSrem KLshr:KAshr KZext:KSext KAdd:KSub KBvAnd:KBvOr KUaddO:KSaddO KUmulO:KSmulO`) {
		a, b, _ := strings.Cut(p, ":")
		confusedNames[a], confusedNames[b] = b, a
	}
}

// widthNames are methods that return a width or a size.
var widthNames = regexp.MustCompile(`^(Width|Size|SizeOf|ByteSize|StoreSize|Bits)$`)

func (v *finder) visit(n ast.Node) bool {
	if n == nil {
		v.stack = v.stack[:len(v.stack)-1]
		return true
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		v.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			v.negate(n)
		}
	case *ast.IfStmt:
		switch n.Cond.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
		default:
			v.negate(n.Cond)
		}
	case *ast.BasicLit:
		v.literal(n)
	case *ast.Ident:
		if obj := v.info.Uses[n]; obj == types.Universe.Lookup("true") || obj == types.Universe.Lookup("false") {
			v.negate(n)
		}
	case *ast.CallExpr:
		v.call(n)
	case ast.Stmt:
		v.statement(n)
	}
	v.stack = append(v.stack, n)
	return true
}

func (v *finder) parent() ast.Node {
	if len(v.stack) == 0 {
		return nil
	}
	return v.stack[len(v.stack)-1]
}

// integer reports whether an expression has an integer type, and whether its value is known to the compiler.
func (v *finder) integer(e ast.Expr) (is, constant bool) {
	tv := v.info.Types[e]
	b, ok := tv.Type.(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0, tv.Value != nil
}

func (v *finder) binary(e *ast.BinaryExpr) {
	if v.info.Types[e].Value != nil {
		return
	}
	x, y := v.text(e.X), v.text(e.Y)
	op := func(name string) func(n int) []edit {
		at := v.offset(e.OpPos)
		return func(n int) []edit {
			return append(v.around(e, fmt.Sprintf("%s(%d, ", name, n), ")"),
				edit{from: at, to: at + len(e.Op.String()), text: ","})
		}
	}
	switch {
	case e.Op == token.LAND:
		v.add("drop-and", x+" && "+y+" without its second part", e.Y, func(n int) []edit {
			return v.around(e.Y, fmt.Sprintf("(mutIs(%d) || (", n), "))")
		})
	case e.Op == token.LOR:
		v.add("drop-or", x+" || "+y+" without its second part", e.Y, func(n int) []edit {
			return v.around(e.Y, fmt.Sprintf("(!mutIs(%d) && (", n), "))")
		})
	case e.Op == token.EQL || e.Op == token.NEQ:
		v.negate(e)
	case boundary[e.Op] != "":
		v.add("boundary", x+" "+boundary[e.Op]+" "+y, e, op("mut"+name(e.Op)))
		v.negate(e)
	case confused[e.Op] != "":
		is, _ := v.integer(e)
		if !is {
			return
		}
		t := "[" + v.info.Types[e].Type.String() + "]" // 1 << n - 1 has the type that its context wants
		v.add("operator", x+" "+confused[e.Op]+" "+y, e, op("mut"+name(e.Op)+t))
		if e.Op == token.ADD || e.Op == token.SUB {
			v.offByOne(e)
		}
	}
}

// name returns an operator's name in the names of the functions of prelude.
func name(op token.Token) string {
	names := map[token.Token]string{token.LSS: "Lss", token.LEQ: "Leq", token.GTR: "Gtr", token.GEQ: "Geq",
		token.ADD: "Add",
		token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Quo", token.REM: "Rem", token.AND: "And", token.OR: "Or",
		token.XOR: "Xor", token.AND_NOT: "AndNot", token.SHL: "Shl", token.SHR: "Shr"}
	return names[op]
}

func (v *finder) negate(e ast.Expr) {
	if b, ok := v.info.Types[e].Type.(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 {
		return
	}
	v.add("negate", "not ("+v.text(e)+")", e, func(n int) []edit {
		return v.around(e, fmt.Sprintf("(mutIs(%d) != (", n), "))")
	})
}

func (v *finder) offByOne(e ast.Expr) {
	b := v.info.Types[e].Type.(*types.Basic)
	t := b.Name()
	if b.Info()&types.IsUntyped != 0 {
		t = "int"
	}
	v.add("off-by-one", v.text(e)+" + 1", e, func(n int) []edit {
		return v.around(e, fmt.Sprintf("mutOff[%s](%d, ", t, n), ")")
	})
}

// literal adds an integer that is one too large, where the compiler needs no constant.
func (v *finder) literal(e *ast.BasicLit) {
	if is, _ := v.integer(e); !is {
		return
	}
	switch p := v.parent().(type) {
	case *ast.CallExpr:
		if v.info.Types[p.Fun].IsType() {
			return
		}
	case *ast.IndexExpr, *ast.SliceExpr, *ast.ReturnStmt:
	case *ast.AssignStmt:
	case *ast.BinaryExpr:
		if v.info.Types[p].Value != nil || p.Op == token.SHL || p.Op == token.SHR {
			return
		}
	default:
		return
	}
	v.offByOne(e)
}

// call adds another callee, another constant, and a width that is wrong.
func (v *finder) call(c *ast.CallExpr) {
	for _, arg := range c.Args {
		if sel, ok := arg.(*ast.SelectorExpr); ok && v.info.Types[arg].Value != nil {
			v.constant(sel)
		}
	}
	fun, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		if id, ok := c.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") && v.info.Types[id].IsBuiltin() &&
			len(c.Args) == 2 {
			other := map[string]string{"min": "max", "max": "min"}[id.Name]
			v.add("name", v.text(c)+" with "+other, c, func(n int) []edit {
				return []edit{{from: v.offset(id.Pos()), to: v.offset(c.Lparen) + 1,
					text: fmt.Sprintf("mutPick%s(%d, ", id.Name, n)}}
			})
		}
		return
	}
	if is, constant := v.integer(c); is && !constant && widthNames.MatchString(fun.Sel.Name) {
		v.offByOne(c)
	}
	other, selected := confusedNames[fun.Sel.Name], v.info.Selections[fun]
	if other == "" || selected == nil || !plain(fun.X) {
		return
	}
	obj, _, _ := types.LookupFieldOrMethod(selected.Recv(), true, v.pkg, other)
	if _, ok := obj.(*types.Func); !ok || !types.Identical(obj.Type(), selected.Obj().Type()) {
		return
	}
	x := v.text(fun.X)
	v.add("name", v.text(c)+" with "+other, fun, v.choice(fun, fmt.Sprintf("%s.%s, %s.%s", x, fun.Sel.Name, x, other)))
}

// constant adds another constant of the same package and type.
func (v *finder) constant(sel *ast.SelectorExpr) {
	other, obj := confusedNames[sel.Sel.Name], v.info.Uses[sel.Sel]
	if other == "" || obj == nil || obj.Pkg() == nil {
		return
	}
	to := obj.Pkg().Scope().Lookup(other)
	if to == nil || !types.Identical(to.Type(), obj.Type()) {
		return
	}
	x := v.text(sel.X)
	v.add("name", v.text(sel)+" is "+other, sel, v.choice(sel, fmt.Sprintf("%s.%s, %s.%s", x, sel.Sel.Name, x, other)))
}

// choice replaces e by one of two expressions.
func (v *finder) choice(e ast.Expr, two string) func(n int) []edit {
	return func(n int) []edit {
		return []edit{{from: v.offset(e.Pos()), to: v.offset(e.End()), text: fmt.Sprintf("mutPick(%d, %s)", n, two)}}
	}
}

// plain reports whether evaluating an expression twice does no more than evaluating it once.
func plain(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plain(e.X)
	}
	return false
}

// statement adds a statement that is left out.
func (v *finder) statement(s ast.Stmt) {
	switch v.parent().(type) {
	case nil, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	switch s := s.(type) {
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); !ok || strings.HasPrefix(v.text(call), "panic(") {
			return
		}
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || v.text(s.Lhs[0]) == "_" {
			return
		}
	case *ast.IncDecStmt:
	case *ast.BranchStmt:
		if s.Tok != token.CONTINUE && s.Tok != token.BREAK {
			return
		}
	default:
		return
	}
	v.add("drop", "without "+v.text(s), s, func(n int) []edit {
		return v.around(s, fmt.Sprintf("if !mutIs(%d) { ", n), " }")
	})
}
