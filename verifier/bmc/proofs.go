package bmc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/firmproof/firmproof/verifier/solve/sat"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// proofName returns the beginning of the names of the proofs of the round with that limit, if any are asked for.
func (b *unwinder) proofName(limit int) string {
	if b.p.Proofs == "" {
		return ""
	}
	return filepath.Join(b.p.Proofs, fmt.Sprintf("%s-%s-%d", b.p.Target, b.p.Entry.Name, limit))
}

// checkProofs has the proofs of the round with that limit checked by one who knows
// nothing of the solver. A proof that fails makes the whole answer unknown.
func (b *unwinder) checkProofs(ctx context.Context, limit int) {
	if b.p.Proofs == "" {
		return
	}
	stop := b.a.Stage("proof")
	var all sat.Proved
	for i := 0; ; i++ {
		path := fmt.Sprintf("%s-%d.proof", b.proofName(limit), i)
		f, err := os.Open(path)
		if err != nil {
			if i == 0 {
				b.a.Warn("no proof was written: " + err.Error())
			}
			break
		}
		p, err := sat.CheckProof(ctx, f)
		_ = f.Close() // it was only read
		all.Inputs, all.Lemmas, all.Refuted = all.Inputs+p.Inputs, all.Lemmas+p.Lemmas, all.Refuted+p.Refuted
		switch {
		case errors.Is(err, ctx.Err()) && err != nil:
			b.a.Warn(path + " was not checked to the end: time is up")
		case err != nil:
			b.a.Fail(&verdict.Reason{Kind: verdict.Internal,
				Detail: fmt.Sprintf("the proof %s does not hold: %v", path, err),
				Remedy: "please report this: it is a defect of firmproof"})
		}
	}
	stop(map[string]int64{"clauses": int64(all.Inputs), "steps": int64(all.Lemmas), "refuted": int64(all.Refuted)})
}
