package bot

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// badgeText is the text and the colour of a badge; pages show the sign, in the colour of the class.
type badgeText struct{ Text, Colour, Sign, Class string }

// badgeSVG has attributes only: the policy of our pages allows no styles inside.
var badgeSVG = template.Must(template.New("").Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="20" role="img" aria-label="firmproof: {{.Text}}"><title>firmproof: {{.Text}}</title>` +
		`<rect width="{{.Width}}" height="20" rx="3" fill="#454b54"/><path d="M70 0h{{.Rest}}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H70z" fill="{{.Colour}}"/>` +
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="35" y="14">firmproof</text><text x="{{.Middle}}" y="14">{{.Text}}</text></g></svg>`))

// badge answers with a picture of how the default branch of a repository stands. Who may not see the repository
// gets what is not there.
func (p *pages) badge(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	repo, err := p.s.admitted(ctx, r, store.TokenBadge, byName(r))
	var runs []store.Run
	if err == nil {
		err = p.s.store.Read(ctx, func(tx store.Tx) (err error) {
			runs, err = tx.StandingRuns(ctx, repo.ID, "refs/heads/"+repo.DefaultBranch)
			return err
		})
	}
	if err != nil {
		if !isHidden(err) && !errors.Is(err, errToken) {
			p.s.log.Warn("badge", "path", r.URL.Path, "err", err)
		}
		plain(w, http.StatusNotFound, "There is nothing here.")
		return
	}
	b := standing(runs)
	const left, perLetter = 70, 7
	rest := len(b.Text)*perLetter + 10
	guard(w, "image/svg+xml")
	w.Header().Set("Cache-Control", "no-cache") // forges keep pictures that may be kept
	_ = badgeSVG.Execute(w, struct {
		badgeText
		Width, Rest, Middle int
	}{b, left + rest, rest - 3, left + rest/2}) // the reader has gone if this fails
}

// standing sums up the last run of each target; runs are sorted from the oldest on.
func standing(runs []store.Run) badgeText {
	n := countsOf(latest(runs))
	switch {
	case n["violated"] > n["suppressed"]:
		return badgeText{fmt.Sprintf("%d violated", n["violated"]-n["suppressed"]), "#b3202a", "✗", "violated"}
	case n["unknown"] > 0:
		return badgeText{fmt.Sprintf("%d proved, %d open", n["proved"], n["unknown"]), "#855600", "?", "unknown"}
	case n["suppressed"] > 0:
		return badgeText{fmt.Sprintf("%d proved, %d accepted", n["proved"], n["suppressed"]), "#6639ba", "✎", "accepted"}
	case n["conditional"] > 0:
		return badgeText{fmt.Sprintf("%d proved, %d conditional", n["proved"], n["conditional"]), "#6639ba", "◇",
			"conditional"}
	case n["bounded"] > 0:
		return badgeText{fmt.Sprintf("%d proved, %d up to bounds", n["proved"], n["bounded"]), "#0a5cc2", "≤",
			"bounded"}
	case n["proved"] > 0:
		return badgeText{fmt.Sprintf("%d proved", n["proved"]), "#1a6f33", "✓", "proved"}
	}
	return badgeText{"no answer yet", "#57606a", "–", "dim"}
}
