package certify

import (
	"context"
	"fmt"
	"math/big"

	"github.com/firmproof/firmproof/verifier/exact"
	"github.com/firmproof/firmproof/verifier/policy"
	"github.com/firmproof/firmproof/verifier/solve/linear"
)

// row is a hypothesis: lin >= 0, or = 0 if eq.
type row struct {
	lin exact.Lin
	eq  bool
}

// prover checks implications between linear constraints over the integers.
type prover struct{ z3 *linear.Z3 }

func newProver() *prover { return &prover{linear.NewZ3(policy.CertifyZ3)} }

func (p *prover) close() { p.z3.Close() }

// all checks that the hypotheses imply every goal >= 0: each by a sum of
// hypotheses, all of them once by Z3.
func (p *prover) all(ctx context.Context, hyp []row, goals []exact.Lin) error {
	var clause []linear.PolyRow
	for _, g := range goals {
		if g.IsConst() && g.Const.Sign() >= 0 {
			continue
		}
		if err := p.implied(ctx, hyp, g); err != nil {
			return err
		}
		clause = append(clause, linear.PolyRow{Poly: exact.PolyOf(g.Neg().AddInt(-1))})
	}
	if len(clause) == 0 {
		return nil
	}
	rows := make([]linear.PolyRow, len(hyp))
	for i, h := range hyp {
		rows[i] = linear.PolyRow{Poly: exact.PolyOf(h.lin), EQ: h.eq}
	}
	if st, _ := p.z3.Sat(rows, [][]linear.PolyRow{clause}); st != linear.Unsat {
		return fmt.Errorf("z3 says %v to a counterexample", st)
	}
	return nil
}

// implied checks hyp => goal >= 0 by exact arithmetic: over the rationals, or
// after the equations have been solved over the integers.
func (p *prover) implied(ctx context.Context, hyp []row, goal exact.Lin) error {
	err := p.weighted(ctx, hyp, goal)
	if err == nil {
		return nil
	}
	rest, left, solvable := solved(hyp, goal)
	if !solvable || len(rest) < len(hyp) && p.weighted(ctx, rest, left) == nil {
		return nil
	}
	return err
}

// weighted checks hyp => goal >= 0 by a weighted sum of hypotheses. Weights come
// from an untrusted search; here they are only added up.
func (p *prover) weighted(ctx context.Context, hyp []row, goal exact.Lin) error {
	rows := make([]linear.Row, len(hyp))
	for i, h := range hyp {
		if !h.eq {
			h.lin = shrink(h.lin)
		}
		rows[i] = linear.Row{Lin: h.lin, EQ: h.eq}
	}
	weights, ok := linear.Farkas(ctx, rows, goal)
	if !ok {
		return fmt.Errorf("%v >= 0 does not follow", goal)
	}
	sum, constant := map[exact.Var]*big.Rat{}, new(big.Rat)
	add := func(l exact.Lin, w *big.Rat) {
		for _, t := range l.Terms {
			if sum[t.Var] == nil {
				sum[t.Var] = new(big.Rat)
			}
			sum[t.Var].Add(sum[t.Var], new(big.Rat).Mul(w, new(big.Rat).SetInt(t.Coef.Big())))
		}
		constant.Add(constant, new(big.Rat).Mul(w, new(big.Rat).SetInt(l.Const.Big())))
	}
	for i, w := range weights {
		if w.Sign() < 0 && !rows[i].EQ {
			return fmt.Errorf("negative weight on an inequation")
		}
		add(rows[i].Lin, w.Big())
	}
	cancel := func() bool {
		for _, v := range sum {
			if v.Sign() != 0 {
				return false
			}
		}
		return true
	}
	if cancel() && constant.Sign() < 0 {
		return nil // the hypotheses contradict each other
	}
	// goal - sum must be a constant above -1: then goal > -1, and it is an integer
	add(goal, big.NewRat(-1, 1))
	if !cancel() || constant.Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("the weights do not add up to %v", goal)
	}
	return nil
}

// shrink divides by the coefficients' common divisor, rounding the constant
// down: the integer solutions of l >= 0 stay.
func shrink(l exact.Lin) exact.Lin {
	g := new(big.Int)
	for _, t := range l.Terms {
		g.GCD(nil, nil, g, new(big.Int).Abs(t.Coef.Big()))
	}
	if g.Sign() == 0 || g.IsInt64() && g.Int64() == 1 {
		return l
	}
	out := exact.Lin{}
	for _, t := range l.Terms {
		out.Terms = append(out.Terms, exact.Term{Var: t.Var, Coef: exact.FromBig(new(big.Int).Quo(t.Coef.Big(), g))})
	}
	// Euclidean division by a positive divisor rounds down
	out.Const = exact.FromBig(new(big.Int).Div(l.Const.Big(), g))
	return out
}
