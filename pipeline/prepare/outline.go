package prepare

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
)

// Outline says what the program of a commit consists of on a target, so that it can be compared with that of another
// commit without either.
type Outline struct {
	// digest of each function with a body, by its name in the object file: of its code, the types and variables in it,
	// what a generated harness gives it, which rests on what the rest of the program stores (ir.Substance), and what the
	// machine has at fixed addresses that it uses
	Functions map[string]string `json:"functions"`
	Forms     map[string]string `json:"forms"`             // likewise, of its code alone, without its name
	Stored    map[string]string `json:"stored,omitempty"`  // of the variables that it reads: see storedFor
	Changed   []string          `json:"changed,omitempty"` // those that counted as changed, sorted
	Reached   []string          `json:"reached,omitempty"` // those that the entries of the jobs can come to, sorted
	Shown     map[string]string `json:"shown,omitempty"`   // names in C, where they are others
	Outside   []string          `json:"outside,omitempty"` // those of headers outside of the project, such as the C library's
	// what assumptions in the code of a function are about, digested, sorted
	Assumes map[string][]string `json:"assumes,omitempty"`
	Calls   bool                `json:"calls,omitempty"` // the digests hold what generated harnesses give
	// callers of changed functions that are not called themselves, as there are too many, in terms of C
	LeftOut []string `json:"left_out,omitempty"`
}

// outlineOf digests functions of a module. The harnesses that it makes of those of the project, where program is not
// nil, are gone from the module afterwards. on is what the program was built for.
func outlineOf(module *ir.Module, funcs []*ir.Func, own *project, program *harness.Program, on machine) *Outline {
	out := &Outline{Functions: map[string]string{}, Forms: map[string]string{}, Shown: map[string]string{}, Calls: program != nil,
		Assumes: map[string][]string{}}
	kept := *module
	taken := map[*ir.Func]bool{}
	for _, f := range module.Funcs {
		taken[f] = f.Addr
	}
	for _, f := range funcs {
		if f.IsDecl() {
			continue
		}
		all := []*ir.Func{f}
		if _, is := own.own[f.Name]; is && program != nil {
			n := len(module.Funcs)
			if h, err := program.Harness(f); err == nil {
				all = append(append(all, h.Entry), slices.DeleteFunc(slices.Clone(module.Funcs[n:]),
					func(g *ir.Func) bool { return g == h.Entry || g.IsDecl() })...)
			}
		}
		out.Functions[f.Name] = module.Substance(all...) + on.means(all...)
		out.Forms[f.Name] = module.Form(f)
		if list := assumesOf(f); len(list) > 0 {
			out.Assumes[f.Name] = list
		}
		if name := shownName(module, f); name != f.Name {
			out.Shown[f.Name] = name
		}
		if filepath.IsAbs(f.Pos.File) {
			out.Outside = append(out.Outside, f.Name)
		}
	}
	if out.Calls { // else nobody asks who reads what a change stores
		out.Stored = storedFor(slices.DeleteFunc(slices.Clone(funcs), (*ir.Func).IsDecl), out.Forms)
	}
	slices.Sort(out.Outside)
	module.Funcs, module.Globals = kept.Funcs, kept.Globals
	for f, addr := range taken {
		f.Addr = addr
	}
	return out
}

// reach notes which functions the entries of jobs can come to.
func (o *Outline) reach(jobs []Job) {
	seen := map[string]bool{}
	for i := range jobs {
		j := &jobs[i]
		if j.Settled != nil || j.Program == nil {
			continue
		}
		entry := j.Program.Func(j.Plan.Entry)
		if entry == nil || entry.IsDecl() {
			continue
		}
		for _, f := range j.Program.Slice(entry, false).Funcs {
			if _, is := o.Functions[f.Name]; is {
				seen[f.Name] = true
			}
		}
	}
	o.Reached = slices.Sorted(maps.Keys(seen))
}

// differing lists the functions of head that base does not have as they are, by target: all of a target that base does not
// have. A target for which the other outline holds something else is left out.
func differing(head, base map[string]*Outline) map[string][]string {
	out := map[string][]string{}
	for target, h := range head {
		b := base[target]
		if b != nil && b.Calls != h.Calls {
			continue
		}
		for name, sum := range h.Functions {
			if b == nil || b.Functions[name] != sum {
				out[target] = append(out[target], name)
			}
		}
		slices.Sort(out[target])
	}
	return out
}

// assumesOf digests the conditions that the code of f assumes, without names of variables.
func assumesOf(f *ir.Func) []string {
	var out []string
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Model != ir.ModelAssume || len(in.Args) == 0 {
				continue
			}
			h := sha256.New()
			condition(h, in.Args[0], 16)
			out = append(out, hex.EncodeToString(h.Sum(nil)[:8]))
		}
	}
	slices.Sort(out)
	return out
}

// condition writes what a value is computed of, through at most depth instructions.
func condition(w io.Writer, v ir.Value, depth int) {
	switch v := v.(type) {
	case *ir.Instr:
		fmt.Fprintf(w, "(%d %d %d %d %v %v", v.Op, v.Pred, v.Off, v.Align, v.Scales, v.Model)
		if depth > 0 {
			for _, a := range v.Args {
				condition(w, a, depth-1)
			}
		}
		fmt.Fprint(w, ")")
	case *ir.Const:
		fmt.Fprintf(w, "c%d %v %d", v.Kind, v.Bits, v.Off)
		if v.Global != nil {
			fmt.Fprint(w, v.Global.Name)
		}
	case *ir.Param:
		fmt.Fprintf(w, "p%d", v.Index)
	}
}

// assumesMore lists functions of head whose code assumes something that base's does not.
func assumesMore(head, base *Outline) []reports.Less {
	var out []reports.Less
	for _, f := range slices.Sorted(maps.Keys(head.Assumes)) {
		left := slices.Clone(base.Assumes[f])
		for _, a := range head.Assumes[f] {
			k := slices.Index(left, a)
			if k < 0 {
				out = append(out, reports.Less{What: "the code of " + cmp.Or(head.Shown[f], f) + " assumes something else"})
				break
			}
			left = slices.Delete(left, k, k+1)
		}
	}
	return out
}

// ofDriver reports whether a function is none of the program's: it has handlers run between steps.
func ofDriver(name string) bool { return strings.HasPrefix(name, ir.PointPrefix) }

// unseen lists, of the project's functions that differ, those that no entry comes to, as C names them, and says whether that
// is all.
func (o *Outline) unseen(differ []string) (list []string, all bool) {
	seen := false
	for _, name := range differ {
		if _, found := slices.BinarySearch(o.Reached, name); found {
			seen = true
			continue
		}
		if _, outside := slices.BinarySearch(o.Outside, name); outside || ofDriver(name) {
			continue
		}
		if shown := o.Shown[name]; shown != "" {
			name = shown
		}
		list = append(list, strings.TrimSpace(name))
	}
	return list, len(list) > 0 && !seen
}
