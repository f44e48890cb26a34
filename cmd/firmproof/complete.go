package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/manifest"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/targets"
)

// completeValues lets the shell complete the values of check's flags.
func completeValues(cmd *cobra.Command) {
	for flag, words := range map[string]func() []string{
		"target": targets.Names, "checks": manifest.CheckWords, "format": reports.FormatNames, "entry": harnessNames,
		"solver":     func() []string { return knownSolvers },
		"stop-after": func() []string { return stagesToStopAfter },
		"dump":       func() []string { return stagesToDump },
		"integers":   func() []string { return []string{"bitvector", "unbounded"} },
		"fail-on":    func() []string { return manifest.FailWords },
		"trace":      func() []string { return []string{"short", "relevant", "all"} },
	} {
		complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return slices.Clone(words()), cobra.ShellCompDirectiveNoFileComp
		}
		if cmd.Flags().Lookup(flag) == nil || cmd.RegisterFlagCompletionFunc(flag, complete) != nil {
			panic("check has no flag --" + flag) // the table is wrong
		}
	}
}

// harnessNames are the entries of the manifest at hand.
func harnessNames() []string {
	var out []string
	if dir, err := manifest.Above("."); err == nil {
		if m, err := manifest.Read(dir); err == nil {
			for _, h := range m.Harnesses {
				out = append(out, h.Entry)
			}
		}
	}
	return out
}
