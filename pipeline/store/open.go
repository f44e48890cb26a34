package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"
)

// OpenPlace is a place that runs violate, by one check, which nobody accepted.
type OpenPlace struct {
	Repo        int64
	Site        Site
	Message     string
	Fingerprint string    // of one of the findings there
	Targets     []string  // that it is violated on
	Since       time.Time // when the default branch had the first of them; zero: not known
}

// Ages counts open places by how long they are there.
type Ages struct{ Day, Week, Month, All int } // at most a day, a week, a month; whatever their age

// Open lists what runs of branches violate, with a word if it is not empty (see Sites), for so many days at least, the oldest
// first, at most limit from the offset-th on; and counts it, whatever its age.
func (t Tx) Open(ctx context.Context, runs []string, word string, days, offset, limit int) ([]OpenPlace, Ages, error) {
	var ages Ages
	if len(runs) == 0 {
		return nil, ages, nil
	}
	type place struct {
		repo int64
		site Site
	}
	at := map[place]*OpenPlace{} // the database would take three times as long to group them
	where, args := hasWord(word, "f.")
	err := t.each(ctx, func(r rows) error {
		p := OpenPlace{Site: Site{Status: "violated"}, Targets: make([]string, 1)}
		var since int64
		err := r.Scan(&p.Repo, &p.Site.File, &p.Site.Line, &p.Site.Rule, &p.Message, &p.Fingerprint, &p.Targets[0], &since)
		p.Since = fromMS(since)
		k := place{p.Repo, p.Site}
		if old := at[k]; old == nil {
			at[k] = &p
		} else {
			if !slices.Contains(old.Targets, p.Targets[0]) {
				old.Targets = append(old.Targets, p.Targets[0])
			}
			if p.Since.Before(old.Since) {
				old.Since, old.Message, old.Fingerprint = p.Since, p.Message, p.Fingerprint
			}
		}
		return err
	}, `SELECT r.repo_id, f.file, f.line, f.rule, f.message, f.fingerprint, f.target, COALESCE(b.first_seen, 0)
		FROM runs r JOIN findings f ON r.id = f.run_id
		LEFT JOIN baselines b ON b.repo_id = r.repo_id AND b.branch = SUBSTR(r.ref, 12) AND b.target = f.target AND b.fingerprint = f.fingerprint
		WHERE r.id IN (`+marks(len(runs))+`) AND f.status = 'violated' AND f.state <> 'suppressed'`+where, append(anys(runs), args...)...)
	list := slices.SortedFunc(maps.Values(at), func(a, b *OpenPlace) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Site.File, b.Site.File),
			cmp.Compare(a.Site.Line, b.Site.Line), cmp.Compare(a.Site.Rule, b.Site.Rule))
	})
	younger := func(days int) int { // how many are
		from := t.Now().AddDate(0, 0, -days)
		n, _ := slices.BinarySearchFunc(list, from, func(p *OpenPlace, at time.Time) int { return p.Since.Compare(at) })
		return len(list) - n
	}
	ages = Ages{younger(1), younger(7), younger(30), len(list)}
	list = list[:len(list)-younger(days)]
	if days == 0 {
		list = list[:ages.All]
	}
	var out []OpenPlace
	for _, p := range list[min(offset, len(list)):min(offset+limit, len(list))] {
		out = append(out, *p)
	}
	return out, ages, err
}
