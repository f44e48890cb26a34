package change

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// Known is what is known of the functions of two programs, for one target: which of those that changed do the same for
// whoever calls them. Several comparisons may use it at a time.
type Known struct {
	names map[string]string // of functions with another name, that of the old version
	once  sync.Once
	alike map[string]bool // of both programs: see pair.Alike
	keep  func(*Proof)    // nil: proofs are not kept

	mu      sync.Mutex
	shown   map[string]string // of functions that do the same, that of the old version
	settled map[string]bool   // functions of which it is known, or was tried
}

// NewKnown knows nothing yet. names has the names in the old version of functions that had others there.
func NewKnown(names map[string]string) *Known {
	return &Known{names: names, shown: map[string]string{}, settled: map[string]bool{}}
}

// alikeIn returns pair.Alike of the two programs.
func (k *Known) alikeIn(was, is *ir.Module) map[string]bool {
	k.once.Do(func() { k.alike = pair.Alike(was, is) })
	return k.alike
}

func (k *Known) isSettled(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settled[name]
}

func (k *Known) settle(c pair.Callee, does bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.settled[c.Name] = true; does {
		k.shown[c.Name] = c.Old
	}
}

// unchanged lists the functions that need not be followed, as far as it is known.
func (v *versions) unchanged() []pair.Callee {
	v.known.mu.Lock()
	shown := maps.Clone(v.known.shown)
	v.known.mu.Unlock()
	return pair.Unchanged(v.was, v.is, v.old, v.now, shown)
}

// findCallees finds the functions that need not be followed. It tries to show of those that changed that they do the same,
// from the leaves upwards, if nobody tried before.
func (v *versions) findCallees(ctx context.Context) {
	for _, c := range pair.Changed(v.was, v.is, v.old, v.now, v.known.names) {
		if !v.known.isSettled(c.Name) && ctx.Err() == nil {
			v.known.settle(c, v.serves(ctx, c))
		}
	}
	v.callees = v.unchanged()
}

// serves reports whether a function that changed does the same for whoever calls it: with any arguments, aligned or not,
// in any memory, under nothing that the tool guesses or that a declaration says. Where its old version violates a check, so
// does the old version of the caller, which is excused then.
func (v *versions) serves(ctx context.Context, c pair.Callee) bool {
	ctx, end := budget.Share(ctx, policy.PairCalleePercent)
	defer end()
	w := versions{was: v.was, is: v.is, old: c.Old, now: c.Name, plan: v.plan, known: v.known, machines: v.machines}
	w.callees = w.unchanged()
	for _, args := range []pair.Arguments{pair.AnyApart, pair.Any} {
		// that no execution comes to the end would mean that callers have none, either
		got := w.anyhow(ctx, verdict.Comparison{}, form{args: args, callee: true}, true, true)
		if got != nil && got.Status == verdict.Same && !slices.ContainsFunc(got.Assumptions, notOfMeaning) {
			return true
		}
	}
	return false
}

// notOfMeaning reports whether an assumption is about more than what programs mean.
func notOfMeaning(a verdict.Assumption) bool {
	return a.Relation != verdict.Meaning || a.Origin != verdict.Read
}
