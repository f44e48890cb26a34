package answers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/solve"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Folder keeps answers in a folder:
//
//	results/KEY   answers, by the keys of their questions
//	claims/KEY    of an entry on a target: digests of questions without a model
//	inputs/KEY    of an entry on a target: inputs of its last violations
//
// A violation is never shown as it was stored: the program is executed on its inputs
// again, and searched if that does not confirm it.
type Folder struct {
	dir, engine string
	Reads       bool // nothing is written: what is verified may never be asked again
}

// OpenFolder gives nil, and says so, if the folder cannot be used: a run needs none.
func OpenFolder(dir string) *Folder {
	if dir == "" {
		return nil
	}
	f := &Folder{dir: dir}
	self, err := os.Executable()
	if err == nil {
		f.engine, err = EngineOf(self)
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
	return f
}

// Run verifies, or gives the stored answer. The time that ctx leaves is budget.
func (f *Folder) Run(ctx context.Context, m *ir.Module, plan verifier.Plan, budget time.Duration) *verdict.Result {
	part := plan.Part(m)
	if f == nil || part == nil || len(plan.Dumps) > 0 || plan.Proofs != "" || plan.StopAfter != "" {
		return verifier.Run(ctx, m, plan)
	}
	q, err := Ask(part, plan, f.engine)
	if err != nil {
		return verifier.Run(ctx, m, plan)
	}
	if res := f.recall(q, budget); res != nil {
		return res
	}
	return f.verify(ctx, m, plan, q, budget)
}

// maxEntry is how long a file of the folder may be, in bytes.
const maxEntry = 256 << 20

// verify asks the engine, with what earlier runs on the entry and target left.
func (f *Folder) verify(ctx context.Context, m *ir.Module, plan verifier.Plan, q Question,
	budget time.Duration) *verdict.Result {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\n%s\n%s", f.engine, plan.Target, plan.Entry)))
	name := hex.EncodeToString(sum[:16])
	claims, inputs := filepath.Join(f.dir, "claims", name), filepath.Join(f.dir, "inputs", name)
	if text, err := files.Read(inputs, maxEntry); err == nil && json.Unmarshal(text, &plan.Tried) != nil {
		plan.Tried = nil
	}
	known, err := files.Read(claims, maxEntry)
	if err != nil && !os.IsNotExist(err) {
		slog.Warn("cache", "error", err)
	}
	plan.Answers = solve.ReadAnswers(known)
	res := verifier.Run(ctx, m, plan)
	if f.Reads {
		return res
	}
	violations := inputsOf(res)
	failed := f.write(inputs, violations)
	if text := plan.Answers.Bytes(); text != nil && failed == nil {
		failed = files.Write(claims, text, 0o644)
	}
	if failed == nil && len(violations) == 0 && res.Status != verdict.Violated {
		failed = f.keep(q, res, budget)
	}
	if failed != nil {
		slog.Warn("cache", "error", failed)
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

func (f *Folder) file(key string) string { return filepath.Join(f.dir, "results", key) }

func (f *Folder) read(key string) (a Answer, ok bool) {
	text, err := files.Read(f.file(key), maxEntry)
	sum, text, _ := bytes.Cut(text, []byte("\n"))
	return a, err == nil && string(sum) == digest(text) && json.Unmarshal(text, &a) == nil
}

// digest stands in front of a stored answer: one that was changed or cut off is none.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// recall is the stored answer to q, nil if there is none that can be shown. A proof under
// other bounds is not shown: with a cache, `check` says what it says without one.
func (f *Folder) recall(q Question, budget time.Duration) *verdict.Result {
	a, ok := f.read(q.Key.Shape)
	if !ok {
		return nil
	}
	res, err := q.Show(a, budget)
	if err != nil || res == nil {
		return nil
	}
	res.DurationMS, res.ProcessorMS = 0, 0
	res.Reused, res.Stages = verdict.FromCache,
		[]verdict.Stage{{Name: "cache", Counts: map[string]int64{"claims": int64(len(res.Claims))}}}
	return res
}

// keep stores what is worth it, but never in place of a better answer.
func (f *Folder) keep(q Question, res *verdict.Result, budget time.Duration) error {
	list, err := q.Keep(res, budget)
	if err != nil || len(list) == 0 {
		return err
	}
	if old, ok := f.read(q.Key.Shape); ok && !list[0].replaces(old) {
		return nil
	}
	text, err := json.Marshal(list[0])
	if err != nil {
		return err
	}
	return files.Write(f.file(q.Key.Shape), slices.Concat([]byte(digest(text)), []byte("\n"), text), 0o644)
}

func (f *Folder) write(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return files.Write(path, text, 0o644)
}
