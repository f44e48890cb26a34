package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/verifier/verdict"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CHECK]",
		Short: "What a check means, why it matters, a bad and a good example",
		Example: `  firmproof explain
  firmproof explain signed-overflow`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return allCheckNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w := cmd.OutOrStdout()
			if len(args) == 0 {
				for _, p := range verdict.Properties() {
					fmt.Fprintf(w, "%-18s %s%s\n", p.Check, p.Title, onByDefault(p))
				}
				return nil
			}
			name, _, _ := strings.Cut(args[0], "@") // a claim's id explains its check
			p, ok := verdict.Lookup(name)
			if !ok {
				return fmt.Errorf("unknown check %q%s (`firmproof explain` lists all)", name, verdict.Meant(name, allCheckNames()))
			}
			explain(w, p)
			return nil
		},
	}
}

func allCheckNames() []string {
	var names []string
	for _, p := range verdict.Properties() {
		names = append(names, string(p.Check))
	}
	return names
}

func onByDefault(p verdict.Property) string {
	if p.Default {
		return ""
	}
	return "  (only when asked for)"
}

func explain(w io.Writer, p verdict.Property) {
	fmt.Fprintf(w, "%s: %s%s\n\n%s\n", p.Check, p.Title, onByDefault(p), p.Meaning)
	if p.Bad != "" {
		fmt.Fprintf(w, "\n  bad:   %s\n  good:  %s\n", p.Bad, p.Good)
	}
	var refs []string
	for _, r := range []struct{ label, id string }{{"", p.CWE}, {"MISRA C:2012 ", p.MISRA}, {"CERT C ", p.CERT}} {
		if r.id != "" {
			refs = append(refs, r.label+r.id)
		}
	}
	if len(refs) > 0 {
		fmt.Fprintf(w, "\nSee also: %s\n", strings.Join(refs, ", "))
	}
}
