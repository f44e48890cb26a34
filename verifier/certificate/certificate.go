// Package certificate writes down why the answers about an entry hold, and checks that again without the engines
// that found them: by the interpreter, by unit propagation over clauses derived afresh from the stored program, by
// exact arithmetic.
//
//	Make    what the engines left (verdict.Claim.Evidence) -> Certificate, with the files of its proofs
//	Check   Certificate -> what its evidence shows, claim by claim, or what fails
//
// docs/CERTIFICATES.md says for each kind of evidence what is checked and what is trusted.
//
// Worked example, the folder of `assert(x < 10)` behind `assume(x < 5)`:
//
//	certificates.json                {"format":1,"entries":["host-main"]}
//	host-main/certificate.json       plan, claims, evidence: a refutation with one walk and 2 turns
//	host-main/program                what main reaches, as ir.Encode writes it
//	host-main/proof-1                the SAT solver's steps: DRUP without the clauses
package certificate

import (
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Format is the number of the form of the folder.
const Format int = 1

// Certificate is why the answers about one entry on one target hold.
type Certificate struct {
	Format  int          `json:"format"`
	Tool    verdict.Tool `json:"tool"`
	Target  string       `json:"target"`
	Entry   string       `json:"entry"` // as the report names it
	Plan    problem.Plan `json:"plan"`
	Program string       `json:"program"` // SHA-256 of the file `program`, in hexadecimal
	Claims  []Claim      `json:"claims"`
	Proofs  []Evidence   `json:"evidence"`
	Rest    []string     `json:"rest,omitempty"` // what the answers assume besides, as the report lists it

	proved map[string]bool // claims, by ID, that the evidence which was held to the program so far shows to be
}

// Claim is the answer about a claim, and where the evidence for it is.
type Claim struct {
	ID       string         `json:"id"`
	Check    verdict.Check  `json:"check"`
	Status   verdict.Status `json:"status"`
	Message  string         `json:"message"`
	Pos      verdict.Pos    `json:"location"`
	Evidence int            `json:"evidence,omitempty"` // 1 + its index; 0: there is none
	Why      string         `json:"why,omitempty"`      // there is none
}

// Evidence is one of its fields.
type Evidence struct {
	Run        *Run        `json:"run,omitempty"`
	Refutation *Refutation `json:"refutation,omitempty"`
	Lasso      *Lasso      `json:"lasso,omitempty"`
	Only       *Only       `json:"only,omitempty"`
	Ranking    *Ranking    `json:"ranking,omitempty"`
	Safe       *Safe       `json:"safe,omitempty"`
	Recurrent  *Recurrent  `json:"recurrent,omitempty"`
}

// Finding holds what a piece of evidence shows.
type Finding struct {
	Kind    string                    // in a few words
	Shown   map[string]verdict.Status // by claim ID
	Open    map[string]string         // of a claim that is Unknown there: why
	Claims  []string                  // all claims of the program, as far as the check met them
	Checked string                    // what was checked, and by what
	Trusted string                    // what was not
}
