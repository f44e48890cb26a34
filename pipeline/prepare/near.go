package prepare

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/harness"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave"
)

// Limits of what is verified for a change beside what changed.
const (
	maxCallers  = 8           // that are called of those that lead to changed functions, the nearest ones
	callersTime = 3           // they share as much time as so many entries have
	othersTime  = 8           // likewise, functions whose own lines did not change: those that read a macro or a type
	leastTime   = time.Second // of each, whatever their number is
)

// nearby says which functions of a program are called because of a change.
type nearby struct {
	own     *project
	calls   map[*ir.Func]int // called functions, to the number of calls that lead from them to what changed
	left    []*ir.Func       // callers that are not called
	callers int              // of calls
	// called functions that differ from the other commit's by no line of their own, or read what such ones store
	others  map[*ir.Func]bool
	changed []string                       // functions, by name in the object file, sorted
	within  map[string][]reports.LineRange // the lines of functions with changed lines, by file
}

// nearChange lists the functions that changed, which are called whoever else calls them, and the nearest of those that
// call them. What changed has changed lines, or is not what it is in the other commit (Asked.Differ). Changed lines come
// first, then what differs otherwise, then callers: a run that someone ends knows most then.
func (b *preparation) nearChange(module *ir.Module, p *project, target string,
	changed map[string][]reports.LineRange) []*ir.Func {
	n := &nearby{own: p, calls: map[*ir.Func]int{}, others: map[*ir.Func]bool{}, within: map[string][]reports.LineRange{}}
	b.near = n
	differ, reads := map[string]bool{}, map[string]bool{}
	for _, name := range b.req.Differ[target] {
		differ[name] = true
	}
	for _, name := range b.req.Readers[target] {
		reads[name] = true
	}
	var todo []*ir.Func
	edited := map[*ir.Func]bool{}
	for _, f := range module.Funcs {
		src, own := p.own[f.Name]
		if !own {
			src.File, src.Line = filepath.Clean(f.Pos.File), f.Pos.Line
		}
		if f.IsDecl() || !differ[f.Name] && !touches(changed[src.File], src.Line, lastLine(f)) {
			if reads[f.Name] && own && harness.RefusesFurther(module, f) == "" {
				n.calls[f], n.others[f] = 0, true
			}
			continue
		}
		n.changed = append(n.changed, f.Name)
		if edited[f] = touches(changed[src.File], src.Line, lastLine(f)); edited[f] {
			n.within[src.File] = append(n.within[src.File], reports.LineRange{From: src.Line, To: lastLine(f)})
		}
		if own && harness.RefusesFurther(module, f) == "" {
			n.calls[f] = 0
			if !edited[f] {
				n.others[f] = true
			}
		}
		todo = append(todo, f)
	}
	slices.Sort(n.changed)
	n.lead(todo, module)
	list := p.publicFirst(p.functions(module, func(f *ir.Func, _ compile.Function) bool {
		_, called := n.calls[f]
		return called
	}))
	far := func(f *ir.Func) int {
		if edited[f] {
			return -1
		}
		return n.calls[f]
	}
	slices.SortStableFunc(list, func(a, b *ir.Func) int { return far(a) - far(b) })
	return list
}

// lead goes from what changed to its callers, call by call.
func (n *nearby) lead(todo []*ir.Func, module *ir.Module) {
	callers := weave.Callers(module)
	seen := map[*ir.Func]bool{}
	for _, f := range todo {
		seen[f] = true
	}
	for steps := 1; len(todo) > 0; steps++ {
		var next []*ir.Func
		for _, f := range todo {
			for _, c := range callers[f] {
				if seen[c] {
					continue
				}
				seen[c] = true
				next = append(next, c)
				if _, own := n.own.own[c.Name]; !own || harness.RefusesFurther(module, c) != "" {
					continue
				}
				if n.callers == maxCallers {
					n.left = append(n.left, c)
					continue
				}
				n.calls[c] = steps
				n.callers++
			}
		}
		todo = next
	}
}

// complete gives a job its share of the time, and notes of a static function that changed who calls it.
func (n *nearby) complete(j *Job, f *ir.Func, module *ir.Module, callers map[*ir.Func][]*ir.Func) {
	if n == nil {
		return
	}
	share := func(entries, among int) {
		j.Timeout = min(j.Timeout, max(leastTime, time.Duration(entries)*j.Timeout/time.Duration(among)))
	}
	if n.calls[f] > 0 {
		share(callersTime, n.callers)
		return
	}
	if n.others[f] {
		share(othersTime, len(n.others))
	}
	if !n.own.own[f.Name].Static || f.Addr {
		return
	}
	for _, c := range callers[f] {
		j.Static = append(j.Static, AnyCall+shownName(module, c))
	}
}

// outline notes what counted as changed, and which callers are not called.
func (n *nearby) outline(o *Outline, module *ir.Module) {
	if n == nil {
		return
	}
	o.Changed = n.changed
	for _, f := range n.left {
		o.LeftOut = append(o.LeftOut, shownName(module, f))
	}
	slices.Sort(o.LeftOut)
}
