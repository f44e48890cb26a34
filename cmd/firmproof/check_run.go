package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/firmproof/firmproof/pipeline/answers"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// dumpTo makes the jobs print the stages asked for, one at a time.
func dumpTo(w io.Writer, jobs []prepare.Job, stages []string) {
	if len(stages) == 0 {
		return
	}
	want := map[string]bool{}
	for _, s := range stages {
		want[s] = true
	}
	var mu sync.Mutex
	for i := range jobs {
		p := &jobs[i].Plan
		p.Dumps = want
		p.Dump = func(stage, text string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(w, "; %s of %s on %s\n%s", stage, p.Entry, p.Target, text)
		}
	}
}

// verify runs the jobs, fl.jobs at a time, and keeps their order.
func verify(ctx context.Context, progress io.Writer, fl *checkFlags, jobs []prepare.Job) []verdict.Result {
	results := make([]verdict.Result, len(jobs))
	run := &checking{certs: fl.certs, line: newProgress(progress, len(jobs), fl.out.quiet),
		cache: answers.OpenFolder(fl.answers), clock: fl.clock}
	defer run.line.clear()
	if fl.failFast {
		ctx, run.end = context.WithCancel(ctx)
		defer run.end()
	}
	for i := range jobs {
		jobs[i].Plan.Proofs = fl.proofs
	}
	slots := make(chan struct{}, max(1, fl.jobs))
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			results[i] = run.job(ctx, i, &jobs[i])
		}()
	}
	wg.Wait()
	prepare.InContext(jobs, results)
	return results
}

// checking holds what the jobs of one `check` share.
type checking struct {
	line  *progressLine
	cache *answers.Folder
	clock time.Duration // of each job; 0: a multiple of its processor time
	certs *certifier
	end   func() // ends all jobs at the first violation; nil: they go on
}

func (r *checking) job(ctx context.Context, n int, j *prepare.Job) verdict.Result {
	target, entry := j.Plan.Target, j.Name()
	defer r.line.done(target, entry)
	if j.Settled != nil {
		return *j.Settled
	}
	if r.end != nil && ctx.Err() != nil {
		return stoppedEarly(j)
	}
	r.line.begin(target, entry, j.Timeout)
	j.Plan.Progress = func(p verifier.Progress) { r.line.at(target, entry, p) }
	// the first violation of a generated harness, or one that is suppressed, may be no finding
	j.Plan.FirstOnly = r.end != nil && !j.Plan.Generated && len(j.Suppressed) == 0
	j.Plan.Found = func(c verdict.Claim) {
		if j.Stands(c) {
			r.line.violated(target, entry, c)
		}
	}
	res := r.answer(ctx, n, j)
	if r.end != nil && slices.ContainsFunc(res.Claims, func(c verdict.Claim) bool {
		return c.Status == verdict.Violated && j.Stands(c)
	}) {
		r.end()
	}
	return *res
}

// answer verifies job n, and certifies the answer if that is asked for.
func (r *checking) answer(ctx context.Context, n int, j *prepare.Job) *verdict.Result {
	if r.certs != nil {
		return r.certs.run(ctx, n, j)
	}
	ctx, cancel := budget.WithClock(ctx, j.Timeout, cmp.Or(r.clock, policy.ClockFactor*j.Timeout))
	defer cancel()
	res := r.cache.Run(ctx, j.Program, j.Plan, j.Timeout)
	j.Complete(res)
	return res
}

// stoppedEarly is the result of a job that --fail-fast left out.
func stoppedEarly(j *prepare.Job) verdict.Result {
	res := verdict.Result{Target: j.Plan.Target, Entry: j.Name(), Claims: []verdict.Claim{}, Machine: j.Machine,
		Reason: &verdict.Reason{Kind: verdict.Cancelled, Detail: "not verified, because a violation was found before",
			Remedy: "leave out --fail-fast"}}
	res.Summarise()
	return res
}
