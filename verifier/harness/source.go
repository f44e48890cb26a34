package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/flow/places"
	"github.com/firmproof/firmproof/verifier/flow/ranges"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Source returns the harness of f as C, to be edited: a function name that calls f with any arguments, as the
// generated harness does. What that takes for a guess is as any other number here.
func (p *Program) Source(f *ir.Func, name string) (string, error) {
	if f.IsDecl() {
		return "", fmt.Errorf("%s has no body", f.CName)
	}
	if takesList(f) {
		return "", fmt.Errorf("%s takes a va_list: a harness in C calls it by a function that has further arguments", f.CName)
	}
	w := &harnessText{h: &harness{p: p, of: f, vars: ir.ParamVars(f), uses: p.code.Of(f)}, depth: 1,
		done: map[string]bool{}}
	var args []string
	for _, v := range f.Vars {
		if !v.Param {
			continue
		}
		w.argument(v)
		args = append(args, v.Name)
		if i := w.index(v); i >= 0 && v.T != nil && v.T.Kind == ir.DPointer && w.h.mayBeNull(i) {
			args[len(args)-1] = "firmproof_nondet_int() ? 0 : " + v.Name
		}
	}
	if f.Variadic {
		w.line("/* and what the format asks for */")
	}
	w.line("/* One call. `firmproof check` looks at calls before it, and at longer inputs, too. */")
	w.line("%s(%s);", f.CName, strings.Join(args, ", "))
	if releases(places.Reached(p.m, f)) {
		w.line("/* The called code may free what is allocated here. Leave `leak` out of the checks. */")
		w.frees = nil
	}
	for _, free := range slices.Backward(w.frees) {
		w.line("%s", free)
	}
	return fmt.Sprintf("void %s(void)\n{\n%s}\n", name, w.String()), nil
}

// releases reports whether called code may free or move a block.
func releases(r places.Reach) bool {
	for f := range r.Funcs {
		if f.Model == ir.ModelFree || f.Model == ir.ModelRealloc {
			return true
		}
	}
	return false
}

// harnessText writes the arguments of one call.
type harnessText struct {
	strings.Builder
	h      *harness
	done   map[string]bool
	depth  int      // of blocks of C
	frees  []string // statements that free what was allocated, the last one first
	blocks int      // that have a name
	// what begins the next call that allocates a block; empty: malloc(
	allocates string
}

func (w *harnessText) line(format string, args ...any) {
	fmt.Fprintf(w, strings.Repeat("    ", w.depth)+format+"\n", args...)
}

// any declares a variable with any contents.
func (w *harnessText) any(declared, name string) {
	w.line("%s;", declared)
	w.line("firmproof_havoc(&%s, sizeof %s);", name, name)
}

// argument declares one argument, after the length that it needs.
func (w *harnessText) argument(v *ir.Var) {
	if w.done[v.Name] || v.T == nil {
		return
	}
	w.done[v.Name] = true
	i := w.index(v)
	switch {
	case v.T.Kind == ir.DBool:
		w.line("%s = firmproof_nondet_bool();", declaration(v.T, v.Name))
	case v.T.Kind != ir.DPointer:
		w.any(declaration(v.T, v.Name), v.Name)
		if ir.IsStruct(v.T) {
			w.members(v.Name+".", v.T, 1)
		} else if runs := w.h.paramRuns(i); runs != nil {
			w.line("firmproof_assume(%s);", ranges.EnumText(v.Name, runs))
		}
	case places.IsFunction(v.T):
		w.line("%s = 0; /* a function to be called */", declaration(v.T, v.Name))
	case i < 0: // passed in parts
		w.line("%s = 0; /* or what it leads to */", declaration(v.T, v.Name))
	default:
		w.leading(v, i)
	}
}

// leading declares argument i, a pointer, and what goes with it.
func (w *harnessText) leading(v *ir.Var, i int) {
	if g := w.h.upTo(i); g != nil {
		w.upTo(g)
	} else if pool, _ := w.h.pool(i); pool != nil {
		w.inPool(v, pool)
	} else if n := w.h.leftOf(i); n >= 0 {
		w.left(v, i, n)
	} else {
		w.pointer(v, w.h.extentOf(i, v.Name))
	}
}

// inPool declares an argument that leads to an element of a variable.
func (w *harnessText) inPool(v *ir.Var, pool *ir.Global) {
	name, k := ir.NameOf(pool), "in_"+v.Name
	w.line("/* %s leads to an element of %s */", v.Name, name)
	w.line("unsigned %s = firmproof_nondet_uint();", k)
	w.line("firmproof_assume(%s < sizeof %s / %d);", k, name, w.h.element(pool))
	w.line("%s = (void *)((char *)&%s + %s * %d);", declaration(v.T, v.Name), name, k, w.h.element(pool))
}

// index returns the place of a parameter of C among those of the program, -1 where it is passed in parts.
func (w *harnessText) index(v *ir.Var) int { return slices.Index(w.h.vars, v) }

