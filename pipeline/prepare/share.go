package prepare

import (
	"cmp"
	"slices"
	"time"

	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Waits reports whether a job is a comparison that is not begun before LetGo says so.
func (j *Job) Waits() bool { return j.Pair != nil && !j.Pair.Needed }

// LetGo says which of the comparisons that wait are begun next, when all other jobs of their target are over: all
// comparisons together take no more than their part of the processor time that the others took. jobs are those of a target,
// of both commits; results theirs, nil where a job waits. It returns indexes of jobs, whose times it sets, the first to be
// begun in front. None: there is no time left, and those that wait are not compared (NotCompared).
func LetGo(jobs []Job, results []*verdict.Result) (next []int) {
	verified, compared := time.Duration(0), time.Duration(0)
	for i := range jobs {
		switch {
		case results[i] == nil:
			next = append(next, i)
		case jobs[i].Pair == nil:
			verified += took(results[i])
		case took(results[i]) == 0 && results[i].Change == nil: // its process is lost, and with it what it took
			compared += jobs[i].Timeout * policy.Processors
		default:
			compared += took(results[i])
		}
	}
	n, each := share(max(policy.PairsFloor, verified/policy.PairsPart)-compared, len(next))
	slices.SortStableFunc(next, func(a, b int) int { return cmp.Compare(jobs[a].Pair.Turn, jobs[b].Pair.Turn) })
	next = next[:n]
	for _, i := range next {
		jobs[i].Timeout = min(jobs[i].Timeout, each)
	}
	return next
}

// Clock is how long a job may take by the clock: a busy machine may leave a comparison next to nothing of a short time.
func (j *Job) Clock() time.Duration { return policy.ClockFactor * max(j.Timeout, leastTime) }

// took returns the processor time that an answer cost.
func took(res *verdict.Result) time.Duration {
	return time.Duration(res.ProcessorMS) * time.Millisecond
}

// share says how many of those that wait are begun when so much processor time is left, and how long each may take, in
// seconds of a budget: policy.PairsAhead times as much as if all took the same. Most take next to nothing, and what they
// leave is for those behind them.
func share(left time.Duration, waiting int) (n int, each time.Duration) {
	over := waiting + policy.PairsAhead - 1
	n = max(0, min(over/policy.PairsAhead, int(left/policy.PairLeast)))
	each = max(policy.PairLeast, left*policy.PairsAhead/time.Duration(over))
	return n, each / policy.Processors
}

// NotCompared is the result of a comparison that waited, and got no time.
func (j *Job) NotCompared() verdict.Result {
	res := verdict.Result{Target: j.Plan.Target, Claims: []verdict.Claim{}, Reason: &verdict.Reason{Kind: verdict.TimedOut,
		Detail: "not compared: the time for comparisons, a third of the verification's, was over"}}
	j.Complete(&res)
	res.Change.Behaviour.Status = verdict.NotCompared
	return res
}
