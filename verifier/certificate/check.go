package certificate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// opener opens a file of the certificate, which has to be so long.
type opener func(name string, size int64) (io.ReadCloser, error)

// Group is the claims that one piece of evidence shows.
type Group struct {
	*Finding
	Claims []*Claim
}

// Outcome holds what Check found.
type Outcome struct {
	Groups []Group
	Bare   []*Claim // without evidence: not certified
	Others []string // claims of the program that the certificate does not name, by ID
}

// Check holds each piece of evidence of c to the program. The error says what fails; it is a FileError if a file
// cannot be read.
func Check(ctx context.Context, c *Certificate, part *ir.Module, open opener) (*Outcome, error) {
	out := &Outcome{}
	c.proved = nil
	named := map[string]bool{}
	for i := range c.Claims {
		cl := &c.Claims[i]
		named[cl.ID] = true
		switch {
		case cl.Evidence < 0 || cl.Evidence > len(c.Proofs):
			return nil, fmt.Errorf("%s: there is no evidence %d", cl.ID, cl.Evidence)
		case cl.Evidence == 0:
			out.Bare = append(out.Bare, cl)
		}
	}
	for i := range c.Proofs {
		g, err := checkOne(ctx, c, i, part, open)
		if err != nil {
			return nil, err
		}
		out.Groups = append(out.Groups, *g)
		for _, id := range g.Finding.Claims {
			if !named[id] && !slices.Contains(out.Others, id) {
				out.Others = append(out.Others, id)
			}
		}
	}
	return out, nil
}

// checkOne holds one piece of evidence to the program, and the claims that refer to it to what it shows.
func checkOne(ctx context.Context, c *Certificate, i int, part *ir.Module, open opener) (*Group, error) {
	g := &Group{}
	wanted := map[string]bool{}
	for k := range c.Claims {
		if cl := &c.Claims[k]; cl.Evidence == i+1 {
			g.Claims = append(g.Claims, cl)
			wanted[cl.ID] = true
		}
	}
	if len(g.Claims) == 0 {
		return nil, fmt.Errorf("evidence %d is for no claim", i+1)
	}
	var err error
	g.Finding, err = c.Proofs[i].check(ctx, c, part, wanted, open)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject(g.Claims), err)
	}
	for _, cl := range g.Claims {
		if got := g.Shown[cl.ID]; !suffices(got, cl.Status) {
			why := g.Open[cl.ID]
			if why == "" {
				why = fmt.Sprintf("its evidence shows %s", got)
			}
			return nil, fmt.Errorf("%s is said to be %s: %s", cl.ID, cl.Status, why)
		}
	}
	c.learn(g)
	return g, nil
}

// learn keeps which claims evidence proves of the program, whatever is said of them: one that rests on a guess is
// conditional, and proved of the program that has the guess in it.
func (c *Certificate) learn(g *Group) {
	if c.proved == nil {
		c.proved = map[string]bool{}
	}
	for _, cl := range g.Claims {
		c.proved[cl.ID] = c.proved[cl.ID] || g.Shown[cl.ID] == verdict.Proved
	}
}

// endsUnviolated returns an error if a run may end where one of the claims is violated, of the certificate or of ids.
func (c *Certificate) endsUnviolated(ids []string) error {
	if id := c.unproved(ids); id != "" {
		return fmt.Errorf("runs end where a claim is violated, and no evidence before proves %s", id)
	}
	return nil
}

// unproved returns a claim other than about termination that the evidence seen so far does not prove, of the
// certificate and of ids, the program's; "" if there is none.
func (c *Certificate) unproved(ids []string) string {
	for i := range c.Claims {
		if cl := &c.Claims[i]; cl.Check != verdict.Termination && !c.proved[cl.ID] {
			return cl.ID
		}
	}
	if i := slices.IndexFunc(ids, func(id string) bool { return !c.proved[id] }); i >= 0 {
		return ids[i]
	}
	return ""
}

// subject names claims in an error.
func subject(claims []*Claim) string {
	if n := len(claims); n > 1 {
		return fmt.Sprintf("%s and %d others", claims[0].ID, n-1)
	}
	return claims[0].ID
}

func (e *Evidence) check(ctx context.Context, c *Certificate, part *ir.Module, wanted map[string]bool, open opener) (
	f *Finding, err error) {
	defer func() { // evidence is anybody's: what no check foresaw is no evidence
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("the evidence makes no sense: %v", r)
		}
	}()
	runs := e.Lasso != nil || e.Ranking != nil || e.Recurrent != nil || e.Refutation != nil && e.Refutation.runs()
	p, err := surround(part, c.Plan, !runs) // termination is asked of main without its host's arguments
	if err != nil {
		return nil, err
	}
	switch {
	case e.Run != nil:
		return e.Run.check(ctx, p)
	case e.Lasso != nil:
		return e.Lasso.check(ctx, p)
	case e.Only != nil:
		return e.Only.check(ctx, p)
	case e.Ranking != nil:
		return e.Ranking.check(ctx, p, c.excludesOverflow)
	case e.Recurrent != nil:
		return e.Recurrent.check(ctx, p)
	case e.Safe != nil:
		return e.Safe.check(ctx, p)
	case e.Refutation != nil:
		f, err := e.Refutation.check(ctx, p, wanted, open)
		if err == nil && e.Refutation.Ends {
			err = c.endsUnviolated(f.Claims)
		}
		return f, err
	}
	return nil, fmt.Errorf("the evidence is of no kind that is known here")
}

// suffices reports whether what evidence shows is what is said of a claim, or more.
func suffices(shown, said verdict.Status) bool {
	return shown == said && said != verdict.Unknown || shown == verdict.Proved && said == verdict.Bounded ||
		said == verdict.Conditional && (shown == verdict.Proved || shown == verdict.Bounded)
}
