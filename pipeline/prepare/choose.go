package prepare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
	"github.com/firmproof/firmproof/verifier/weave/interrupt"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// chosen lists the functions of the program that get a generated harness: those that were named,
// those that the base of a change is asked about, or those that `functions` of the manifest means.
func (b *preparation) chosen(module *ir.Module, img *compile.Image, m *manifest.Manifest, target string) (
	[]*ir.Func, error) {
	if len(b.named) > 0 {
		return named(module, img, m, b.named)
	}
	p := projectOf(img, m)
	switch {
	case b.req.Called != nil:
		return p.publicFirst(p.functions(module, func(f *ir.Func, _ compile.Function) bool {
			return slices.Contains(b.req.Called, shownName(module, f))
		})), nil
	case m.Functions == manifest.FunctionsNamed:
		return named(module, img, m, m.Called)
	case m.Functions == manifest.FunctionsAll:
		return p.all(module), nil
	case m.Functions == manifest.FunctionsChanged:
		changed, err := b.changedLines(m)
		list := b.nearChange(module, p, target, changed)
		return list, err
	}
	return nil, nil
}

// leftOut says how many functions the list of a manifest leaves out of those that `all` means, if it does.
func (b *preparation) leftOut(module *ir.Module, img *compile.Image, m *manifest.Manifest, list []*ir.Func) []string {
	if m.Functions != manifest.FunctionsNamed || len(b.named) > 0 || b.req.Called != nil {
		return nil
	}
	all := projectOf(img, m).all(module)
	n := len(all)
	left := slices.DeleteFunc(all, func(f *ir.Func) bool { return slices.Contains(list, f) })
	if len(left) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d functions of the project are called: `functions: all` calls the others, too",
		n-len(left), n)}
}

// onlyWritten leaves of the harnesses of the manifest those that the request is about.
func (b *preparation) onlyWritten(list []manifest.Harness) []manifest.Harness {
	if b.req.Only == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(h manifest.Harness) bool {
		return !slices.Contains(b.req.Only, h.Entry)
	})
}

