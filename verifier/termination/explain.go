package termination

import (
	"fmt"
	"sort"
	"strings"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/its"
	"github.com/firmproof/firmproof/verifier/termination/certify"
)

// explain tells a termination proof in plain words.
func (p *problem) explain(cert *certify.Termination) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Cut the system at %s.\n", p.locList(cert.Cuts))
	for _, l := range cert.Cuts {
		if inv := cert.Inv[l]; len(inv) > 0 {
			var parts []string
			for _, e := range inv {
				parts = append(parts, e.Format(p.sys.VarName)+" >= 0")
			}
			fmt.Fprintf(&b, "Always at %s: %s.\n", p.sys.Locs[l], strings.Join(parts, ", "))
		}
	}
	if cert.Split != nil {
		inner := &problem{sys: p.splitSystem(cert.Split)}
		fmt.Fprintf(&b, "Tell apart over which edge a run came (%d situations):\n", len(cert.Split.Locs))
		return b.String() + inner.explain(cert.Split.Inner)
	}
	if len(cert.Ranks) == 0 {
		b.WriteString("No cycle can be taken, so every run ends.\n")
		return b.String()
	}
	p.explainRanks(&b, cert.Ranks, "Step ")
	b.WriteString("No cycle is left, so every run ends.\n")
	return b.String()
}

// explainRanks tells ranking steps, each numbered behind the prefix.
func (p *problem) explainRanks(b *strings.Builder, ranks []certify.Rank, prefix string) {
	for i := range ranks {
		r := &ranks[i]
		fmt.Fprintf(b, "%s%d: ", prefix, i+1)
		if r.Relations != nil {
			p.explainRelations(b, r)
			continue
		}
		switch {
		case r.Phase != nil && len(r.Funcs) > 1:
			b.WriteString("the functions without bound\n")
		case r.Phase != nil:
			b.WriteString("the function without bound\n")
		case len(r.Funcs) > 1:
			fmt.Fprintf(b, "the %d-phase ranking function\n", len(r.Funcs))
		default:
			b.WriteString("the ranking function\n")
		}
		for _, l := range sortedLocs(r.Funcs[0]) {
			var parts []string
			for _, f := range r.Funcs {
				parts = append(parts, f[l].Format(p.sys.VarName))
			}
			fmt.Fprintf(b, "  %s: %s\n", p.sys.Locs[l], strings.Join(parts, " | "))
		}
		for _, l := range sortedLocs(r.Kept) {
			for _, k := range r.Kept[l] {
				fmt.Fprintf(b, "  a run that goes on at %s has %s >= 0\n", p.sys.Locs[l], k.Format(p.sys.VarName))
			}
		}
		if r.Phase == nil {
			b.WriteString("never rises here and falls, bounded below, on\n")
		} else {
			b.WriteString("never rises here and falls on\n")
		}
		for _, s := range r.Strict {
			fmt.Fprintf(b, "  %s\n", p.pathText(s))
		}
		if r.Phase != nil {
			b.WriteString("Where all of that is below every number:\n")
			p.explainRanks(b, r.Phase, fmt.Sprintf("%s%d.", prefix, i+1))
		}
	}
}

// explainRelations tells a step by disjunctively well-founded relations.
func (p *problem) explainRelations(b *strings.Builder, r *certify.Rank) {
	n := exact.Var(len(p.sys.Vars))
	name := func(v exact.Var) string {
		if v < n {
			return p.sys.VarName(v)
		}
		return p.sys.VarName(v-n) + "'"
	}
	fmt.Fprintf(b, "all edges here, however many are taken, are in one of %d relations (x' is x after them)\n",
		len(r.Relations))
	for _, rel := range r.Relations {
		var rows []string
		for _, l := range rel.Rows {
			rows = append(rows, l.Format(name)+" >= 0")
		}
		fmt.Fprintf(b, "  %s to %s: %s", p.sys.Locs[rel.From], p.sys.Locs[rel.To], strings.Join(rows, ", "))
		if rel.From == rel.To {
			fmt.Fprintf(b, "; %s falls, bounded below", rel.Falls.Format(name))
		}
		b.WriteByte('\n')
	}
}

func (p *problem) locList(ls []its.Loc) string {
	var names []string
	for _, l := range ls {
		names = append(names, p.sys.Locs[l])
	}
	return strings.Join(names, ", ")
}

func sortedLocs[T any](f map[its.Loc]T) []its.Loc {
	out := make([]its.Loc, 0, len(f))
	for l := range f {
		out = append(out, l)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}

// pathText names the transitions of a path.
func (p *problem) pathText(path []certify.Step) string {
	names := []string{p.sys.Locs[p.sys.Trans[path[0].Trans].From]}
	var tags []string
	for _, s := range path {
		t := &p.sys.Trans[s.Trans]
		names = append(names, p.sys.Locs[t.Targets()[s.Target].To])
		tags = append(tags, t.Tag)
	}
	return strings.Join(names, " -> ") + " (" + strings.Join(tags, "; ") + ")"
}

// explainRun tells a proof of non-termination in plain words.
func (p *problem) explainRun(cert *certify.Recurrence) string {
	var b strings.Builder
	var values []string
	for v, c := range cert.Start {
		values = append(values, p.sys.Vars[v]+" = "+c.String())
	}
	fmt.Fprintf(&b, "Start at %s with %s.\n", p.sys.Locs[p.sys.Start], strings.Join(values, ", "))
	if len(cert.Stem) > 0 {
		fmt.Fprintf(&b, "Run %s.\n", p.pathText(cert.Stem))
		for i, temps := range cert.StemTemps {
			for _, c := range temps {
				fmt.Fprintf(&b, "  In %s choose %s.\n", p.sys.Trans[cert.Stem[i].Trans].Tag, c)
			}
		}
	}
	var set []string
	for _, l := range cert.Set {
		set = append(set, l.Format(p.sys.VarName)+" >= 0")
	}
	if len(set) == 0 {
		set = []string{"true"}
	}
	fmt.Fprintf(&b, "Now %s holds, and whenever it does, the cycle\n  %s\ncan be taken and leads there again",
		strings.Join(set, ", "), p.pathText(cert.Cycle))
	if len(cert.Choice) > 0 {
		var cs []string
		for _, l := range cert.Choice {
			cs = append(cs, l.Format(p.sys.VarName))
		}
		fmt.Fprintf(&b, ", choosing in turn %s", strings.Join(cs, ", "))
	}
	b.WriteString(". So this run never ends.\n")
	return b.String()
}

// splitSystem is the refined system as far as its description needs it.
func (p *problem) splitSystem(r *certify.Refinement) *its.System {
	s := &its.System{Name: p.sys.Name, Vars: p.sys.Vars}
	for i, l := range r.Locs {
		s.Locs = append(s.Locs, fmt.Sprintf("%s/%d", p.sys.Locs[l], i))
	}
	for _, a := range r.Arcs {
		var tags []string
		for _, step := range a.Path {
			tags = append(tags, p.sys.Trans[step.Trans].Tag)
		}
		s.Trans = append(s.Trans, its.Transition{From: its.Loc(a.From), To: its.Loc(a.To), Tag: strings.Join(tags,
			"; ")})
	}
	return s
}
