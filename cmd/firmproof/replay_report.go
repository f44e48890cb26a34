package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// machineResult is the outcome of one run as the report has it.
func machineResult(code int, said string, err error) *verdict.MachineRun {
	switch {
	case err != nil:
		return &verdict.MachineRun{Result: verdict.NotPossible, Detail: strings.TrimPrefix(err.Error(), "replay: ")}
	case code == exitReproduced:
		return &verdict.MachineRun{Result: verdict.Reproduced}
	}
	return &verdict.MachineRun{Result: verdict.NotReproduced, Detail: said}
}

// replayAll runs the program for each violation of a report and notes what happened.
func (fl *checkFlags) replayAll(ctx context.Context, rep *verdict.Report, paths []string) {
	for i := range rep.Results {
		res := &rep.Results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			if c.Status != verdict.Violated || ctx.Err() != nil {
				continue
			}
			r := &replayFlags{include: fl.req.Include, defines: fl.req.Defines, cflags: fl.req.CFlags,
				assume: fl.assume, stubs: fl.stubs,
				limit: 30 * time.Second,
				out:   io.Discard}
			code, err := r.one(ctx, res, c, paths)
			c.Machine = machineResult(code, r.said, err)
		}
	}
}

// programPos is the claim's place, or the call of the C library that it is in: the
// machine's library is another one.
func programPos(c *verdict.Claim) verdict.Pos {
	at := c.Pos
	for _, s := range c.Trace {
		if _, _, library := compile.LibraryFile(c.Pos.File); !library {
			break
		}
		if _, _, library := compile.LibraryFile(s.Pos.File); !library && s.Pos.Line > 0 {
			at = s.Pos
		}
	}
	return at
}

// judge says what the run showed.
func (r *replayer) judge(said string, code int) int {
	c, w := r.h.claim, r.fl.out
	fmt.Fprintf(w, "%s on %s, entry %s\n%s: %s\n\n%s\n", c.ID, r.t.Name, r.h.result.Entry, c.Pos, c.Message,
		strings.TrimSpace(said))
	at := programPos(c)
	place := fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line)
	there := strings.Contains(said, place+":") || strings.Contains(said, place+"\n") || strings.Contains(said,
		place+" ")
	asserted := strings.Contains(said, "assertion failed") || strings.Contains(said, "Assertion") ||
		strings.Contains(said, "assertion \"")
	switch {
	case code == -1:
		r.fl.said = fmt.Sprintf("the program did not end within %s.", r.fl.limit)
	case code == 0:
		r.fl.said = "the program ends without a failure." + r.hint()
	case code == exitAssume || code == exitOtherPath:
		r.fl.said = "the program takes another path." + r.hint()
	case c.Check == verdict.Assert && asserted, c.Check == verdict.Leak && strings.Contains(said,
		"LeakSanitizer: detected"), there,
		// the caller is not in the stack
		c.Check == verdict.Memory && strings.HasPrefix(c.Message, "call through") && strings.Contains(said, "(pc "):
		fmt.Fprintln(w, "\nReproduced.")
		return exitReproduced
	default:
		r.fl.said = fmt.Sprintf("the program ends with status %d, but not at %s.%s", code, place, r.hint())
	}
	fmt.Fprintf(w, "\nNot reproduced: %s\n", r.fl.said)
	return exitNotReproduced
}

// hint says what the harness could not play back.
func (r *replayer) hint() string {
	out := ""
	if r.h.arm && (r.h.claim.Check == verdict.Memory || r.h.claim.Check == verdict.Free ||
		r.h.claim.Check == verdict.Uninitialised) {
		out = " The emulated core has no sanitizer for memory: an access that hits other memory goes unnoticed."
	}
	if len(r.h.left) > 0 {
		slices.Sort(r.h.left)
		out += " The trace has inputs that a program cannot be given: " + strings.Join(slices.Compact(r.h.left),
			", ") + "."
	}
	return out
}

// pick finds the claim in the report.
func (fl *replayFlags) pick(path string) (*verdict.Report, *verdict.Result, *verdict.Claim, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, err
	}
	var rep verdict.Report
	if err := json.Unmarshal(data, &rep); err != nil {
		return nil, nil, nil, fmt.Errorf("%s: not a JSON report of firmproof check: %w", path, err)
	}
	var ids []string
	for i := range rep.Results {
		r := &rep.Results[i]
		for j := range r.Claims {
			c := &r.Claims[j]
			if c.Status != verdict.Violated {
				continue
			}
			ids = append(ids, c.ID)
			if (fl.claim == "" || c.ID == fl.claim) && (fl.target == "" || r.Target == fl.target) && (fl.entry == "" ||
				r.Entry == fl.entry) {
				return &rep, r, c, nil
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil, nil, fmt.Errorf("%s: nothing is violated, so there is nothing to replay", path)
	}
	slices.Sort(ids)
	return nil, nil, nil, fmt.Errorf("%s: no such violation; it has %s", path, strings.Join(slices.Compact(ids), ", "))
}
