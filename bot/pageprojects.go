package bot

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/reports"
)

// projectsPage is the data of the page of all repositories that the viewer may see, or of one owner's: what is open, for
// how long, what is proved, and how much of the code that is.
type projectsPage struct {
	Owner, Word      string
	Days             int      // how old findings are at least
	Owners           []string // of all repositories of the viewer
	Repos            []listedRepo
	Share            share
	Proved           int // of 100 claims
	Counts           map[string]int
	Ages             store.Ages
	Fixed            int // findings in a week, by what runs say
	Trend            []reports.Plot
	Rows             []projectFinding
	More             int // repositories that the page leaves out
	Login            string
	CanSignIn        bool
	Functions, Lines string // how much of the code, in words
	section
}

// projectFinding is a place that is violated, with its repository.
type projectFinding struct {
	store.OpenPlace
	Repo string
	Age  string
}

// trendDays is how far back the trend of all projects goes.
const trendDays = 30

func (p *pages) projects(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	q := r.URL.Query()
	d := projectsPage{Owner: q.Get("owner"), Word: q.Get("q"), CanSignIn: p.s.signIn != nil}
	if n, err := strconv.Atoi(q.Get("days")); err == nil && n > 0 && n < 10_000 {
		d.Days = n
	}
	repos, _, who, unasked, err := p.visible(ctx, r)
	d.Login = who.login
	for _, x := range repos {
		if owner, _, _ := strings.Cut(x.FullName, "/"); !slices.Contains(d.Owners, owner) {
			d.Owners = append(d.Owners, owner)
		}
	}
	if d.Owner != "" {
		repos = slices.DeleteFunc(repos, func(x store.Repo) bool {
			owner, _, _ := strings.Cut(x.FullName, "/")
			return !strings.EqualFold(owner, d.Owner)
		})
	}
	left := max(0, len(repos)-reposShown)
	repos, d.More = repos[:len(repos)-left], left+unasked
	p.show(w, r, "projects", func(ctx context.Context, tx store.Tx) (any, error) {
		if err != nil {
			return nil, err
		}
		done, err := p.turn(ctx) // it counts all findings
		if err != nil {
			return nil, err
		}
		defer done()
		return d, d.fill(ctx, tx, repos, from(r))
	})
}

// fill reads how the repositories stand, and their findings from the first-th on.
func (d *projectsPage) fill(ctx context.Context, tx store.Tx, repos []store.Repo, first int) error {
	var now []store.Run
	var histories [][]store.Run
	names := map[int64]string{}
	week := tx.Now().AddDate(0, 0, -7)
	for _, x := range repos {
		row, runs, err := listed(ctx, tx, x)
		if err != nil {
			return err
		}
		names[x.ID], d.Repos, histories = x.FullName, append(d.Repos, row), append(histories, runs)
		now = append(now, latest(runs)...)
		for _, run := range runs {
			if run.Finished.After(week) {
				d.Fixed += run.Counts["fixed"]
			}
		}
	}
	d.Share, d.Counts = shareOf(now), countsOf(now)
	d.Proved = d.Share.proved()
	d.Functions = ofAll(d.Counts, pipeline.CountProved, pipeline.CountFunctions)
	d.Lines = ofAll(d.Counts, pipeline.CountReached, pipeline.CountLines)
	d.Trend = trendOfAll(histories, tx.Now())
	open, ages, err := tx.Open(ctx, idsOf(now), d.Word, d.Days, first, sitesShown+1)
	if err != nil {
		return err
	}
	d.Ages = ages
	d.section = sectionAt(first, sitesShown, len(open))
	for _, o := range open[:min(len(open), sitesShown)] {
		f := projectFinding{OpenPlace: o, Repo: names[o.Repo]}
		if !o.Since.IsZero() {
			f.Age = ageOf(tx.Now().Sub(o.Since))
		}
		d.Rows = append(d.Rows, f)
	}
	return nil
}

// ofAll words a part of what counts have; empty where they have none.
func ofAll(counts map[string]int, part, all string) string {
	if counts[all] == 0 {
		return ""
	}
	return strconv.Itoa(counts[part]) + " of " + strconv.Itoa(counts[all])
}

// trendOfAll plots what the newest runs of all repositories and targets violate and prove on each day. histories are the
// runs of each repository, oldest first.
func trendOfAll(histories [][]store.Run, now time.Time) []reports.Plot {
	days := make([]store.Run, trendDays+1)
	for i := range days {
		days[i] = store.Run{Finished: now.AddDate(0, 0, i-trendDays), Counts: map[string]int{}}
	}
	for _, runs := range histories {
		last, k := map[string]*store.Run{}, 0 // by target
		for i := range days {
			for ; k < len(runs) && !runs[k].Finished.After(days[i].Finished); k++ {
				last[runs[k].Target] = &runs[k]
			}
			for _, r := range last {
				for status, n := range r.Counts {
					days[i].Counts[status] += n
				}
			}
		}
	}
	if len(days[trendDays-1].Counts) == 0 {
		return nil // there is nothing before today
	}
	return []reports.Plot{measures[0].plot(days), measures[2].plot(days)}
}
