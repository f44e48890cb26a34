package main

import (
	"context"
	"fmt"
	"io"

	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/certificate"
	"github.com/firmproof/firmproof/verifier/change"
)

// keep notes a proof, to be certified.
func (d *difference) keep(p *change.Proof) { d.proofs = append(d.proofs, p) }

// certificates certifies what shows that functions are the same, each within the time of a comparison, and says what was
// certified.
func (d *difference) certificates(ctx context.Context, w io.Writer) error {
	if d.certs == nil {
		return nil
	}
	var folders []string
	for _, p := range d.proofs {
		within, cancel := budget.With(ctx, d.timeout)
		folder, line := d.certs.write(within, p.Of, p.Program, p.Text, p.Plan, p.Result)
		cancel()
		fmt.Fprintf(w, "firmproof: certificate of %s, on %s: %s\n", p.Of, p.Plan.Target, line)
		if folder != "" {
			folders = append(folders, folder)
		}
	}
	return certificate.WriteIndex(d.certs.dir, d.certs.tool, folders)
}
