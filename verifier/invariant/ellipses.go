package invariant

import (
	"context"
	"log/slog"

	"github.com/firmproof/firmproof/verifier/ellipse"
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/invariant/lemma"
)

// Linear filters: their state lies in an ellipse, found and followed over a turn by arithmetic (verifier/ellipse). The
// solver learns which bounds follow, and takes the comparison of an ellipse for any truth value.

// ellipses finds lemmas that bound the floating-point numbers of header i: of each list, one is enough.
func ellipses(f *encode.Formula, x *comparisons, i int, roots []ilr.Term) (parts [][]*lemma.Lemma) {
	h := &f.Headers[i]
	if h.Loop == nil || len(h.Sites) != 1 || len(h.Arrivals) < 2 {
		return nil
	}
	var vars []int
	for v := range h.Vars {
		if y := &h.Vars[v]; y.Moves && !y.Cell && !y.Mask && (y.Width == 32 || y.Width == 64) &&
			(x.floats[[2]int{i, v}] || delayed(f, x, i, v)) {
			vars = append(vars, v)
		}
	}
	if len(vars) == 0 {
		return nil
	}
	picked := func(vals []ilr.Term) (out []ilr.Term) {
		for _, v := range vars {
			out = append(out, vals[v])
		}
		return out
	}
	l := &ellipse.Loop{Vars: picked(h.Sites[0].Values), First: picked(h.Arrivals[0].Values), Roots: roots}
	for _, a := range h.Arrivals[1:] {
		l.Turns = append(l.Turns, picked(a.Values))
	}
	for _, part := range ellipse.Find(f.Store, l) {
		var ls []*lemma.Lemma
		for _, e := range part {
			a := &lemma.Atom{Kind: lemma.InEllipse, V: vars[0], Ellipse: e, Inside: vars}
			ls = append(ls, &lemma.Lemma{Header: i, Maker: MakeEllipses, Literals: []lemma.Literal{{Atom: a}}})
		}
		parts = append(parts, ls)
	}
	return parts
}

// delayed reports whether turns set number v of header i to what is a floating-point number there, and compute nothing
// with it.
func delayed(f *encode.Formula, x *comparisons, i, v int) bool {
	for _, a := range f.Headers[i].Arrivals[1:] {
		for _, l := range x.leavesOf(a.Values[v]) {
			if f.Store.Kind(l) >= ilr.KFAdd {
				return true
			}
			for _, u := range x.vars[l] {
				if u[0] == i && u[1] != v && x.floats[u] {
					return true
				}
			}
		}
	}
	return false
}

// inEllipses admits the first lemma of each list that turns keep.
func (p *Prover) inEllipses(ctx context.Context, x *comparisons, bad []ilr.Term) {
	if len(x.floats) == 0 || !p.cut.p.On(MakeEllipses) {
		return
	}
	roots := append(bads(p.goals()), bad...)
	for i := range p.f.Headers {
		for _, a := range p.f.Headers[i].Arrivals {
			roots = append(append(roots, a.Guard), a.Values...)
		}
	}
	for i := range p.f.Headers {
		for _, part := range ellipses(p.f, x, i, roots) {
			for _, l := range part {
				if p.bounded(ctx, l, roots) {
					break
				}
			}
		}
	}
}

// bounded admits l, an ellipse, and reports whether it holds.
func (p *Prover) bounded(ctx context.Context, l *lemma.Lemma, roots []ilr.Term) bool {
	s := p.f.Store
	known, conditions := atSites(p.f, []*lemma.Lemma{l}), ellipseConditions(p.f, []*lemma.Lemma{l})
	more := ellipse.Consequences(s, known, append([]ilr.Term{l.Fails(p.f)}, roots...))
	if p.hidden == nil {
		p.hidden = ellipse.Hidden{}
	}
	p.hidden.Hide(s, conditions)
	p.cut.assert(p.view(more...)...)
	before := len(p.alive)
	p.admit(ctx, []*lemma.Lemma{l})
	slog.Debug("ellipse", "lemma", l.Text(p.f), "holds", len(p.alive) > before, "consequences", len(more))
	return len(p.alive) > before
}

// ellipseConditions lists what the lemmas that are ellipses say wherever control comes to their headers.
func ellipseConditions(f *encode.Formula, ls []*lemma.Lemma) []ilr.Term {
	var out []ilr.Term
	for _, l := range ls {
		if len(l.Literals) != 1 || l.Literals[0].Kind != lemma.InEllipse {
			continue
		}
		out = append(out, atSites(f, []*lemma.Lemma{l})...)
		for _, a := range f.Headers[l.Header].Arrivals {
			out = append(out, l.Term(f.Store, a.Values, a.Entry))
		}
	}
	return out
}

// view returns terms as the solver gets them: ellipses are any truth value.
func (p *Prover) view(ts ...ilr.Term) []ilr.Term {
	if len(p.hidden) > 0 {
		ts = p.hidden.In(p.f.Store, ts)[0]
	}
	return p.cut.view(ts...)
}
