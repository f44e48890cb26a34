package adopt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Limits of an entry of the trial check.
const (
	entryTime   = 5 * time.Second  // at least
	longTime    = 30 * time.Second // at most, where there are few
	entryMemory = 1 << 30
	maxDrops    = 20 // files that are left out after all because they do not go together
)

// trial holds what a check within a time gave.
type trial struct {
	harnesses []entry
	called    []string // functions that get a generated harness
	decided   []string // those whose harness was answered in time
	slow      []string // entries that were not
	untried   []string // entries that the time did not suffice to begin
	packaged  []string // functions of others' packages, which are not tried
	broken    []string // harness files that do not build
	quiet     []string // handlers that change what harnesses read
	results   []verdict.Result
	jobs      []prepare.Job // those of results
	began     time.Time
	each      time.Duration // for an entry
	seconds   float64
}

// check verifies what an attempt builds: its harnesses, main, and all functions, as far as the time goes.
func (f *finder) check(ctx context.Context, a *attempt) error {
	tr := &trial{harnesses: f.survey.harnesses}
	if len(tr.harnesses) == 0 {
		if _, ok := a.has("main"); ok {
			tr.harnesses = []entry{{"main", ""}}
		}
	}
	f.Progress("a check of " + a.said)
	tr.began = time.Now()
	jobs, err := f.jobs(ctx, a, tr)
	if err != nil {
		return err
	}
	jobs = slices.DeleteFunc(jobs, func(j prepare.Job) bool {
		tr.quiet = append(tr.quiet, j.Quiet...)
		name, generated := strings.CutPrefix(j.Name(), prepare.AnyCall)
		if generated && a.isPackaged(name) {
			tr.packaged = append(tr.packaged, name)
			return true
		}
		if generated && !slices.Contains(tr.called, name) {
			tr.called = append(tr.called, name)
		}
		return false
	})
	if len(jobs) > 0 {
		tr.each = min(longTime, max(entryTime, f.Time*time.Duration(runtime.NumCPU())/time.Duration(len(jobs))))
	}
	for i := range jobs {
		jobs[i].Timeout = tr.each
	}
	f.run(ctx, jobs, tr)
	tr.seconds = time.Since(tr.began).Seconds()
	f.found.trial = tr
	return nil
}

// jobs prepares the check; harnesses that do not build, and files that do not link, are left out.
func (f *finder) jobs(ctx context.Context, a *attempt, tr *trial) ([]prepare.Job, error) {
	for drops := 0; ; drops++ {
		text := (&writer{a: a, tr: tr, root: f.root, all: true}).text(f.found)
		m, err := manifest.Parse(manifest.Name, text)
		if err != nil {
			return nil, err
		}
		jobs, err := prepare.Jobs(ctx, prepare.Request{Paths: []string{f.root}, Manifest: m, Timeout: entryTime,
			Memory: entryMemory, Recording: a.recording})
		if err == nil || drops == maxDrops || !a.giveWay(err, tr) {
			return jobs, err
		}
	}
}

// giveWay leaves out what an error is about; false: it is about nothing that can be left out.
func (a *attempt) giveWay(err error, tr *trial) bool {
	var fault *compile.BuildError
	if !errors.As(err, &fault) {
		return false
	}
	for i := len(fault.Diagnostics) - 1; i >= 0; i-- {
		d := fault.Diagnostics[i]
		if at := slices.IndexFunc(tr.harnesses, func(e entry) bool {
			return e.file != "" &&
				e.file == d.File
		}); at >= 0 {
			file := tr.harnesses[at].file
			tr.harnesses = slices.DeleteFunc(slices.Clone(tr.harnesses), func(e entry) bool { return e.file == file })
			tr.broken = append(tr.broken, d.String())
			return true
		}
		if a.drop(d.File, d.Message) {
			return true
		}
	}
	return false
}

// run verifies jobs until the processor time is over, which those that ran say; the clock is an outer limit.
func (f *finder) run(ctx context.Context, jobs []prepare.Job, tr *trial) {
	ctx, stop := context.WithTimeout(ctx, policy.ClockFactor*f.Time)
	defer stop()
	var spent atomic.Int64
	most := f.Time.Milliseconds() * int64(runtime.NumCPU())
	results := make([]*verdict.Result, len(jobs))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i := range jobs {
		slots <- struct{}{}
		if ctx.Err() != nil || spent.Load() >= most {
			<-slots
			break
		}
		wg.Add(1)
		go func() {
			defer func() { <-slots; wg.Done() }()
			if results[i] = f.Run(ctx, &jobs[i]); results[i] != nil {
				spent.Add(results[i].ProcessorMS)
			}
		}()
	}
	wg.Wait()
	for i, r := range results {
		name, generated := strings.CutPrefix(jobs[i].Name(), prepare.AnyCall)
		switch {
		case r == nil:
			tr.untried = append(tr.untried, name)
			continue
		case outOfTime(r) && r.Status != verdict.Violated:
			tr.slow = append(tr.slow, name)
			continue
		case generated && !slices.Contains(tr.decided, name):
			tr.decided = append(tr.decided, name)
		}
		tr.results, tr.jobs = append(tr.results, *r), append(tr.jobs, jobs[i])
	}
	prepare.InContext(tr.jobs, tr.results)
}

// outOfTime reports whether an answer is missing for want of time or memory.
func outOfTime(r *verdict.Result) bool {
	short := func(why *verdict.Reason) bool {
		return why != nil && (why.OutOfTime() || why.Kind == verdict.OutOfMemory ||
			why.Kind == verdict.Internal || why.Kind == verdict.Cancelled)
	}
	return short(r.Reason) || slices.ContainsFunc(r.Claims, func(c verdict.Claim) bool {
		return c.Status == verdict.Unknown && short(c.Reason)
	})
}
