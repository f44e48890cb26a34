package syntax

import (
	"slices"
	"strings"
)

// summary holds what a function that this unit defines does to the arguments of its calls.
type summary struct {
	params []string        // their types
	types  map[int]string  // what parameters without a type are made, where that is one type
	apart  [][2]int        // parameters that are handed on as two that restrict keeps apart
	uses   map[string]bool // variables at file scope that it or its callees name; true if they are set
}

// summarise returns what was found of the function that was looked at last.
func (a *aliaser) summarise(f *node) *summary {
	s := &summary{params: parametersOf(f.Type.Qual), types: map[int]string{}, apart: a.apart, uses: map[string]bool{}}
	for id, at := range a.params {
		all := a.bare[id]
		always := slices.ContainsFunc(all, func(p pointing) bool {
			return !slices.ContainsFunc(p.way, func(b branch) bool { return b.nth != otherwise })
		})
		if always && !slices.ContainsFunc(all, func(p pointing) bool { return a.differ(p.to, all[0].to) }) {
			s.types[at] = all[0].to
		}
	}
	f.each(func(n *node) {
		switch {
		case n.Kind == "DeclRefExpr" && n.Referenced != nil && a.globals[n.Referenced.ID]:
			s.uses[n.Referenced.ID] = s.uses[n.Referenced.ID] || a.changed[n.Referenced.ID] > 0
		case n.Kind == "CallExpr" && a.calls[n.callee()] != nil:
			for id, set := range a.calls[n.callee()].uses {
				s.uses[id] = s.uses[id] || set
			}
		}
	})
	return s
}

// handed looks at arguments without a type that the callee makes pointers to one.
func (a *aliaser) handed(call *node) {
	s := a.calls[call.callee()]
	if s == nil || a.relaxed {
		return
	}
	for i, arg := range call.Inner[1:] {
		if to := s.types[i]; to != "" && a.untyped(arg) {
			a.becomes(arg, to+" *")
		}
	}
}

// restricted looks at the arguments of a call.
func (a *aliaser) restricted(call *node) {
	if len(call.Inner) < 2 {
		return
	}
	params, args := a.paramsOf(call), call.Inner[1:]
	s := a.calls[call.callee()]
	if s == nil {
		s = &summary{}
	}
	for _, p := range s.apart {
		if p[0] < len(args) && p[1] < len(args) {
			a.keepsApart(call, args[p[0]], args[p[1]])
		}
	}
	for i := range min(len(params), len(args)) {
		if !strings.Contains(params[i], "restrict") {
			continue
		}
		if set, used := s.uses[a.global(args[i])]; used && (set || !strings.HasPrefix(params[i], "const ")) {
			a.note(call, overlapping)
		}
		for k := range min(len(params), len(args)) {
			if k == i || k < i && strings.Contains(params[k], "restrict") || !strings.Contains(params[k], "*") ||
				strings.HasPrefix(params[i], "const ") && strings.HasPrefix(params[k], "const ") {
				continue
			}
			a.keepsApart(call, args[i], args[k])
		}
	}
}

// paramsOf returns the types of the parameters of what is called; through a pointer, with the restrict of any function
// that is defined further up and has as many: the pointer's type need not say so.
func (a *aliaser) paramsOf(call *node) []string {
	out := parametersOf(call.Inner[0].Type.Qual)
	if f := call.Inner[0].plain(); f.CastKind == "FunctionToPointerDecay" && f.Inner[0].plain().Kind == "DeclRefExpr" {
		return out
	}
	for _, s := range a.calls { // in any order: one that writes counts
		for i, p := range s.params {
			if len(s.params) == len(out) && strings.Contains(p, "restrict") && strings.Contains(out[i], "*") &&
				!(strings.Contains(out[i], "restrict") && strings.HasPrefix(p, "const ")) {
				out[i] = p
			}
		}
	}
	return out
}

