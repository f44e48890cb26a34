package claims

import (
	"github.com/firmproof/firmproof/verifier/encode"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
)

// ClaimIDs returns the IDs of all claims of p, by their places.
func ClaimIDs(p *problem.Problem) map[ir.At]string {
	out := map[ir.At]string{}
	for _, c := range encode.ListClaims(p.Module, p.Checks, p.Leaks, func(*ir.Block) bool { return true }) {
		out[ir.At{Instr: c.Instr, Check: c.Check}] = c.ID
	}
	return out
}

// ClaimPlaces returns the instructions of all claims of p, by ID.
func ClaimPlaces(p *problem.Problem) map[string]*ir.Instr {
	out := map[string]*ir.Instr{}
	for at, id := range ClaimIDs(p) {
		out[id] = at.Instr
	}
	return out
}
