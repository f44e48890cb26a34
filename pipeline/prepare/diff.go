package prepare

import (
	"cmp"
	"context"
	"slices"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/change"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Version is the whole program of one version, for one target.
type Version struct {
	Module *ir.Module    `json:"-"`
	Plan   verifier.Plan `json:"plan"` // target and meaning, without an entry
	Bodies Bodies        `json:"bodies"`
	Frozen Frozen        `json:"frozen,omitzero"`
}

// Bodies are the functions of a project that have a body, by their names in the object file.
type Bodies struct {
	Names []string          `json:"names"` // in the order of the program
	Code  map[string]string `json:"code"`  // digest of the code, and of the types and variables in it (ir.Substance)
	Forms map[string]string `json:"forms"` // of the code alone, without names (ir.Form)
	// of those that have to do the same: digest of all that they can come to (ir.Slice), which decides what they do, too
	Whole map[string]string `json:"whole,omitempty"`
	// functions that no other file can name: what they are like
	Static map[string]change.Likeness `json:"static,omitempty"`
	Shown  map[string]string          `json:"shown,omitempty"` // names in C, where they are others
	Turns  map[string]int             `json:"turns,omitempty"` // in which they are best compared (change.Turns)
}

// Versions builds the whole programs that a request is about, one for each target: of C files, or of a folder with a
// manifest.
func Versions(ctx context.Context, req Request) ([]Version, error) {
	w, err := wholeOf(ctx, req)
	if err != nil {
		return nil, err
	}
	var out []Version
	err = w.build(verdict.DefaultChecks(), func(t targets.Target, img *compile.Image) error {
		v, err := w.version(t, img)
		if err == nil {
			out = append(out, *v)
		}
		return err
	})
	return out, err
}

// version reads what was built for a target.
func (b *preparation) version(t targets.Target, img *compile.Image) (*Version, error) {
	module, _, err := Read(img.IRPath)
	if err != nil {
		return nil, err
	}
	noteConst(img.Units, weave.Bodiless(module))
	v := &Version{Module: module, Plan: b.base(t, nil, nil).Plan,
		Bodies: Bodies{Code: map[string]string{}, Forms: map[string]string{}, Static: map[string]change.Likeness{},
			Shown: map[string]string{}, Turns: change.Turns(module)}}
	v.Plan.Semantics = ir.Semantics{AddressZero: t.Address0, Regions: weave.Registers(module, Regions(img.Memory)), Registers: img.Registers,
		MallocNeverFails: t.Malloc == targets.MallocNeverFails}
	callers := weave.Callers(module)
	own := map[string]bool{}
	for _, f := range img.Functions {
		own[f.Name] = true
	}
	for _, f := range module.Funcs {
		if !f.IsDecl() && own[f.Name] && !ofDriver(f.Name) {
			v.Bodies.Names = append(v.Bodies.Names, f.Name)
			v.Bodies.Code[f.Name], v.Bodies.Forms[f.Name] = module.Substance(f), module.Form(f)
			if f.CName != f.Name {
				v.Bodies.Shown[f.Name] = f.CName
			}
			if !f.Public && !f.Handler {
				v.Bodies.Static[f.Name] = change.LikenessOf(f, callers[f])
			}
		}
	}
	return v, nil
}

// Renewed is a function that two versions have, by its names in the object files.
type Renewed struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Renewals lists the functions of now that old has, too, and that are not what they are there, in the order of now;
// and those that only one of them has. What has to do the same is another one if something is that it can come to. One that has another name and is otherwise as it was is the same; of functions that
// no other file can name, so is one of the same type that is like it.
func Renewals(old, now *Bodies) (changed []Renewed, added, gone []string) {
	forms := map[string][]string{}
	for _, name := range old.Names {
		if now.Code[name] == "" {
			gone = append(gone, name)
			forms[old.Forms[name]] = append(forms[old.Forms[name]], name)
		}
	}
	for _, name := range now.Names {
		switch was := forms[now.Forms[name]]; {
		case old.Code[name] != "":
			if old.Code[name] != now.Code[name] || old.Whole[name] != now.Whole[name] && now.Whole[name] != "" {
				changed = append(changed, Renewed{name, name})
			}
		case len(was) == 1:
			gone = slices.DeleteFunc(gone, func(n string) bool { return n == was[0] })
			changed = append(changed, Renewed{was[0], name})
		default:
			added = append(added, name)
		}
	}
	was, is := staticOf(old, gone), staticOf(now, added)
	for to, from := range change.Renamed(was, is) {
		changed = append(changed, Renewed{from, to})
		gone = slices.DeleteFunc(gone, func(n string) bool { return n == from })
		added = slices.DeleteFunc(added, func(n string) bool { return n == to })
	}
	slices.SortStableFunc(changed, func(a, b Renewed) int {
		return cmp.Compare(slices.Index(now.Names, a.New), slices.Index(now.Names, b.New))
	})
	return changed, added, gone
}

// staticOf returns what functions are like that no other file can name.
func staticOf(b *Bodies, names []string) map[string]change.Likeness {
	out := map[string]change.Likeness{}
	for _, name := range names {
		if l, static := b.Static[name]; static {
			out[name] = l
		}
	}
	return out
}

// InTurn returns the indexes of list in the order in which what changed is best compared, by the new version's bodies.
func InTurn(list []Renewed, now *Bodies) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(now.Turns[list[a].New], now.Turns[list[b].New]) })
	return order
}

// NamesBefore returns the old version's names of functions that have another one now.
func NamesBefore(list []Renewed) map[string]string {
	out := map[string]string{}
	for _, r := range list {
		if r.Old != r.New {
			out[r.New] = r.Old
		}
	}
	return out
}
