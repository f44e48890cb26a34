package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestOpen: what is open over all repositories is a place once, whatever the targets, the oldest first, without what was
// accepted or is unknown, and by age, word and part.
func TestOpen(t *testing.T) {
	each(t, func(t *testing.T, st *store.Store) {
		var ids []string
		for repo := range int64(2) {
			for _, target := range []string{"avr", "i386"} {
				ids = append(ids, addRun(t, st, store.Run{Repo: repo + 1, HeadSHA: "h", Ref: "refs/heads/main", Target: target}))
			}
		}
		write(t, st, func(ctx context.Context, tx store.Tx) error {
			for i, id := range ids {
				repo, target := int64(i/2+1), []string{"avr", "i386"}[i%2]
				if err := tx.PutRepo(ctx, store.Repo{ID: repo, Installation: 1, FullName: fmt.Sprintf("acme/r%d", repo), DefaultBranch: "main", Active: true}); err != nil {
					return err
				}
				found := map[string]string{}
				for j, state := range []string{"", "introduced", "suppressed", ""} {
					f := store.Finding{Run: id, Fingerprint: fmt.Sprintf("%s-%d-%d", target, repo, j), Claim: fmt.Sprintf("memory@f#%d", j), Rule: "memory",
						Target: target, File: "a.c", Line: j + 1, Message: fmt.Sprintf("index %d", j), Status: "violated", State: state}
					if j == 3 {
						f.Status = "unknown"
					}
					if found[f.Fingerprint] = f.Claim; tx.PutFinding(ctx, f) != nil {
						return fmt.Errorf("finding %+v", f)
					}
				}
				if err := tx.SetBaseline(ctx, repo, "main", target, "h", id, found, nil); err != nil {
					return err
				}
			}
			return nil
		})
		const tenDaysAgo = `UPDATE baselines SET first_seen = first_seen - 864000000 WHERE fingerprint = 'avr-2-1'`
		var err error
		if db := st.SQLite(); db != nil {
			_, err = db.Exec(tenDaysAgo)
		} else {
			_, err = st.Postgres().Exec(context.Background(), tenDaysAgo)
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, st, func(ctx context.Context, tx store.Tx) error {
			list, ages, err := tx.Open(ctx, ids, "", 0, 0, 10)
			if want := (store.Ages{Day: 3, Week: 3, Month: 4, All: 4}); ages != want || err != nil {
				t.Errorf("ages %+v, want %+v: %v", ages, want, err)
			}
			if len(list) != 4 || list[0].Repo != 2 || list[0].Site.Line != 2 || len(list[0].Targets) != 2 || list[0].Message != "index 1" || err != nil {
				t.Errorf("all: %+v %v", list, err)
			}
			for _, c := range []struct {
				word                   string
				days, from, most, want int
			}{{"INDEX 0", 0, 0, 10, 2}, {"index_", 0, 0, 10, 0}, {"", 5, 0, 10, 1}, {"", 0, 3, 10, 1}, {"", 0, 0, 3, 3}} {
				if list, _, err := tx.Open(ctx, ids, c.word, c.days, c.from, c.most); len(list) != c.want || err != nil {
					t.Errorf("%+v: %+v %v", c, list, err)
				}
			}
			return nil
		})
	})
}