// pointer declares an argument that leads to as much as e says.
func (w *harnessText) pointer(v *ir.Var, e *extent) {
	if len(e.tables) > 0 {
		w.line("/* %s */", e.note)
		w.line("%s = %s;", declaration(v.T, v.Name), w.oneOf(e.tables))
		return
	}
	size := w.size(v, e)
	w.line("/* %s */", e.note)
	if e.ends != nil {
		w.flexible(v.Name, declaration(v.T, v.Name), e.ends, e.elem)
		return
	}
	if i := w.index(v); i >= 0 && w.h.needs(i) > 0 && w.h.saysAlignment(i) {
		w.allocates = fmt.Sprintf("aligned_alloc(%d, ", w.h.alignOf(e.elem)) // malloc's block is aligned for everything
	}
	last := ""
	if e.text {
		w.blocks++
		last = fmt.Sprintf("count%d", w.blocks)
		bound := fmt.Sprintf("< %d", e.bytes)
		if e.least > 1 {
			bound += fmt.Sprintf(" && %s >= %d", last, e.least-1)
		}
		w.sizeWithin(last, bound)
		size = last + " + 1"
	}
	w.block(declaration(v.T, v.Name), v.Name, size)
	if w.allocates = ""; e.text {
		w.line("((char *)%s)[%s] = 0;", v.Name, last)
	}
	if !needsFill(e.elem, 0) && (e.count >= 0 || !w.h.p.inRanges(e.elem)) {
		return
	}
	to := withoutConst(v.Name, e.elem)
	if ir.IsVoid(v.T.Elem) {
		to = fmt.Sprintf("((%s *)%s)", strings.TrimPrefix(e.elem.Name, "const "), v.Name)
	}
	switch {
	case e.count >= 0:
		w.each(to, w.number(e), e.elem, 1)
	case e.filled > 1:
		w.each(to, fmt.Sprint(e.filled), e.elem, 1)
	default:
		w.target(to, e.elem, 1)
	}
}

// oneOf writes the address of one of several variables.
func (w *harnessText) oneOf(list []*ir.Global) string {
	var out strings.Builder
	for _, g := range list[1:] {
		fmt.Fprintf(&out, "firmproof_nondet_bool() ? &%s : ", g.Var.Name)
	}
	return out.String() + "&" + list[0].Var.Name
}

// block allocates what a pointer leads to. What a member leads to has a name of its own, since the function may have the
// member lead elsewhere.
func (w *harnessText) block(declared, name, size string) {
	if w.depth == 1 && strings.ContainsAny(name, "->*[") {
		w.blocks++
		made := fmt.Sprintf("block%d", w.blocks)
		w.block("void *"+made, made, size)
		w.line("%s = %s;", declared, made)
		return
	}
	w.line("%s = %s%s);", declared, cmp.Or(w.allocates, "malloc("), size)
	w.line("firmproof_assume(%s != 0);", name)
	w.line("firmproof_havoc((void *)%s, %s);", name, size)
	w.frees = append(w.frees, fmt.Sprintf("free((void *)%s);", name))
}

// size writes how many bytes a pointer leads to.
func (w *harnessText) size(v *ir.Var, e *extent) string {
	one := ir.SizeInC(v.T.Elem)
	if e.count < 0 {
		switch {
		case one <= 1 || e.bytes%one != 0:
			return fmt.Sprint(e.bytes)
		case e.bytes == one:
			return "sizeof *" + v.Name
		}
		return fmt.Sprintf("%d * sizeof *%s", e.bytes/one, v.Name)
	}
	count := w.h.vars[e.count]
	w.argument(count)
	name := w.h.countName(e.count)
	if limit := fmt.Sprintf("%s <= %d", name, e.most); !w.done[limit] {
		w.done[limit] = true
		if !e.below {
			limit = fmt.Sprintf("0 <= %s && %s", name, limit)
		}
		w.line("firmproof_assume(%s);", limit)
	}
	switch number := w.number(e); {
	case one <= 1:
		return number
	case e.unit == 1:
		return fmt.Sprintf("(%s + sizeof *%s - 1) / sizeof *%s * sizeof *%s", number, v.Name, v.Name, v.Name)
	default:
		return number + " * sizeof *" + v.Name
	}
}

// number writes how many elements there are where a parameter counts them.
func (w *harnessText) number(e *extent) string {
	name := w.h.countName(e.count)
	if e.below {
		return fmt.Sprintf("(%s < 0 ? 0 : %s + %d)", name, name, e.plus)
	}
	if e.plus > 0 {
		return fmt.Sprintf("(%s + %d)", name, e.plus)
	}
	return name
}

// declaration writes a variable of a type. A pointer that is const itself is none here.
func declaration(t *ir.DType, name string) string {
	text := t.Name
	if k := strings.Index(text, "(*)"); k >= 0 {
		return text[:k+2] + name + text[k+2:]
	}
	if t.Kind == ir.DPointer {
		text = strings.TrimSuffix(text, " const")
	} else {
		text = strings.TrimPrefix(text, "const ")
	}
	if strings.HasSuffix(text, "*") {
		return text + name
	}
	return text + " " + name
}
