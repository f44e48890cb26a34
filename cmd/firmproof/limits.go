package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/policy"
)

// limitsCommand prints the limits of the search and the names of its techniques, for who develops them.
func limitsCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "limits",
		Short:  "Print the limits of the search for an answer, and the techniques that check --engines can leave out",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := policy.Limits()
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			group := ""
			for _, l := range list {
				if l.Group != group {
					group = l.Group
					fmt.Fprintf(w, "\n%s\n", group)
				}
				fmt.Fprintf(w, "  %s\t%s\t%s\n", l.Name, l.Value, l.Says)
			}
			fmt.Fprintf(w, "\nTechniques\n")
			for _, n := range verifier.Techniques() {
				fmt.Fprintf(w, "  %s\n", n)
			}
			return w.Flush()
		},
	}
}
