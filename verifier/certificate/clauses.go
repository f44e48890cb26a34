package certificate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/firmproof/firmproof/verifier/ilr"
	"github.com/firmproof/firmproof/verifier/solve/bitblast"
	"github.com/firmproof/firmproof/verifier/solve/sat"
)

// Digest names a list of clauses.
type Digest struct {
	Vars    int    `json:"variables"`
	Clauses int    `json:"clauses"`
	Sum     string `json:"sha256"`
}

// digester is a sink that passes clauses on and digests them.
type digester struct {
	to      sat.Sink
	vars    int
	clauses int
	sum     hash.Hash
}

// NewVar implements sat.Sink.
func (d *digester) NewVar() sat.Lit { d.vars++; return d.to.NewVar() }

// Add implements sat.Sink.
func (d *digester) Add(clause ...sat.Lit) {
	d.clauses++
	buf := make([]byte, 0, 4*len(clause)+4)
	for _, l := range clause {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(l))
	}
	d.sum.Write(binary.LittleEndian.AppendUint32(buf, 0))
	d.to.Add(clause...)
}

func (d *digester) digest() Digest {
	return Digest{Vars: d.vars, Clauses: d.clauses, Sum: hex.EncodeToString(d.sum.Sum(nil))}
}

// given is a sink that gives clauses to a checker.
type given struct {
	to   *sat.Checker
	vars int
}

// NewVar implements sat.Sink.
func (g *given) NewVar() sat.Lit { g.vars++; return sat.Lit(g.vars) }

// Add implements sat.Sink.
func (g *given) Add(clause ...sat.Lit) { g.to.Give(append([]sat.Lit(nil), clause...)) }

// clausesOf gives sink the clauses of facts and of the goals. It returns for each goal a literal that it implies, 0 for
// one that is false by how it was made.
func clausesOf(s *ilr.Store, facts []ilr.Term, goals []goal, sink sat.Sink) (lits []sat.Lit, sum Digest, err error) {
	defer func() {
		if r := recover(); r != nil {
			if r != any(errLarge) {
				panic(r)
			}
			err = errLarge
		}
	}()
	e := newExpander(s)
	var plain, bad []ilr.Term
	for _, t := range facts {
		plain = append(plain, e.term(t))
	}
	for _, g := range goals {
		bad = append(bad, e.term(g.bad))
	}
	plain = append(plain, e.congruences()...)
	d := &digester{to: sink, sum: sha256.New()}
	b := bitblast.New(s, d)
	for _, t := range plain {
		b.Assert(t)
	}
	for _, t := range bad {
		l := sat.Lit(0)
		if v, known := b.Constant(t); !known || v {
			l = b.Lit(t)
		}
		lits = append(lits, l)
	}
	return lits, d.digest(), nil
}

// prove has a SAT solver refute the goals, and leaves its steps in the file proof. It returns which it refuted.
func prove(ctx context.Context, s *ilr.Store, facts []ilr.Term, goals []goal, proof string) (Digest, []bool, error) {
	raw := proof + ".raw"
	defer func() { _ = os.Remove(raw) }() // what is left of a failure
	solver := sat.New(sat.Options{Proof: raw})
	lits, sum, err := clausesOf(s, facts, goals, solver)
	refuted := make([]bool, len(goals))
	for i, l := range lits {
		if l == 0 {
			refuted[i] = true
			continue
		}
		solver.Assume(l)
		var r sat.Result
		if r, err = solver.Solve(ctx); err != nil {
			break
		}
		if refuted[i] = r == sat.Unsat; refuted[i] {
			solver.Add(-l) // it was derived
		}
	}
	solver.Close() // it writes the rest of its proof
	if err == nil {
		err = withoutGiven(raw, proof)
	}
	return sum, refuted, err
}

// withoutGiven copies a proof without the clauses that were given to the solver.
func withoutGiven(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it is only read
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	w, r := bufio.NewWriter(out), bufio.NewReaderSize(in, 1<<16)
	for keep, whole := true, true; err == nil; {
		var line []byte
		line, err = r.ReadSlice('\n')
		if whole && len(line) > 0 {
			keep = line[0] != 'i'
		}
		whole = err == nil
		if keep {
			_, _ = w.Write(line) // Flush says what failed
		}
		if err == bufio.ErrBufferFull {
			err = nil
		}
	}
	if err == io.EOF {
		err = w.Flush()
	}
	if failed := out.Close(); err == nil {
		err = failed
	}
	return err
}

// refuted follows the steps of proof from the clauses of facts and goals, which have to be those of sum, and returns
// for each goal whether it is false in every model.
func refuted(ctx context.Context, s *ilr.Store, facts []ilr.Term, goals []goal, sum Digest, proof io.Reader) (
	out []bool, p sat.Proved, err error) {
	c := sat.NewChecker()
	lits, now, err := clausesOf(s, facts, goals, &given{to: c})
	if err != nil {
		return nil, p, err
	}
	if now != sum {
		return nil, p, fmt.Errorf(
			"the formula of the stored program (%d clauses) is not the one that the proof refutes (%d clauses)",
			now.Clauses, sum.Clauses)
	}
	if p, err = c.Read(ctx, proof, false); err != nil {
		return nil, p, fmt.Errorf("the proof: %w", err)
	}
	for _, l := range lits {
		out = append(out, l == 0 || c.Refuted(l))
	}
	return out, p, nil
}
