package main

import (
	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/bot/fakegithub"
)

func fakegithubCommand() *cobra.Command {
	var o fakegithub.Options
	var format string
	var verbose bool
	cmd := &cobra.Command{
		Use:     "fakegithub",
		Short:   "An offline stand-in for GitHub, to try the whole bot on one machine",
		Example: `  firmproof fakegithub --listen 127.0.0.1:8090 --deliver-to http://127.0.0.1:8080/webhook`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Log, err = newLog(cmd, format, verbose); err != nil {
				return err
			}
			return fakegithub.Run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "log-format", "text", "json or text")
	f.BoolVar(&verbose, "verbose", false, "log each call of the API, too")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8081", "address to listen on")
	f.StringVar(&o.Dir, "data", "fakegithub-data", "folder for repositories, keys and app.json")
	f.StringVar(&o.DeliverTo, "deliver-to", "http://127.0.0.1:8080/webhook", "where webhooks go")
	return cmd
}
