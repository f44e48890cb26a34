package change

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/verdict"
	"github.com/firmproof/firmproof/verifier/weave/pair"
)

// settled completes out where both versions differ in answer: no difference is one that comes of bytes which C leaves
// unspecified, as each version chooses them for itself.
func (v *versions) settled(ctx context.Context, answer *verdict.Comparison, out verdict.Comparison) *verdict.Comparison {
	chosen := func(d verdict.Difference) bool {
		return slices.ContainsFunc(d.Inputs, func(in verdict.Input) bool { return in.Kind == input.Undef.String() })
	}
	if !slices.ContainsFunc(answer.Differences, chosen) {
		return answer
	}
	left := slices.DeleteFunc(slices.Clone(answer.Differences), chosen)
	if len(left) > 0 {
		answer.Differences = left
		return answer
	}
	m, both, err := v.joined(form{args: pair.Careful})
	if err != nil || !pair.Settle(m) {
		return answer
	}
	c := v.oneAfterOther(ctx, m, both, out)
	switch c.out.Status {
	case verdict.Same, verdict.SameBounded:
		c.out.Status = verdict.SameBounded
		c.out.Limits = append(c.out.Limits, "bytes that C leaves unspecified, of unions and padding, are taken to hold the same in both")
	case verdict.SameOpen:
		c.out.Reason = &verdict.Reason{Kind: verdict.Incomplete,
			Detail: "both differ in bytes that C leaves unspecified, of unions and padding, and whether they do otherwise is not decided"}
	}
	return c.out
}
