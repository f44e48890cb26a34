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
	results := (&turns{jobs: jobs}).verify(ctx, progress, fl)
	prepare.InContext(jobs, results)
	return results
}

// turns says which of several jobs is verified when.
type turns struct {
	jobs  []prepare.Job
	order []int              // of jobs; nil: as they stand
	after map[int]int        // jobs that wait for another one
	begin func(i, waits int) // before job i, which waited for a job: that one has its result in results; may be nil

	line    *progressLine
	results []verdict.Result
	mu      sync.Mutex
	over    *sync.Cond // a job
	begun   []bool
	ended   []bool
	let     []bool // of comparisons that wait (prepare.LetGo): they do no longer
}

// verify runs the jobs, fl.jobs at a time.
func (t *turns) verify(ctx context.Context, progress io.Writer, fl *checkFlags) []verdict.Result {
	n := len(t.jobs)
	t.results, t.begun, t.ended, t.let = make([]verdict.Result, n), make([]bool, n), make([]bool, n), make([]bool, n)
	t.over = sync.NewCond(&t.mu)
	t.line = newProgress(progress, n, fl.out.quiet)
	run := &checking{certs: fl.certs, line: t.line,
		cache: answers.OpenFolder(fl.answers), clock: fl.clock}
	run.line.json = fl.progressJSON
	if run.cache != nil {
		run.cache.Reads = len(fl.edited) > 0 // somebody types: the next text is another one
	}
	defer run.line.clear()
	if fl.failFast {
		ctx, run.end = context.WithCancel(ctx)
		defer run.end()
	}
	for i := range t.jobs {
		t.jobs[i].Plan.Proofs = fl.proofs
		t.let[i] = !t.jobs[i].Waits()
	}
	for i := range t.jobs {
		t.letGo(t.jobs[i].Plan.Target) // of targets without entries
	}
	done := make(chan struct{})
	var workers sync.WaitGroup
	for range min(max(1, fl.jobs), n) {
		workers.Go(func() {
			for i := t.next(); i >= 0; i = t.next() {
				t.keep(i, run.job(ctx, i, &t.jobs[i]))
			}
		})
	}
	go func() {
		workers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-whenLate(ctx):
	}
	return t.whole()
}

// next returns the job whose turn it is, once there is one; below zero: all have begun.
func (t *turns) next() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		left := false
		for k := range t.jobs {
			i := k
			if t.order != nil {
				i = t.order[k]
			}
			before, waits := t.after[i]
			if left = left || !t.begun[i]; t.begun[i] || !t.let[i] || waits && !t.ended[before] {
				continue
			}
			if t.begun[i] = true; waits && t.begin != nil {
				t.begin(i, before)
			}
			return i
		}
		if !left {
			return -1
		}
		t.over.Wait()
	}
}

// keep notes the result of a job.
func (t *turns) keep(i int, res verdict.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.results[i], t.ended[i] = res, true
	t.letGo(t.jobs[i].Plan.Target)
	t.over.Broadcast()
}

// letGo lets the next comparisons of a target go where all that was let go is over, or ends those that get no time; t.mu is
// held.
func (t *turns) letGo(target string) {
	var at []int // jobs of the target
	waiting := false
	for i := range t.jobs {
		if t.jobs[i].Plan.Target != target {
			continue
		}
		if t.let[i] && !t.ended[i] {
			return
		}
		waiting = waiting || !t.ended[i]
		at = append(at, i)
	}
	if !waiting {
		return
	}
	jobs, results := make([]prepare.Job, len(at)), make([]*verdict.Result, len(at))
	for k, i := range at {
		if jobs[k] = t.jobs[i]; t.ended[i] {
			results[k] = &t.results[i]
		}
	}
	next := prepare.LetGo(jobs, results)
	for _, k := range next {
		t.jobs[at[k]].Timeout, t.let[at[k]] = jobs[k].Timeout, true
	}
	for k, i := range at {
		if len(next) == 0 && !t.ended[i] {
			t.results[i], t.begun[i], t.ended[i] = jobs[k].NotCompared(), true, true
			t.line.done(target, jobs[k].Name())
		}
	}
}

// whole returns the results; those that are not there yet say that a signal ended their jobs.
func (t *turns) whole() []verdict.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := slices.Clone(t.results)
	for i := range t.jobs {
		if !t.ended[i] {
			out[i] = stoppedEarly(&t.jobs[i], "ended by a signal", "")
		}
	}
	return out
}

// whenLate returns a channel that is closed when those who work under ctx had time enough to notice its end.
func whenLate(ctx context.Context) <-chan struct{} {
	late := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(noticeTime, func() { close(late) }) })
	return late
}

// noticeTime is how long the end of a run waits for the verifications in it: a solver may be deep in its work, and who
// sent the signal sends a worse one soon.
const noticeTime = 3 * time.Second

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
		return stoppedEarly(j, "not verified, because a violation was found before", "leave out --fail-fast")
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
	within, cancel := budget.WithClock(ctx, j.Timeout, cmp.Or(r.clock, j.Clock()))
	defer cancel()
	if j.Pair != nil {
		res := j.Behaviour(within)
		j.Complete(res)
		return res
	}
	res := r.cache.Run(within, j.Program, j.Plan, j.Timeout)
	j.Compare(ctx, j.Program, res) // in time of its own: what was verified may have used all of its time
	j.Complete(res)
	return res
}

// stoppedEarly is the result of a job that --fail-fast left out, or that a signal ended.
func stoppedEarly(j *prepare.Job, why, remedy string) verdict.Result {
	res := verdict.Result{Target: j.Plan.Target, Entry: j.Name(), Claims: []verdict.Claim{}, Machine: j.Machine,
		Reason: &verdict.Reason{Kind: verdict.Cancelled, Detail: why, Remedy: remedy}}
	res.Summarise()
	if j.Pair != nil {
		j.Complete(&res)
	}
	return res
}
