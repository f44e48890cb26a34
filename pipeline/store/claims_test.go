package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// BenchmarkClaimsAtOnce takes tasks of a hundred repositories from PostgreSQL that past times call long, one at a time, by
// several workers beside each other: what is done outside of the lock of claims is done at once.
func BenchmarkClaimsAtOnce(b *testing.B) {
	for _, workers := range []int{1, 2, 4} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			ctx := context.Background()
			st, err := store.Open(ctx, pgtest.Start(b))
			if err != nil {
				b.Fatal(err)
			}
			defer st.Close()
			if err := st.Write(ctx, func(tx store.Tx) error {
				for i := range b.N {
					repo := int64(i%100) + 1
					if err := tx.AddTask(ctx, store.Task{Run: fmt.Sprint("r", repo), N: i, Repo: repo, Installation: repo % 10,
						Engine: engine, Priority: 2, Job: "{}", Expected: time.Minute}); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			var taken atomic.Int64
			var all sync.WaitGroup
			for i := range workers {
				all.Go(func() {
					for {
						err := st.Write(ctx, func(tx store.Tx) error {
							list, err := tx.ClaimTasks(ctx, fmt.Sprint("w", i), engine, time.Minute, store.Limits{})
							taken.Add(int64(len(list)))
							return err
						})
						if errors.Is(err, store.ErrNotFound) {
							return
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			all.Wait()
			if int(taken.Load()) != b.N {
				b.Errorf("%d of %d tasks were taken", taken.Load(), b.N)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "claims/s")
		})
	}
}
