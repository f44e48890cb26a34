package pipeline

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// An answer is stored under the key of its question, and a proof once more under
// the key without bounds. Keys hold lines relative to their functions, so that an
// answer survives edits above what it is about; its positions are moved then, and
// an answer whose texts name lines is not used unless every line is the same.

// keptAnswer is the body of a store.Answer.
type keptAnswer struct {
	Result verdict.Result  `json:"result"`
	Places verifier.Places `json:"places"`
}

// scopeOf keeps apart what the code of a fork has influenced.
func scopeOf(run store.Run, fork bool) string {
	if fork {
		return fmt.Sprintf("pull/%d", run.Pull)
	}
	return ""
}

// asks reports whether a run takes answers from the store: someone who asks for a
// run anew gets one.
func asks(run store.Run) bool { return run.Trigger != "rerun" && run.Trigger != "command" }

// recall finds stored answers to jobs, by index, and what was of use.
func (s *Service) recall(ctx context.Context, run store.Run, scope string, jobs []Job) (map[int]*verdict.Result,
	[]store.Answer, error) {
	out := map[int]*verdict.Result{}
	if !asks(run) {
		return out, nil, nil
	}
	var keys []string
	for i := range jobs {
		if j := &jobs[i]; j.Key.Shape != "" {
			keys = append(keys, j.Key.Shape, j.Proof.Shape)
		}
	}
	var found map[string]store.Answer
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		found, err = tx.Answers(ctx, run.Repo, scope, keys)
		return err
	}); err != nil {
		return nil, nil, err
	}
	var used []store.Answer
	for i := range jobs {
		j := &jobs[i]
		for _, k := range []verifier.Key{j.Proof, j.Key} {
			a, ok := found[k.Shape]
			if !ok || k.Shape == "" || !a.Steady && (run.Trigger == "nightly" || a.Budget < j.Timeout) {
				continue
			}
			res, err := reuse(a, k)
			if err != nil {
				return nil, nil, err
			}
			if res != nil {
				out[i] = res
				used = append(used, a)
				break
			}
		}
	}
	return out, used, nil
}

// reuse is the answer as it stands for the key, or nil if it does not fit.
func reuse(a store.Answer, k verifier.Key) (*verdict.Result, error) {
	var kept keptAnswer
	if err := json.Unmarshal(a.Body, &kept); err != nil {
		return nil, fmt.Errorf("answer of %s: %w", a.Run, err)
	}
	res := &kept.Result
	if a.Exact != k.Exact {
		if !Movable(res) {
			return nil, nil
		}
		verifier.Relocate(res, kept.Places, k.Places)
	}
	res.Reused = a.Run
	return res, nil
}

// remember keeps an answer of the engine, in tx.
func remember(ctx context.Context, tx store.Tx, run store.Run, scope string, j *Job, res *verdict.Result) error {
	keep, steady := Keepable(res)
	if !keep || j.Key.Shape == "" {
		return nil
	}
	a := store.Answer{Repo: run.Repo, Scope: scope, Key: j.Key.Shape, Exact: j.Key.Exact, Run: run.ID,
		Head: run.HeadSHA, Steady: steady, Budget: j.Timeout}
	var err error
	if a.Body, err = json.Marshal(keptAnswer{*res, j.Key.Places}); err != nil {
		return err
	}
	if err := tx.PutAnswer(ctx, a); err != nil || !allProved(res) || j.Proof.Shape == j.Key.Shape {
		return err
	}
	a.Key, a.Exact = j.Proof.Shape, j.Proof.Exact
	return tx.PutAnswer(ctx, a)
}
