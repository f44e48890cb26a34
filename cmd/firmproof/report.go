package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline"
)

// reportCommand makes the regression report of a repository from the server's store.
func reportCommand() *cobra.Command {
	var place storeFlags
	var format, out string
	var since time.Duration
	cmd := &cobra.Command{
		Use:     "report OWNER/REPO",
		Short:   "Regression report of a repository's default branch, from the server's store",
		Example: `  firmproof report acme/sensor-node --since 168h --data /var/lib/firmproof -o week.md`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := regressionText(cmd.Context(), &place, args[0], time.Now().Add(-since), format)
			if err != nil {
				return err
			}
			if out != "" {
				return os.WriteFile(out, text, 0o644)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	f := cmd.Flags()
	place.add(cmd)
	secondsVar(f, &since, "since", 24*time.Hour, "how far back")
	f.StringVar(&format, "format", "md", "md, html or json")
	f.StringVarP(&out, "output", "o", "", "`file` for the report")
	return cmd
}

func regressionText(ctx context.Context, place *storeFlags, repo string, since time.Time, format string) ([]byte,
	error) {
	st, _, err := place.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }() // it was only read
	r, err := pipeline.Regress(ctx, st, repo, since)
	if err != nil {
		return nil, err
	}
	switch format {
	case "md":
		return []byte(r.Markdown("")), nil
	case "html":
		return r.HTML()
	case "json":
		text, err := json.MarshalIndent(r, "", " ")
		return append(text, '\n'), err
	}
	return nil, fmt.Errorf("--format %q: want md, html or json", format)
}