// declared looks at a local variable with restrict, which leads where another one of the blocks around it does.
func (a *aliaser) declared(n *node) {
	if n.Kind != "VarDecl" || n.has&hasInit == 0 || len(n.Inner) == 0 || !strings.Contains(n.Type.Qual, "restrict") {
		return
	}
	value := n.Inner[len(n.Inner)-1]
	for _, l := range a.locals {
		if !strings.HasPrefix(n.Type.Qual, "const ") || !strings.HasPrefix(l.Type.Qual, "const ") {
			if p, q := a.root(value), a.root(l.Inner[len(l.Inner)-1]); p != "" && p == q {
				a.note(n, restricted)
			}
		}
	}
	a.locals = append(a.locals[:len(a.locals):len(a.locals)], n)
}

const restricted = "the compiler does not use that two variables with restrict lead to one object, which C excludes " +
	"(C17 6.7.3.1)"

const overlapping = "the compiler does not use that the call leads a parameter with restrict to an object that is " +
	"accessed otherwise, too, which C excludes (C17 6.7.3.1)"

// keepsApart looks at two arguments that a parameter with restrict keeps apart.
func (a *aliaser) keepsApart(call, x, y *node) {
	if p, q := a.root(x), a.root(y); p != "" && (p == q || strings.HasPrefix(p, q+".") || strings.HasPrefix(q, p+".")) {
		a.note(call, overlapping)
	}
	i, is := a.parameter(x)
	k, too := a.parameter(y)
	if is && too {
		a.apart = append(a.apart, [2]int{i, k})
	}
}

// parameter returns which parameter an argument is.
func (a *aliaser) parameter(n *node) (int, bool) {
	key := lvalueOf(a.source(n, 4))
	at, ok := a.params[key]
	return at, ok && a.changed[key] == 1
}

// global returns the variable at file scope that an argument leads into.
func (a *aliaser) global(n *node) string {
	n = a.source(n, 4)
	if len(n.Inner) != 1 || n.CastKind != "ArrayToPointerDecay" && n.Opcode != "&" {
		return ""
	}
	if v := n.Inner[0].variable(); v != nil && a.globals[v.Referenced.ID] {
		return v.Referenced.ID
	}
	return ""
}

// leaves reports an if without else that ends the function where its condition holds.
func (n *node) leaves() bool {
	if n.Kind != "IfStmt" || len(n.Inner) != 2 {
		return false
	}
	last := n.Inner[1]
	for last.Kind == "CompoundStmt" && len(last.Inner) > 0 {
		last = last.Inner[len(last.Inner)-1]
	}
	return last.Kind == "ReturnStmt"
}

// root returns the object that an argument leads into, by its text; empty where that is not known. How far a callee goes
// from there is not: elements of an array are one object.
func (a *aliaser) root(n *node) string {
	n = a.source(n, 4)
	switch {
	case n.Kind == "UnaryOperator" && n.Opcode == "&" && len(n.Inner) == 1,
		n.CastKind == "ArrayToPointerDecay" && len(n.Inner) == 1:
		n = n.Inner[0].plain()
	case n.Kind == "BinaryOperator" && (n.Opcode == "+" || n.Opcode == "-") && len(n.Inner) == 2:
		return a.root(n.Inner[0])
	}
	if n.Kind == "IntegerLiteral" { // null
		return ""
	}
	if n.Kind == "ArraySubscriptExpr" && len(n.Inner) == 2 {
		return a.root(n.Inner[0])
	}
	if text := n.text(); !strings.Contains(text, "...") {
		return text
	}
	return ""
}

// parametersOf returns the types of the parameters of a function, of the type of a function or of a pointer to one.
func parametersOf(t string) []string {
	open := strings.LastIndex(t, "(*)(")
	if open >= 0 {
		open += len("(*)")
	} else if open = strings.IndexByte(t, '('); open < 0 {
		return nil
	}
	var out []string
	depth, from := 0, open+1
	for i := open; i < len(t); i++ {
		switch c := t[i]; {
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return append(out, strings.TrimSpace(t[from:i]))
			}
		case c == ',' && depth == 1:
			out, from = append(out, strings.TrimSpace(t[from:i])), i+1
		}
	}
	return nil
}
