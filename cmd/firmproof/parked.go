package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/store"
)

// parkedCommand shows the verifications that the service gave up.
func parkedCommand() *cobra.Command {
	var place storeFlags
	var n int
	cmd := &cobra.Command{
		Use:     "parked",
		Short:   "List the verifications that a server gave up because of faults of its own, with their logs",
		Example: `  firmproof parked --data /var/lib/firmproof`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, _, err := place.open(cmd.Context())
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }() // it was only read
			return st.Read(cmd.Context(), func(tx store.Tx) error {
				list, err := tx.ParkedTasks(cmd.Context(), n)
				if err == nil && len(list) == 0 {
					fmt.Fprintln(cmd.OutOrStdout(), "nothing was given up")
				}
				for _, t := range list {
					fmt.Fprintf(cmd.OutOrStdout(), "%s  run %s  %s on %s, %d tries\n  %s\n",
						t.Finished.Format(time.RFC3339), t.Run, t.Entry, t.Target, t.Tries,
						strings.ReplaceAll(strings.TrimSpace(t.Log), "\n", "\n  "))
				}
				return err
			})
		},
	}
	place.add(cmd)
	cmd.Flags().IntVarP(&n, "number", "n", 50, "at most so many, newest first")
	return cmd
}
