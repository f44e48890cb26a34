package solve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/firmproof/firmproof/verifier/ilr"
)

// Answers remembers questions that have no model, from run to run. Questions that
// have one are asked again: what they show is replayed anyway. Safe for concurrent use.
type Answers struct {
	mu    sync.Mutex
	known map[ilr.Digest]bool
	added bool
}

// ReadAnswers reads what Bytes gave; data that is none of ours is empty.
func ReadAnswers(data []byte) *Answers {
	a := &Answers{known: map[ilr.Digest]bool{}}
	const size = len(ilr.Digest{})
	if len(data) < sha256.Size || len(data)%size != 0 || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return a
	}
	for data = data[sha256.Size:]; len(data) > 0; data = data[size:] {
		a.known[ilr.Digest(data)] = true
	}
	return a
}

// Bytes returns what to keep, nil if nothing is new.
func (a *Answers) Bytes() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.added {
		return nil
	}
	keys := make([]ilr.Digest, 0, len(a.known))
	for k := range a.known {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y ilr.Digest) int { return bytes.Compare(x[:], y[:]) })
	data := make([]byte, sha256.Size)
	for _, k := range keys {
		data = append(data, k[:]...)
	}
	sum := sha256.Sum256(data[sha256.Size:])
	copy(data, sum[:])
	return data
}

func (a *Answers) has(k ilr.Digest) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[k]
}

func (a *Answers) put(k ilr.Digest) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.added = a.added || !a.known[k]
	a.known[k] = true
}

// remembering asks a Solver only what Answers does not know. A disjunction is known
// by its parts: those without a model are left out of the question.
type remembering struct {
	Solver
	s       *ilr.Store
	answers *Answers
	digests *ilr.Digester
	base    ilr.Digest // of what was asserted
	hits    int
}

// Remember puts answers before x, a solver of s's terms.
func Remember(x Solver, s *ilr.Store, answers *Answers) Solver {
	return &remembering{Solver: x, s: s, answers: answers, digests: ilr.NewDigester(s)}
}

func (r *remembering) Assert(t ilr.Term) {
	r.base = r.with(t)
	r.Solver.Assert(t)
}

// with returns the digest of the assertions together with terms.
func (r *remembering) with(terms ...ilr.Term) (out ilr.Digest) {
	buf := slices.Clone(r.base[:])
	for _, t := range terms {
		d := r.digests.Of(t)
		buf = append(buf, d[:]...)
	}
	sum := sha256.Sum256(buf)
	copy(out[:], sum[:])
	return out
}

func (r *remembering) Stats() Stats {
	st := r.Solver.Stats()
	st.Hits = r.hits
	return st
}

func (r *remembering) Check(ctx context.Context, assumptions ...ilr.Term) (Answer, error) {
	if len(assumptions) != 1 || ctx.Err() != nil {
		return r.Solver.Check(ctx, assumptions...)
	}
	parts := r.disjuncts(assumptions[0])
	var open []ilr.Term
	var keys []ilr.Digest
	for _, t := range parts {
		if k := r.with(t); r.answers.has(k) {
			r.hits++
		} else {
			open, keys = append(open, t), append(keys, k)
		}
	}
	if len(open) == 0 {
		return Unsat, nil
	}
	question := assumptions[0]
	if len(open) < len(parts) {
		question = r.s.Or(open...)
	}
	a, err := r.Solver.Check(ctx, question)
	if a == Unsat {
		for _, k := range keys {
			r.answers.put(k)
		}
	}
	return a, err
}

// disjuncts returns the parts of t as a disjunction, each once.
func (r *remembering) disjuncts(t ilr.Term) []ilr.Term {
	var out []ilr.Term
	seen := map[ilr.Term]bool{}
	stack := []ilr.Term{r.s.Not(t)} // conjuncts of the negation
	for len(stack) > 0 {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case seen[u]:
		case r.s.Kind(u) == ilr.KAnd:
			stack = append(stack, r.s.Arg(u, 1), r.s.Arg(u, 0))
		default:
			out = append(out, r.s.Not(u))
		}
		seen[u] = true
	}
	return out
}
