package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"github.com/firmproof/firmproof/bot"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// serverFlags are the flags of serve and worker.
func serverFlags(f *pflag.FlagSet, c *bot.Config, box, config, format *string) {
	f.StringVar(config, "config", "", "YAML `file` with these flags as keys")
	f.StringVar(&c.Data, "data", "firmproof-data", "`folder` for the database, mirrors and work trees")
	f.StringVar(&c.DB, "db", "", "`database`: sqlite:PATH (default, under --data) or postgres://...")
	f.StringVar(&c.GitHubURL, "github-url", "", "`URL` of GitHub's REST API (default https://api.github.com)")
	f.Int64Var(&c.AppID, "app-id", 0, "`number` of the GitHub App")
	f.StringSliceVar(&c.PrivateKeys, "private-key", nil,
		"PEM `file` of the App's private key (repeatable, newest first)")
	f.StringVar(&c.PublicURL, "public-url", "", "`URL` under which people reach this server")
	f.IntVar(&c.Workers, "workers", 2, "verifications at a time (0: none here)")
	f.StringVar(box, "sandbox", string(sandbox.Required), "required, best-effort or off")
	f.StringVar(&c.SandboxCommand, "sandbox-command", "",
		"`program` that runs jobs in a sandbox of its own (gVisor, a micro-VM), with its first arguments; see docs/server.md")
	secondsVar(f, &c.RunLimit, "run-limit", 0, "longest time of one build or verification (default 1h)")
	secondsVar(f, &c.Deadline, "run-deadline", 0, "longest time from the beginning of a run to its end (default 24h)")
	f.IntVar(&c.RepoLimit, "repo-limit", 0, "verifications, and builds, of one repository at a time (0: any number)")
	f.IntVar(&c.OwnerLimit, "owner-limit", 0,
		"verifications, and builds, of one person or organisation at a time (0: any number)")
	f.Int64Var(&c.MinFree, "min-free", 256<<20, "`bytes` that must be free below --data: with less, no work is begun")
	f.StringVar(&c.Artifacts, "artifacts", "",
		"`folder` or s3://HOST/BUCKET/PREFIX for programs, reports and traces; all workers share it (default below --data)")
	f.StringVar(&c.Metrics, "metrics-listen", "",
		"`address` of /metrics, such as 127.0.0.1:9464 (default: that of --listen)")
	f.StringVar(&c.NoticeFile, "notice-file", "",
		"`file` with lines of [OWNER/NAME or OWNER/*] and a URL (Slack's incoming webhooks, or your own) or mailto:ADDRESS that are told what nights find")
	f.StringVar(&c.MailServer, "mail-server", "",
		"`URL` of the server that takes mail: smtps://USER@HOST, or smtp:// for STARTTLS; never without TLS")
	f.StringVar(&c.MailFrom, "mail-from", "", "`address` that mail is from")
	f.StringVar(&c.MailPasswordFile, "mail-password-file", "", "`file` with USER's password at the mail server")
	f.StringVar(format, "log-format", "json", "json or text")
}

func serveCommand() *cobra.Command {
	var c bot.Config
	var setup bool
	var app bot.Setup
	var box, config, format string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the GitHub App: webhooks, queue, workers, dashboard",
		Example: `  firmproof serve --app-id 7 --private-key key.pem --webhook-secret-file secret --public-url https://firmproof.example.org
  firmproof serve --config /etc/firmproof.yml`,
		Long: "Runs the GitHub App. Each flag may also come from the environment (FIRMPROOF_APP_ID, ...) or from --config FILE (YAML); flags win, then the environment.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := serverConfig(cmd, &c, config); err != nil {
				return err
			}
			if setup {
				app.Say = func(address string) {
					fmt.Fprintf(cmd.ErrOrStderr(),
						"Open this address to register the App (it works until that is done):\n  %s\n", address)
				}
				var err error
				if c, err = bot.Register(cmd.Context(), c, app); err != nil {
					return err
				}
			}
			return bot.Serve(cmd.Context(), c)
		},
	}
	serverFlags(cmd.Flags(), &c, &box, &config, &format)
	cmd.Flags().BoolVar(&setup, "setup", false,
		"first serve a page that registers the App at GitHub, and keep its secrets under --data")
	cmd.Flags().StringVar(&app.Name, "app-name", "", "with --setup: `name` of the App, unique at GitHub")
	cmd.Flags().StringVar(&app.Organization, "organization", "",
		"with --setup: `organization` that owns the App; default: you")
	cmd.Flags().StringVar(&c.Listen, "listen", "127.0.0.1:8080", "`address` to listen on")
	cmd.Flags().StringVar(&c.ClientID, "client-id", "",
		"client `id` of the App: people sign in with GitHub to see private repositories")
	cmd.Flags().StringVar(&c.ClientSecretFile, "client-secret-file", "", "`file` with the App's client secret")
	cmd.Flags().BoolVar(&c.TrustContributors, "trust-contributors", false,
		"build pull requests from forks of earlier contributors without approval")
	cmd.Flags().StringSliceVar(&c.SecretFiles, "webhook-secret-file", nil,
		"`file` with a webhook secret (repeatable: each is accepted)")
	return cmd
}

