package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/targets"
)

func targetsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "targets [NAME]",
		Short: "List targets, or print one with its data layout and memory map",
		Example: `  firmproof targets
  firmproof targets cortex-m3`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return targets.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if len(args) == 1 {
				t, err := targets.Load(args[0])
				if err != nil {
					return err
				}
				return t.Print(w)
			}
			for _, n := range targets.Names() {
				t, err := targets.Load(n)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%-14s %s\n", n, t.Description)
			}
			return nil
		},
	}
}
