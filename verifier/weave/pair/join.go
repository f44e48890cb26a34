package pair

import (
	"cmp"
	"errors"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

// OldPrefix starts the names of functions, variables and places of the old version in a joined program. C has no such
// names.
const OldPrefix = "old."

// Joined is the programs of two versions as one, which share what is the same in both: variables of one name, layout
// and initial value, and functions without a body. The old version's other parts have names with OldPrefix.
type Joined struct {
	Module *ir.Module
	// what pointers of any arguments lead to stands anywhere, whatever their types ask for: other code passes them
	Unaligned bool
	// calls through pointers are not followed, but compared as those of functions without a body (pointers.go)
	ThroughPointers bool
	apart           []*ir.Global // variables that the versions do not share, those of both
	// functions of both versions whose calls are not followed (Take), with their name
	taken    map[*ir.Func]string
	machines *Machines // that the versions are compiled for, where those are two
}

var errNoCopy = errors.New("the program cannot be copied")

// Alike lists the functions of two programs with a body that are the same in both, with all that they come to, by name.
func Alike(old, now *ir.Module) map[string]bool {
	alike := map[string]bool{}
	for _, f := range old.Funcs {
		g := now.Func(f.Name)
		if g != nil && !f.IsDecl() && !g.IsDecl() && f.Sig().Equal(g.Sig()) && old.Slice(f, false).Sum == now.Slice(g, false).Sum {
			alike[f.Name] = true
		}
	}
	return alike
}

// Join makes such a program; it shares nothing with old and now. alike has what Alike says of them. machines says which
// ones they are brought together from; nil: both are compiled for one.
func Join(old, now *ir.Module, alike map[string]bool, machines *Machines) (*Joined, error) {
	m, _ := ir.Copy(now)
	o, _ := ir.Copy(old)
	if m == nil || o == nil {
		return nil, errNoCopy
	}
	j := &joining{m: m, o: o, globals: map[*ir.Global]*ir.Global{}, decls: map[*ir.Func]*ir.Func{},
		alike: map[*ir.Func]*ir.Func{}, machines: machines}
	j.pairFunctions(alike)
	j.pairGlobals()
	return j.join(), nil
}

// joining is the state of Join: what of o, the old version, is what of m.
type joining struct {
	m, o     *ir.Module
	globals  map[*ir.Global]*ir.Global
	decls    map[*ir.Func]*ir.Func // without a body, in both
	alike    map[*ir.Func]*ir.Func // with a body, and the same with all that they come to
	machines *Machines
}

// pairFunctions finds the functions that are the same in both.
func (j *joining) pairFunctions(alike map[string]bool) {
	for _, f := range j.o.Funcs {
		g := j.m.Func(f.Name)
		switch {
		case g == nil || !f.Sig().Equal(g.Sig()) || f.IsDecl() != g.IsDecl():
		case f.IsDecl() && f.Model == g.Model:
			j.decls[f] = g
		case !f.IsDecl() && alike[f.Name]:
			j.alike[f] = g
		}
	}
}

// pairGlobals finds the variables that both share: first all that look alike, then less, until the initial values of
// all pairs lead to pairs.
func (j *joining) pairGlobals() {
	names := map[string]*ir.Global{}
	for _, g := range j.m.Globals {
		names[g.Name] = g
	}
	for _, g := range j.o.Globals {
		if n := names[g.Name]; n != nil && j.sharable(g, n) {
			j.globals[g] = n
			continue
		}
		for _, n := range j.m.Globals { // text, by what it says
			if g.Const && n.Const && g.Var == nil && n.Var == nil && j.sharable(g, n) && !ir.NamesSymbol(g.Init) &&
				sameConst(g.Init, n.Init, nil) {
				j.globals[g] = n
				break
			}
		}
	}
	for again := true; again; {
		again = false
		for g, n := range j.globals {
			if !sameConst(g.Init, n.Init, j) {
				delete(j.globals, g)
				again = true
			}
		}
	}
}

// sharable reports whether variables of two versions hold the same things at the same places.
func (j *joining) sharable(g, n *ir.Global) bool {
	return g.T.Equal(n.T) && g.Const == n.Const && g.Extern == n.Extern && g.Weak == n.Weak &&
		g.ThreadLocal == n.ThreadLocal && g.Section == n.Section && j.machines.align(g, n) > 0 && g.Unsupported == n.Unsupported &&
		g.Beyond == n.Beyond && (g.Var == nil) == (n.Var == nil) && (g.Var == nil || j.machines.sameLayout(g.Var.T, n.Var.T))
}

// SameLayout reports whether two C types have the same members at the same places, in all that they lead to.
func SameLayout(t, u *ir.DType) bool { return sameLayout(t, u, nil, map[[2]*ir.DType]bool{}) }

func sameLayout(t, u *ir.DType, machines *Machines, seen map[[2]*ir.DType]bool) bool {
	if t == u || t == nil || u == nil || seen[[2]*ir.DType{t, u}] {
		return (t == nil) == (u == nil)
	}
	seen[[2]*ir.DType{t, u}] = true
	if t.Kind != u.Kind || t.Bits != u.Bits || t.Count != u.Count || len(t.Fields) != len(u.Fields) ||
		t.Volatile != u.Volatile || t.Kind != ir.DFunc && t.Signed != u.Signed && !machines.plainChars(t, u) ||
		machines.otherOrder(t) {
		return false
	}
	for i := range t.Fields {
		f, g := &t.Fields[i], &u.Fields[i]
		if f.Name != g.Name || f.BitOff != g.BitOff || f.BitSize != g.BitSize || f.IsBits != g.IsBits ||
			f.IsBits && machines.swapped() || !sameLayout(f.T, g.T, machines, seen) {
			return false
		}
	}
	return t.Kind == ir.DFunc || sameLayout(t.Elem, u.Elem, machines, seen)
}

// sameConst reports whether an initial value of the old version is one of the new; j nil: neither names a symbol.
func sameConst(c, d *ir.Const, j *joining) bool {
	if c == nil || d == nil {
		return c == d
	}
	if c.Kind != d.Kind || !c.T.Equal(d.T) || c.Off != d.Off || len(c.Elems) != len(d.Elems) ||
		string(c.Bytes) != string(d.Bytes) || c.Label != nil || d.Label != nil {
		return false
	}
	if c.Kind == ir.ConstInt && c.Bits.Hex() != d.Bits.Hex() {
		return false
	}
	if c.Global != nil || d.Global != nil {
		if j == nil || j.globals[c.Global] != d.Global || d.Global == nil {
			return false
		}
	}
	if c.Func != nil || d.Func != nil {
		if j == nil || d.Func == nil || cmp.Or(j.decls[c.Func], j.alike[c.Func]) != d.Func {
			return false
		}
	}
	for i := range c.Elems {
		if !sameConst(c.Elems[i], d.Elems[i], j) {
			return false
		}
	}
	return true
}

// join moves what the old version does not share into the new one's module.
func (j *joining) join() *Joined {
	out := &Joined{Module: j.m, machines: j.machines}
	shared := map[*ir.Global]bool{}
	for _, g := range j.o.Globals {
		if n := j.globals[g]; n != nil {
			n.Align, shared[n] = j.machines.align(g, n), true
		}
	}
	for _, g := range j.m.Globals {
		if !shared[g] {
			out.apart = append(out.apart, g)
		}
	}
	done := map[*ir.Const]bool{}
	for _, g := range j.o.Globals {
		if j.globals[g] == nil {
			g.Name = OldPrefix + g.Name
			j.constant(g.Init, false, done)
			j.m.Globals, out.apart = append(j.m.Globals, g), append(out.apart, g)
		}
	}
	for _, f := range j.o.Funcs {
		if j.decls[f] == nil {
			j.moved(f, done)
			j.m.Funcs = append(j.m.Funcs, f)
		}
	}
	j.m.Ctors, j.m.Finish = nil, nil // one call is compared, not the start of the program
	return out
}

// moved gives a function of the old version its name in the joined program, and what it mentions.
func (j *joining) moved(f *ir.Func, done map[*ir.Const]bool) {
	if f.Model == ir.ModelNone && !strings.HasPrefix(f.Name, irbuild.Unsupported) {
		f.Name, f.CName = OldPrefix+f.Name, OldPrefix+f.CName
	}
	f.Pos.Function = OldPrefix + f.Pos.Function
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			at := *in.Pos
			at.Function = OldPrefix + at.Function
			in.Pos = &at
			if k, ok := in.Callee.(*ir.Const); ok {
				j.constant(k, true, done)
			}
			for _, a := range in.Args {
				if k, ok := a.(*ir.Const); ok {
					j.constant(k, false, done)
				}
			}
		}
	}
}

// constant has an address in the old version lead to what both share. What is called is the old version's own.
func (j *joining) constant(c *ir.Const, called bool, done map[*ir.Const]bool) {
	if c == nil || done[c] {
		return
	}
	done[c] = true
	if n := j.globals[c.Global]; c.Global != nil && n != nil {
		c.Global = n
	}
	if c.Func != nil {
		if g := j.decls[c.Func]; g != nil {
			c.Func = g
		} else if g := j.alike[c.Func]; g != nil && !called {
			c.Func = g
			g.Addr = true
		}
	}
	for _, e := range c.Elems {
		j.constant(e, false, done)
	}
}

// isOld reports a place of the old version.
func isOld(p verdict.Pos) bool { return strings.HasPrefix(p.Function, OldPrefix) }

// InOld returns the name that a function of the old version has there.
func InOld(name string) string { return strings.TrimPrefix(name, OldPrefix) }
