package adopt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/headers"
	"github.com/firmproof/firmproof/pipeline/prepare"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Options say how to look.
type Options struct {
	Time     time.Duration                                             // of the trial check
	Build    time.Duration                                             // of a build command; 0: as limit says
	Run      func(ctx context.Context, j *prepare.Job) *verdict.Result // a verification
	Progress func(what string)                                         // what is done now
}

// Found is how a repository can be verified.
type Found struct {
	Survey    *Survey
	attempt   *attempt
	trial     *trial
	failed    []string // ways to build that did not work, and why
	questions []string
}

type finder struct {
	Options
	root, work string
	survey     *Survey
	headers    *headers.Tree
	found      *Found
	slow       bool // the last build command took longer than it may
}

// ErrNothing says that a folder holds no C.
var ErrNothing = errors.New("no C files found: run init in the root of the repository")

// ErrBare says that nothing of a repository is checked out.
var ErrBare = errors.New("no files but .git: the clone has nothing checked out (`git checkout HEAD -- .` says why)")

// bare reports whether a folder holds a repository and none of its files.
func bare(root string) bool {
	entries, err := os.ReadDir(root)
	return err == nil && len(entries) == 1 && entries[0].Name() == ".git"
}

// Find tries the ways to build a repository, the most telling first, and checks what the first one
// that works gives.
func Find(ctx context.Context, root string, o Options) (*Found, error) {
	survey, err := Look(root)
	if err != nil {
		return nil, err
	}
	if len(survey.sources)+len(survey.harnesses) == 0 && survey.database == "" {
		if bare(root) {
			return nil, ErrBare
		}
		return nil, ErrNothing
	}
	work, err := os.MkdirTemp("", "firmproof-init-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	f := &finder{Options: o, root: root, work: work, survey: survey, found: &Found{Survey: survey}}
	ways, questions := survey.ways()
	f.found.questions = questions
	begin := time.Now()
	for _, w := range ways {
		if time.Since(begin) > limit(waysTime, f.Time) || w.again && f.slow {
			f.found.failed = append(f.found.failed, w.said+": not tried for want of time")
			continue
		}
		if done, err := f.follow(ctx, w.said, func() (*attempt, error) { return f.try(ctx, w) }); done || err != nil {
			return f.found, err
		}
	}
	for _, p := range survey.ides[:min(len(survey.ides), maxProjects)] {
		if done, err := f.follow(ctx, p, func() (*attempt, error) { return f.project(ctx, p) }); done || err != nil {
			return f.found, err
		}
	}
	if _, err := f.follow(ctx, "C files, without a build",
		func() (*attempt, error) { return f.plain(ctx) }); err != nil {
		return nil, err
	}
	if f.found.attempt == nil {
		return nil, fmt.Errorf("no way to build it could be tried: %s", strings.Join(f.found.failed, "; "))
	}
	return f.found, nil
}

// follow tries a way to build and checks the result; done says that it is the one.
func (f *finder) follow(ctx context.Context, said string, try func() (*attempt, error)) (done bool, err error) {
	f.Progress(said)
	a, err := try()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err == nil && a.functions() == 0 {
		err = errors.New(nothingCompiles(a))
	}
	if err == nil {
		err = f.check(ctx, a)
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		f.found.failed = append(f.found.failed, said+": "+firstLines(err, 3))
		if f.found.attempt == nil || a != nil && len(a.kept) > len(f.found.attempt.kept) {
			f.found.attempt = a
		}
		return false, nil
	}
	f.found.attempt = a
	return true, nil
}

// nothingCompiles says why an attempt has no function.
func nothingCompiles(a *attempt) string {
	if len(a.absent.files) > 0 && len(a.absent.files) == len(a.left) {
		return "none of its files compiles without headers that are not here"
	}
	if len(a.left) > 0 {
		return fmt.Sprintf("none of its files compiles; %s: %s", a.left[0].file, a.left[0].why)
	}
	return "it compiles no function"
}

// firstLines returns the first lines of an error, joined.
func firstLines(err error, n int) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	if len(lines) > n {
		lines = append(lines[:n], "...")
	}
	return strings.Join(lines, " / ")
}
