package compile

import (
	"context"
	"slices"
	"sync"

	"github.com/firmproof/firmproof/pipeline/compile/syntax"
)

// ahead holds the calls of the compiler for a unit that are made before it is known that they are needed, or with
// which flags, because a processor would be idle: without prototypes for undeclared functions, contracts and names of
// CBMC's.
type ahead struct {
	flags   []string
	emitted func() emission
	tree    func() (*syntax.Reader, error)
	end     func() // waits until nothing runs
}

// begin starts the calls.
func (r *Request) begin(ctx context.Context, flags []string, scratch, out string) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	a := &ahead{flags: slices.Clone(flags), end: func() { cancel(); running.Wait() }}
	a.emitted = beside(&running, func() emission { return r.emit(ctx, a.flags, scratch, out, nil, dialect{}) })
	type result struct {
		tree *syntax.Reader
		err  error
	}
	tree := beside(&running, func() (s result) {
		s.tree, s.err = r.syntax(ctx, a.flags, r.File, nil, true)
		return s
	})
	a.tree = func() (*syntax.Reader, error) { s := tree(); return s.tree, s.err }
	return a
}

// beside starts f and returns a function that waits for its result.
func beside[T any](running *sync.WaitGroup, f func() T) func() T {
	get := sync.OnceValue(f)
	running.Add(1)
	go func() {
		defer running.Done()
		get()
	}()
	return get
}
