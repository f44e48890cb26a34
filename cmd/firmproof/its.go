package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/verifier/termination"
)

func itsCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "its FILE",
		Short: "Termination and complexity of an integer transition system (.koat, .ari, .smt2)",
		Long: `Termination and complexity of an integer transition system in KoAT's format (.koat) or TermComp's (.ari, .smt2).

The proof is printed in words; the last line is YES, NO, MAYBE or WORST_CASE(?,O(n^k)).`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			last, err := termination.RunFile(cmd.Context(), args[0], timeout, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), last)
			return nil
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 25*time.Second, "time limit")
	return cmd
}
