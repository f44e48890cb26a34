package prepare

import (
	"fmt"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestLetGo: comparisons that wait take no more than their part of what the verification took, whatever each of them would
// take; the first ones go first, what is quick is compared, and where time is left, nobody waits for it.
func TestLetGo(t *testing.T) {
	for _, c := range []struct {
		waiting, hard, needed int // of those that wait, each so-manyth takes all that it is given
		verified              time.Duration
		least                 int // that are compared
	}{
		{1, 1, 0, 0, 1}, {4, 1, 0, 0, 2}, {5, 1, 0, 12 * time.Second, 3}, {100, 1, 0, 12 * time.Second, 8}, {100, 2, 0, 12 * time.Second, 14},
		{100, 10, 0, 60 * time.Second, 100}, {300, 400, 0, 0, 160}, {20, 1, 3, 12 * time.Second, 3}, {20, 1, 9, 12 * time.Second, 0},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			jobs := []Job{{}, {Base: true}}
			took := func(d time.Duration) *verdict.Result { return &verdict.Result{ProcessorMS: d.Milliseconds()} }
			results := []*verdict.Result{took(c.verified * 7 / 12), took(c.verified * 5 / 12)}
			for range c.needed {
				jobs, results = append(jobs, Job{Base: true, Pair: &Pair{Needed: true}}), append(results, took(600*time.Millisecond))
			}
			for i := range c.waiting {
				jobs, results = append(jobs, Job{Base: true, Timeout: time.Minute, Pair: &Pair{Turn: c.waiting - i}}), append(results, nil)
			}
			left := max(policy.PairsFloor, c.verified/3) - time.Duration(c.needed)*600*time.Millisecond
			done, spent, last := 0, time.Duration(0), 0
			for next := LetGo(jobs, results); len(next) > 0; next = LetGo(jobs, results) {
				for _, i := range next {
					if done++; results[i] != nil || jobs[i].Pair.Turn <= last {
						t.Fatalf("%d goes after %d", jobs[i].Pair.Turn, last)
					}
					last = jobs[i].Pair.Turn
					took := 3 * time.Millisecond
					if last%c.hard == 0 {
						took = (jobs[i].Timeout * policy.Processors).Truncate(time.Millisecond)
					}
					results[i] = &verdict.Result{ProcessorMS: took.Milliseconds()}
					spent += took
				}
			}
			if spent > max(0, left) || done < c.least || done < c.waiting && left-spent > policy.PairLeast {
				t.Errorf("%d are compared in %s of %s", done, spent, left)
			}
		})
	}
}

// TestLetGoOfLost: a comparison whose process is lost took all that it was given.
func TestLetGoOfLost(t *testing.T) {
	jobs := []Job{{Timeout: time.Second, Pair: &Pair{}}, {Timeout: time.Second, Pair: &Pair{}}}
	lost := &verdict.Result{Reason: &verdict.Reason{Kind: verdict.OutOfMemory}}
	if next := LetGo(jobs, []*verdict.Result{lost, nil}); len(next) != 0 {
		t.Errorf("%v go", next)
	}
}
