package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// answerCache is the folder of --cache:
//
//	results/KEY   whole answers, by the digest of the slice, the plan and the engine
//	claims/KEY    of an entry on a target: digests of questions without a model
//	inputs/KEY    of an entry on a target: inputs of its last violations
//
// A violation is never shown as it was stored: the program is executed on its inputs
// again, and searched if that does not confirm it.
type answerCache struct {
	dir, engine string
}

// keptResult is a file of results/.
type keptResult struct {
	Result verdict.Result  `json:"result"`
	Exact  string          `json:"exact"`
	Places verifier.Places `json:"places"`
}

// openCache gives nil, and says so, if the folder cannot be used: a run needs none.
func openCache(dir string) *answerCache {
	if dir == "" {
		return nil
	}
	c := &answerCache{dir: dir}
	self, err := os.Executable()
	if err == nil {
		c.engine, err = pipeline.EngineOf(self)
	}
	for _, sub := range []string{"results", "claims", "inputs"} {
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, sub), 0o755)
		}
	}
	if err != nil {
		slog.Warn("the cache is not used", "folder", dir, "error", err)
		return nil
	}
	return c
}

// run verifies j, or gives the stored answer.
func (c *answerCache) run(ctx context.Context, j *job) *verdict.Result {
	entry := j.module.Func(j.plan.Entry)
	if c == nil || entry == nil || entry.IsDecl() || len(j.plan.Dumps) > 0 || j.plan.Proofs != "" ||
		j.plan.StopAfter != "" {
		return verifier.Run(ctx, j.module, j.plan)
	}
	key, err := verifier.KeyOf(j.module.Part(entry), j.plan, c.engine)
	if err != nil {
		return verifier.Run(ctx, j.module, j.plan)
	}
	if res := c.recall(key); res != nil {
		return res
	}
	return c.verify(ctx, j, key)
}

// verify asks the engine, with what earlier runs on the entry and target left.
func (c *answerCache) verify(ctx context.Context, j *job, key verifier.Key) *verdict.Result {
	plan := j.plan
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\n%s\n%s", c.engine, plan.Target, plan.Entry)))
	name := hex.EncodeToString(sum[:16])
	var err error
	if plan.Answers, err = solve.LoadAnswers(filepath.Join(c.dir, "claims", name)); err != nil {
		slog.Warn("cache", "error", err)
	}
	tried := filepath.Join(c.dir, "inputs", name)
	if text, err := os.ReadFile(tried); err == nil && json.Unmarshal(text, &plan.Tried) != nil {
		plan.Tried = nil
	}
	res := verifier.Run(ctx, j.module, plan)
	for _, err := range []error{c.keep(key, res), c.write(tried, inputsOf(res)), plan.Answers.Save()} {
		if err != nil {
			slog.Warn("cache", "error", err)
		}
	}
	return res
}

// inputsOf lists the inputs of each violation.
func inputsOf(res *verdict.Result) [][]verdict.Input {
	out := [][]verdict.Input{}
	for i := range res.Claims {
		if c := &res.Claims[i]; c.Status == verdict.Violated && c.Replay == verdict.Confirmed {
			out = append(out, c.Inputs)
		}
	}
	return out
}

func (c *answerCache) file(k verifier.Key) string { return filepath.Join(c.dir, "results", k.Shape) }

// recall is the stored answer to k, nil if there is none that can be shown.
func (c *answerCache) recall(k verifier.Key) *verdict.Result {
	text, err := os.ReadFile(c.file(k))
	if err != nil {
		return nil
	}
	var kept keptResult
	if json.Unmarshal(text, &kept) != nil {
		return nil
	}
	res := &kept.Result
	if kept.Exact != k.Exact {
		if !pipeline.Movable(res) {
			return nil
		}
		verifier.Relocate(res, kept.Places, k.Places)
	}
	res.DurationMS = 0
	res.Reused, res.Stages = verdict.FromCache,
		[]verdict.Stage{{Name: "cache", Counts: map[string]int64{"claims": int64(len(res.Claims))}}}
	return res
}

// keep stores an answer that would come out the same again, whatever the time.
func (c *answerCache) keep(k verifier.Key, res *verdict.Result) error {
	keep, steady := pipeline.Keepable(res)
	if !keep || !steady || len(inputsOf(res)) > 0 || res.Status == verdict.Violated {
		return nil
	}
	return c.write(c.file(k), keptResult{*res, k.Exact, k.Places})
}

// write puts v into a file, whole or not at all.
func (c *answerCache) write(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(c.dir, ".result-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
