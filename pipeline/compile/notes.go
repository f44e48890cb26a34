package compile

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/pipeline/compile/syntax"
)

// syntax reads the unit's syntax tree. places are what clang said of its constants; evaluate says whether more is
// looked for than whose they are.
func (r *Request) syntax(ctx context.Context, args []string, file string, places []syntax.Folded,
	evaluate bool) (*syntax.Reader, error) {
	tree := syntax.NewReader(syntax.Options{Target: r.Target, Constants: evaluate, Conversions: r.Checks.Conversion,
		Accesses: evaluate && isC(r.File), Relaxed: r.relaxed()}, places)
	_, err := r.runTo(ctx, tree, append(slices.Clone(args), "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", "--",
		file)...)
	if err == nil {
		if err = tree.Finish(); err != nil {
			err = &InfraError{"compile " + r.File, err}
		}
	}
	return tree, err
}

// note adds to the unit's IR in out what the syntax tree says of it.
func (r *Request) note(tree *syntax.Reader, out string) error {
	if err := tree.Annotate(out, r.shown(r.File), r.shown); err != nil {
		return &InfraError{"compile " + r.File, err}
	}
	return nil
}

// relaxed reports whether the compiler is told not to use the rule on types, or does not optimise so far.
func (r *Request) relaxed() bool {
	out := false
	for _, f := range r.CFlags {
		switch f {
		case noStrictAliasing, "-O0", "-Og":
			out = true
		case "-fstrict-aliasing":
			out = false
		}
	}
	return out
}

const noStrictAliasing = "-fno-strict-aliasing"
