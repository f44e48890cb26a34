package termination

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/firmproof/firmproof/verifier/its"
)

// RunFile reads a transition system, answers its question, writes the argument
// to w and returns the last line: YES, NO, MAYBE or WORST_CASE(?,O(n^k)). The
// caller prints the last line.
func RunFile(ctx context.Context, path string, timeout time.Duration, w io.Writer) (string, error) {
	sys, err := its.ReadFile(path)
	if err != nil {
		return "", err
	}
	if sys.Goal == its.Complexity {
		last, text := runComplexity(ctx, sys, timeout)
		_, err := io.WriteString(w, text)
		return last, err
	}
	answer := Prove(ctx, sys, Options{Timeout: timeout})
	if answer.Reason != "" {
		fmt.Fprintf(w, "Unknown: %s.\n", answer.Reason)
	}
	fmt.Fprint(w, answer.Text)
	return answer.Verdict.String(), nil
}
