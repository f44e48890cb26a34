package invariant

import (
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/policy"
)

// Lemmas that branches on elements ask for: a loop may end because its branch on a[j] always goes one way, as all
// elements satisfy what was made true of them before.

// branches lists the conditions on elements that turns test, and that numbers rise or fall by elements, with their
// opposites, as if each were claimed never to hold.
func branches(f *encode.Formula) []assertion {
	if f.Ghost == 0 {
		return nil
	}
	s, idx := f.Store, indexes(f, len(f.Reads))
	var out []assertion
	for _, t := range append(tested(f), steps(f)...) {
		if s.Larger(t, policy.MaxTree) || !hasSelect(s, []ilr.Term{t}) {
			continue
		}
		for _, x := range idx {
			if len(out) < policy.MaxAsserted {
				out = append(out, generalise(f, []ilr.Term{t}, x), generalise(f, []ilr.Term{s.Not(t)}, x))
			}
		}
	}
	return out
}

// tested lists the comparisons that what a turn does depends on.
func tested(f *encode.Formula) []ilr.Term {
	var roots, out []ilr.Term
	for i := range f.Headers {
		for _, a := range turns(&f.Headers[i]) {
			roots = append(append(roots, a.Guard), a.Values...)
		}
	}
	f.Store.Walk(roots, func(t ilr.Term) {
		switch f.Store.Kind(t) {
		case ilr.KEq, ilr.KUlt, ilr.KSlt:
			out = append(out, t)
		}
	})
	return out
}

// steps lists the comparisons of what numbers are after a turn with what they were.
func steps(f *encode.Formula) []ilr.Term {
	s := f.Store
	var out []ilr.Term
	for i := range f.Headers {
		h := &f.Headers[i]
		if len(h.Sites) != 1 {
			continue
		}
		for _, a := range turns(h) {
			for v, then := range a.Values {
				if now := h.Sites[0].Values[v]; h.Vars[v].Moves && !h.Vars[v].Cell && h.Vars[v].Width > 1 {
					out = append(out, s.Slt(now, then), s.Slt(then, now), s.Ult(now, then), s.Ult(then, now))
				}
			}
		}
	}
	return out
}

// turns lists the ways back to the header of a loop.
func turns(h *encode.Header) []encode.Arrival {
	if h.Loop == nil || len(h.Arrivals) == 0 {
		return nil
	}
	return h.Arrivals[1:]
}
