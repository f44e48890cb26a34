package termination

import (
	"context"
	"fmt"
	"io"

	"github.com/firmproof/firmproof/verifier/its"
)

// RunFile reads a transition system, answers its question, and writes the argument to w. It returns the last line,
// which the caller prints, and the Techniques that had a part in it: YES, NO, MAYBE or WORST_CASE(?,O(n^k)).
func RunFile(ctx context.Context, path string, opts Options, w io.Writer) (last string, by []string, err error) {
	sys, err := its.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	if sys.Goal == its.Complexity {
		last, text, by := runComplexity(ctx, sys, opts)
		_, err := io.WriteString(w, text)
		return last, by, err
	}
	answer := Prove(ctx, sys, opts)
	if answer.Reason != "" {
		fmt.Fprintf(w, "Unknown: %s.\n", answer.Reason)
	}
	fmt.Fprint(w, answer.Text)
	return answer.Verdict.String(), answer.By, nil
}
