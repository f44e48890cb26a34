package main

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestComparisonsWait: comparisons that nobody needs wait until their target is verified, and those that get no time say so:
// with 6 seconds for the verification they have 2, of which each of these takes half of one. A target that nothing is
// verified on has a second for them.
func TestComparisonsWait(t *testing.T) {
	settled := func(target, entry string, ms int64, p *prepare.Pair) prepare.Job {
		res := &verdict.Result{Target: target, Entry: entry, ProcessorMS: ms}
		if p != nil {
			p.New = entry
			res.Change = &verdict.Change{Behaviour: &verdict.Comparison{Function: entry, Status: verdict.Same}}
		}
		return prepare.Job{Plan: verifier.Plan{Target: target}, Label: entry, Timeout: time.Minute, Pair: p, Settled: res}
	}
	var jobs []prepare.Job
	for i := range 8 {
		jobs = append(jobs, settled("avr", fmt.Sprint("f", i), 500, &prepare.Pair{Turn: 8 - i, Needed: i == 0}),
			settled("i386", fmt.Sprint("f", i), 500, &prepare.Pair{Turn: i}))
	}
	jobs = append(jobs, settled("avr", "main", 4000, nil), settled("avr", "before", 2000, nil))
	for _, workers := range []int{1, 2} {
		fl := &checkFlags{jobs: workers}
		fl.out.quiet = true
		got := map[string]string{}
		for i, res := range (&turns{jobs: jobs}).verify(context.Background(), io.Discard, fl) {
			if jobs[i].Pair != nil && res.Change.Behaviour.Status == verdict.Same {
				got[res.Target] += " " + res.Entry
			}
		}
		if got["avr"] != " f0 f5 f6 f7" || got["i386"] != " f0 f1" && got["i386"] != " f0 f1 f2" {
			t.Errorf("%d at a time: compared are%v", workers, got)
		}
	}
}
