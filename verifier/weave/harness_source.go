package weave

import (
	"fmt"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
)

// Source returns the harness of f as C, to be edited: a function name that calls f with any arguments, as the
// generated harness does.
func (p *Program) Source(f *ir.Func, name string) (string, error) {
	if f.IsDecl() {
		return "", fmt.Errorf("%s has no body", f.CName)
	}
	w := &harnessText{h: &harness{p: p, of: f, vars: paramVars(f), uses: p.usesOf(f)}, done: map[string]bool{}}
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
	return fmt.Sprintf("void %s(void)\n{\n%s    %s(%s);\n%s}\n", name, w.String(), f.CName, strings.Join(args, ", "),
		w.frees), nil
}

// harnessText writes the arguments of one call.
type harnessText struct {
	strings.Builder
	h     *harness
	done  map[string]bool
	frees string // what was allocated
}

func (w *harnessText) line(format string, args ...any) { fmt.Fprintf(w, "    "+format+"\n", args...) }

// argument declares one argument, after the length that it needs.
func (w *harnessText) argument(v *ir.Var) {
	if w.done[v.Name] || v.T == nil {
		return
	}
	w.done[v.Name] = true
	if v.T.Kind != ir.DPointer {
		w.line("%s;", declaration(v.T, v.Name))
		w.line("firmproof_havoc(&%s, sizeof %s);", v.Name, v.Name)
		return
	}
	if v.T.Elem != nil && v.T.Elem.Kind == ir.DFunc {
		w.line("%s = 0; /* a function to be called */", declaration(v.T, v.Name))
		return
	}
	size, text := w.size(v)
	w.line("%s = malloc(%s);", declaration(v.T, v.Name), size)
	w.line("firmproof_assume(%s != 0);", v.Name)
	w.line("firmproof_havoc((void *)%s, %s);", v.Name, size)
	if text {
		w.line("((char *)%s)[%d] = 0;", v.Name, maxString-1)
	}
	if isStruct(v.T.Elem) {
		for i := range v.T.Elem.Fields {
			if m := &v.T.Elem.Fields[i]; m.T != nil && m.T.Kind == ir.DPointer && m.Name != "" {
				w.line("%s->%s = 0; /* or what it leads to */", v.Name, m.Name)
			}
		}
	}
	w.frees += fmt.Sprintf("    free((void *)%s);\n", v.Name)
}

// index returns the place of a parameter of C among those of the program, -1 where it is passed in parts.
func (w *harnessText) index(v *ir.Var) int {
	for i, x := range w.h.vars {
		if x == v {
			return i
		}
	}
	return -1
}

// size writes how many bytes a pointer leads to; text tells a string.
func (w *harnessText) size(v *ir.Var) (size string, text bool) {
	unit := "sizeof *" + v.Name
	if isVoid(v.T.Elem) {
		unit = "1"
	}
	i := w.index(v)
	if i < 0 {
		return unit, false
	}
	u := &w.h.uses[i]
	if n, bytes, plus := w.h.length(i); n >= 0 && w.h.vars[n] != nil {
		count := w.h.vars[n]
		w.argument(count)
		if !w.done[count.Name+" <="] {
			w.done[count.Name+" <="] = true
			w.line("firmproof_assume(0 <= %s && %s <= %d);", count.Name, count.Name, maxCount)
		}
		number := count.Name
		if plus > 0 {
			number = fmt.Sprintf("(%s + %d)", count.Name, plus)
		}
		if bytes || isVoid(v.T.Elem) {
			return number, false
		}
		return number + " * " + unit, false
	}
	if isText(v.T.Elem) && !u.writes && u.need <= maxString {
		return fmt.Sprint(maxString), true
	}
	one := sizeOf(v.T.Elem)
	switch {
	case u.varies && !isStruct(v.T.Elem) || one == 0 && u.need == 0:
		return fmt.Sprintf("%d * %s", maxCount, unit), false
	case u.need > one:
		return fmt.Sprint(u.need), false
	}
	return unit, false
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
	return text + " " + name
}
