package store

import (
	"context"
	"time"
)

// OpenPlace is a place that runs violate, by one check, which nobody accepted.
type OpenPlace struct {
	Repo        int64
	Site        Site
	Message     string
	Fingerprint string    // of one of the findings there
	Targets     int       // that it is violated on
	Since       time.Time // when the default branch had the first of them; zero: not known
}

// Ages counts open places by how long they are there.
type Ages struct{ Day, Week, Month, All int } // at most a day, a week, a month; whatever their age

// openPlaces are the places of some runs, with the time since when.
func openPlaces(runs []string, word string) (query string, args []any) {
	where, more := hasWord(word, "f.")
	return `SELECT r.repo_id AS repo, f.file AS file, f.line AS line, f.rule AS rule, MIN(f.message) AS message, MIN(f.fingerprint) AS fingerprint,
		COUNT(DISTINCT f.target) AS targets, COALESCE(MIN(b.first_seen), 0) AS since FROM findings f JOIN runs r ON r.id = f.run_id JOIN repos p ON p.id = r.repo_id
		LEFT JOIN baselines b ON b.repo_id = r.repo_id AND b.branch = p.default_branch AND b.target = f.target AND b.fingerprint = f.fingerprint
		WHERE f.run_id IN (` + marks(len(runs)) + `) AND f.status = 'violated' AND f.state <> 'suppressed'` + where +
		` GROUP BY r.repo_id, f.file, f.line, f.rule`, append(anys(runs), more...)
}

// OpenAges counts what runs violate, with a word if it is not empty (see Sites).
func (t Tx) OpenAges(ctx context.Context, runs []string, word string) (a Ages, err error) {
	if len(runs) == 0 {
		return a, nil
	}
	places, args := openPlaces(runs, word)
	ago := func(days int) any { return toMS(t.Now().AddDate(0, 0, -days)) }
	err = t.one(ctx, []any{&a.Day, &a.Week, &a.Month, &a.All}, `SELECT COALESCE(SUM(CASE WHEN since >= ? THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN since >= ? THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN since >= ? THEN 1 ELSE 0 END), 0), COUNT(*) FROM (`+places+`) x`,
		append([]any{ago(1), ago(7), ago(30)}, args...)...)
	return a, err
}

// Open lists what runs violate, with a word if it is not empty, for so many days at least, the oldest first, at most limit
// from the offset-th on.
func (t Tx) Open(ctx context.Context, runs []string, word string, days, offset, limit int) (out []OpenPlace, err error) {
	if len(runs) == 0 {
		return nil, nil
	}
	places, args := openPlaces(runs, word)
	err = t.each(ctx, func(r rows) error {
		p := OpenPlace{Site: Site{Status: "violated"}}
		var since int64
		err := r.Scan(&p.Repo, &p.Site.File, &p.Site.Line, &p.Site.Rule, &p.Message, &p.Fingerprint, &p.Targets, &since)
		p.Since = fromMS(since)
		out = append(out, p)
		return err
	}, `SELECT repo, file, line, rule, message, fingerprint, targets, since FROM (`+places+`) x WHERE since <= ? ORDER BY since, repo, file, line, rule LIMIT ? OFFSET ?`,
		append(args, toMS(t.Now().AddDate(0, 0, -days)), limit, offset)...)
	return out, err
}