// onlyGenerated leaves of functions that get a harness those that the request is about, and those that call them: what
// they prove takes findings back.
func (b *preparation) onlyGenerated(module *ir.Module, list []*ir.Func,
	calledBy map[*ir.Func][]*ir.Func) []*ir.Func {
	if b.req.Only == nil {
		return list
	}
	keep := map[*ir.Func]bool{}
	for _, f := range list {
		if !slices.Contains(b.req.Only, AnyCall+shownName(module, f)) {
			continue
		}
		keep[f] = true
		for _, c := range calledBy[f] {
			keep[c] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(f *ir.Func) bool { return !keep[f] })
}

// named finds functions by their names, wherever they are defined.
func named(module *ir.Module, img *compile.Image, m *manifest.Manifest, names []string) ([]*ir.Func, error) {
	var out []*ir.Func
	for _, n := range names {
		if found := called(module, n); len(found) > 0 {
			out = append(out, found...)
			continue
		}
		var known []string
		for _, f := range img.Functions {
			known = append(known, f.Name)
		}
		where := "the program has no function"
		if m.Path != "" {
			for _, h := range m.Harnesses {
				known = append(known, h.Entry)
			}
			where = m.Path + " names no harness, and the program has no function"
		}
		if slices.Contains(img.Declared, n) {
			return nil, fmt.Errorf("%s has no body in the program", n)
		}
		hint := verdict.Meant(n, known)
		if strings.Contains(n, ",") {
			hint = ": give --function once for each name"
		}
		return nil, fmt.Errorf("%s %q%s", where, n, hint)
	}
	return out, nil
}

// called returns the function with a name of the report or the object file; else all with the name: in C++ in whatever
// class, in C the static ones of several files.
func called(module *ir.Module, name string) (out []*ir.Func) {
	for _, f := range module.Funcs {
		if !f.IsDecl() && (f.Name == name && f.Name != f.CName ||
			strings.HasPrefix(name, f.CName) && shownName(module, f) == name) {
			return []*ir.Func{f}
		}
	}
	for _, f := range module.Funcs {
		if !f.IsDecl() && (f.CName == name || strings.HasSuffix(f.CName, "::"+name)) {
			out = append(out, f)
		}
	}
	return out
}

// shownName returns the name of a function in C++ terms. Where others have the same, there stands behind it that of the
// object file, of overloaded functions, or the file, of static ones of C.
func shownName(module *ir.Module, f *ir.Func) string {
	if !slices.ContainsFunc(module.Funcs, func(g *ir.Func) bool {
		return g != f && g.CName == f.CName && !g.IsDecl() && !g.Made && !g.Driven()
	}) {
		return f.CName
	}
	switch {
	case strings.HasPrefix(f.Name, "_Z"):
		return f.CName + " (" + f.Name + ")"
	case f.Pos.File != "" && !f.Driven():
		return f.CName + " (" + f.Pos.File + ")"
	}
	return f.CName
}

// project knows which functions of a program are those that a manifest is about.
type project struct {
	units map[string]bool             // files that were compiled
	own   map[string]compile.Function // without entries, handlers, stubs, main, the harnesses' own files, and what is woven in
}

func projectOf(img *compile.Image, m *manifest.Manifest) *project {
	p := &project{units: map[string]bool{}, own: map[string]compile.Function{}}
	skip := map[string]bool{"main": true, irbuild.Point: true, interrupt.Tears: true}
	harnesses := map[string]bool{}
	for _, h := range m.Harnesses {
		skip[h.Entry] = true
		if h.File != "" {
			harnesses[filepath.Clean(h.File)] = true
		}
	}
	for _, in := range m.Interrupts {
		skip[in.Handler] = true
	}
	for _, s := range m.Stubs {
		skip[s.Func] = true
	}
	for _, u := range img.Units {
		p.units[filepath.Clean(u.File)] = true
	}
	for _, f := range img.Functions {
		file := filepath.Clean(f.File)
		if made := strings.HasPrefix(f.Name, "_GLOBAL__") || strings.HasPrefix(f.Name, "__cxx_global"); made {
			continue // it runs constructors and destructors
		}
		if (p.units[file] || !filepath.IsAbs(f.File)) && !harnesses[file] && !skip[f.Name] {
			f.File = file
			p.own[f.Name] = f
		}
	}
	return p
}

// functions lists those of the project that are meant, in the order of the module.
func (p *project) functions(module *ir.Module, meant func(f *ir.Func, src compile.Function) bool) []*ir.Func {
	var out []*ir.Func
	for _, f := range module.Funcs {
		if src, ok := p.own[f.Name]; ok && !f.IsDecl() && meant(f, src) {
			out = append(out, f)
		}
	}
	return out
}

// all lists the functions that `functions: all` means.
func (p *project) all(module *ir.Module) []*ir.Func {
	return p.inContext(module, p.functions(module, func(_ *ir.Func, src compile.Function) bool { return p.units[src.File] }))
}

// inContext takes for each function that is static, or has further arguments that no harness can make, those
// that call it, on to functions that others may call.
func (p *project) inContext(module *ir.Module, list []*ir.Func) []*ir.Func {
	callers := weave.Callers(module)
	roots := map[*ir.Func]bool{}
	for _, f := range list {
		found := p.rootsOf(module, f, callers, map[*ir.Func]bool{})
		if len(found) == 0 {
			found = []*ir.Func{f} // only code that gets no harness calls it
		}
		for _, r := range found {
			roots[r] = true
		}
	}
	return p.publicFirst(p.functions(module, func(f *ir.Func, _ compile.Function) bool { return roots[f] }))
}

// publicFirst moves static functions behind those that other units may call.
func (p *project) publicFirst(list []*ir.Func) []*ir.Func {
	static := map[bool]int{true: 1}
	slices.SortStableFunc(list, func(a, b *ir.Func) int {
		return static[p.own[a.Name].Static] - static[p.own[b.Name].Static]
	})
	return list
}

// rootsOf returns f, or if it is only called from within the program, the functions that lead to it.
func (p *project) rootsOf(m *ir.Module, f *ir.Func, callers map[*ir.Func][]*ir.Func,
	seen map[*ir.Func]bool) []*ir.Func {
	if seen[f] {
		return nil
	}
	seen[f] = true
	src, ok := p.own[f.Name]
	switch {
	case !ok:
		return nil
	case !src.Static && harness.RefusesFurther(m, f) == "" || f.Addr || len(callers[f]) == 0:
		return []*ir.Func{f}
	}
	var out []*ir.Func
	for _, c := range callers[f] {
		out = append(out, p.rootsOf(m, c, callers, seen)...)
	}
	return out
}
