package bot_test

import (
	"context"
	"slices"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// pair has two harnesses, of which one always fails.
type pair struct{ reader }

// Build implements pipeline.Checker.
func (p *pair) Build(ctx context.Context, req pipeline.Request) (*pipeline.Built, error) {
	return twice(ctx, &p.reader, req, "bad", "good")
}

// Verify implements pipeline.Checker.
func (p *pair) Verify(ctx context.Context, t pipeline.Task) (*verdict.Result, error) {
	r, err := p.reader.Verify(ctx, t)
	if err == nil && t.Job.Plan.Entry == "good" {
		r.Claims = nil
		r.Summarise()
	}
	return r, err
}

// staged has stages, and an answer from the cache.
type staged struct{ reader }

// Build implements pipeline.Checker.
func (c *staged) Build(ctx context.Context, req pipeline.Request) (*pipeline.Built, error) {
	return twice(ctx, &c.reader, req, "main", "again")
}

// Verify implements pipeline.Checker.
func (c *staged) Verify(ctx context.Context, t pipeline.Task) (*verdict.Result, error) {
	r, err := c.reader.Verify(ctx, t)
	if err == nil {
		r.Stages = []verdict.Stage{{Name: "solve", Seconds: 1}, {Name: "made-up", Seconds: 1}}
		if t.Job.Plan.Entry == "again" {
			r.Reused = "0193"
		}
	}
	return r, err
}

// twice makes a job for each name that is wanted, all of the same source.
func twice(ctx context.Context, c *reader, req pipeline.Request, names ...string) (*pipeline.Built, error) {
	b, err := c.Build(ctx, req)
	if err != nil {
		return nil, err
	}
	job := b.Jobs[0]
	b.Jobs = nil
	for _, name := range names {
		if len(req.Options.Entries) == 0 || slices.Contains(req.Options.Entries, name) {
			job.Plan.Entry = name
			b.Jobs = append(b.Jobs, job)
		}
	}
	return b, nil
}
