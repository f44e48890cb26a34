// Package answers says which answers of the engine may be kept, and when one may be
// shown for a later question. Who keeps them is another matter: a folder (`check
// --cache`) or the service's database.
//
// An answer is kept under the key of its question, and a proof once more under the
// key without bounds. Keys hold lines relative to their functions, so that an answer
// survives edits above what it is about; its positions are moved then, and an answer
// whose texts name lines is not shown unless every line is the same.
package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/moved"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Question is a verification by all that its answer depends on.
type Question struct {
	Key   moved.Key `json:"key"`   // of the program's part and the plan
	Proof moved.Key `json:"proof"` // the same without bounds: what is proved holds under any
}

// Ask is the question that plan asks of a part of a program.
func Ask(part *ir.Module, plan verifier.Plan, engine string) (q Question, err error) {
	if q.Key, err = moved.KeyOf(part, plan, engine); err == nil {
		q.Proof, err = moved.KeyOf(part, unbounded(plan), engine)
	}
	return q, err
}

// Answer is a result that is kept.
type Answer struct {
	Key    string // of the question, with lines relative to their functions
	Exact  string // the same with the lines as they are
	Steady bool   // more time would not change it
	Budget time.Duration
	Body   []byte // JSON
}

// replaces reports whether a is kept in place of old: a steady answer gives way to
// none that is not, nor one that took more time to one that took less.
func (a Answer) replaces(old Answer) bool {
	return a.Steady || !old.Steady && a.Budget >= old.Budget
}

// body is the JSON of Answer.Body.
type body struct {
	Result verdict.Result `json:"result"`
	Places moved.Places   `json:"places"`
}

// Keep lists what is worth keeping of a result that took its time from budget.
func (q Question) Keep(res *verdict.Result, budget time.Duration) ([]Answer, error) {
	keep, steady := keepable(res)
	if !keep || q.Key.Shape == "" {
		return nil, nil
	}
	text, err := json.Marshal(body{*res, q.Key.Places})
	if err != nil {
		return nil, err
	}
	a := Answer{Key: q.Key.Shape, Exact: q.Key.Exact, Steady: steady, Budget: budget, Body: text}
	out := []Answer{a}
	if allProved(res) && q.Proof.Shape != q.Key.Shape {
		a.Key, a.Exact = q.Proof.Shape, q.Proof.Exact
		out = append(out, a)
	}
	return out, nil
}

// Keys are the keys under which an answer may be found, the best one first.
func (q Question) Keys() []string {
	if q.Key.Shape == "" {
		return nil
	}
	return []string{q.Proof.Shape, q.Key.Shape}
}

// Show is a kept answer as the result of the question, or nil if it is none: it was
// out of time earlier than budget, or its texts name lines that moved.
func (q Question) Show(a Answer, budget time.Duration) (*verdict.Result, error) {
	k := q.Key
	if a.Key == q.Proof.Shape {
		k = q.Proof
	}
	if a.Key != k.Shape || !a.Steady && a.Budget < budget {
		return nil, nil
	}
	var kept body
	if err := json.Unmarshal(a.Body, &kept); err != nil {
		return nil, err
	}
	res := &kept.Result
	if a.Exact != k.Exact {
		if !movable(res) {
			return nil, nil
		}
		moved.Relocate(res, kept.Places, k.Places)
	}
	return res, nil
}

// EngineOf names the engine in the executable program, by its contents.
func EngineOf(program string) (string, error) {
	f, err := os.Open(program)
	if err != nil {
		return "", fmt.Errorf("answers: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("answers: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}
