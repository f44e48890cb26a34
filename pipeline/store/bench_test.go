package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// BenchmarkClaim takes and gives back a task of ten repositories' queues: the time
// must not grow with their length.
func BenchmarkClaim(b *testing.B) {
	const repos = 10
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := context.Background()
			st, err := store.Open(ctx, "sqlite:"+filepath.Join(b.TempDir(), "x.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			err = st.Write(ctx, func(tx store.Tx) error {
				for i := range n {
					repo := i%repos + 1
					x := store.Task{Run: fmt.Sprint("r", repo), N: i, Repo: int64(repo),
						Installation: int64(repo%3 + 1), Engine: engine, Priority: 2, Job: "{}"}
					if err := tx.AddTask(ctx, x); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				err := st.Write(ctx, func(tx store.Tx) error {
					list, err := tx.ClaimTasks(ctx, "w", engine, time.Minute, store.Limits{})
					if err != nil {
						return err
					}
					x := list[0]
					if _, err := tx.OpenTasks(ctx, x.Run); err != nil {
						return err
					}
					_, err = tx.RequeueTask(ctx, x.ID, "w", 0, true, "")
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