func workerCommand() *cobra.Command {
	var c bot.Config
	var box, config, format string
	cmd := &cobra.Command{
		Use:     "worker",
		Short:   "Run a worker only, for a queue shared by several machines",
		Example: `  firmproof worker --db postgres://db/firmproof --config /etc/firmproof.yml`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := serverConfig(cmd, &c, config); err != nil {
				return err
			}
			return bot.Work(cmd.Context(), c)
		},
	}
	serverFlags(cmd.Flags(), &c, &box, &config, &format)
	return cmd
}

// sandboxInitCommand is the second stage of the sandbox: see pipeline/sandbox.
func sandboxInitCommand() *cobra.Command {
	return &cobra.Command{Use: sandbox.InitCommand, Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return &exitError{code: sandbox.Init(args)}
		}}
}

// serverConfig completes the flags from the environment and the file, and makes the log.
func serverConfig(cmd *cobra.Command, c *bot.Config, config string) error {
	c.Version = version
	if config == "" {
		config = os.Getenv("FIRMPROOF_CONFIG")
	}
	if err := fillFlags(cmd.Flags(), config); err != nil {
		return err
	}
	// the values may have come from elsewhere than the command line
	box, format := cmd.Flag("sandbox").Value.String(), cmd.Flag("log-format").Value.String()
	mode, err := sandbox.ParseMode(box)
	if err != nil {
		return fmt.Errorf("--sandbox: %w", err)
	}
	c.Sandbox = mode
	c.Log, err = newLog(cmd, format, false)
	return err
}

// newLog makes the log of a server, on the command's error output.
func newLog(cmd *cobra.Command, format string, verbose bool) (*slog.Logger, error) {
	o := &slog.HandlerOptions{}
	if verbose {
		o.Level = slog.LevelDebug
	}
	switch format {
	case "json":
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), o)), nil
	case "text":
		return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), o)), nil
	}
	return nil, fmt.Errorf("--log-format %q: want json or text", format)
}

// fillFlags sets flags that the command line does not, from FIRMPROOF_NAME
// variables, then from a YAML file whose keys are flag names.
func fillFlags(flags *pflag.FlagSet, file string) error {
	values, err := configValues(flags, file)
	if err != nil {
		return err
	}
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "help" || f.Name == "config" {
			return
		}
		name := "FIRMPROOF_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if v, ok := os.LookupEnv(name); ok && v != "" {
			if err := flags.Set(f.Name, v); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
			return
		}
		for _, v := range values[f.Name] {
			if err := flags.Set(f.Name, v.Value); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d:%d: %s: %w", file, v.Line, v.Column, f.Name, err))
			}
		}
	})
	return errors.Join(errs...)
}

// configValues reads a YAML file of scalars and lists of scalars.
func configValues(flags *pflag.FlagSet, file string) (map[string][]*yaml.Node, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := map[string][]*yaml.Node{}
	if len(doc.Content) == 0 {
		return out, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d: want keys and values", file, root.Line)
	}
	var known []string
	flags.VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if flags.Lookup(key.Value) == nil {
			return nil, fmt.Errorf("%s:%d:%d: unknown key %q, did you mean %q?", file, key.Line, key.Column, key.Value,
				verdict.Nearest(key.Value, known))
		}
		list := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			list = value.Content
		}
		for _, v := range list {
			if v.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("%s:%d:%d: %s: want a plain value", file, v.Line, v.Column, key.Value)
			}
		}
		out[key.Value] = list
	}
	return out, nil
}
