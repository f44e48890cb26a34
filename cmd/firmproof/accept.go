package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// acceptedFor is how long an acceptance holds that says no day, as in comments on pull requests.
const acceptedFor = 90 * 24 * time.Hour

// acceptCommand writes into `suppress` of the manifest what a comment on a pull request keeps in the server's store.
func acceptCommand() *cobra.Command {
	var dir, by string
	cmd := &cobra.Command{
		Use:   "accept CLAIM [until DAY] because REASON",
		Short: "Accept a finding: an entry of `suppress` in the manifest",
		Long: `Accept a finding: it keeps its status and does not count, until a day such as 2027-01-31 (for 90 days, unless
said). The entry is written into the manifest, under suppress; unaccept takes it out, list shows all. CLAIM is the ID
that reports show.`,
		Example: `  firmproof accept memory@ring_push#2 because the caller holds the lock
  firmproof accept 'assert@crc#72c807' until 2027-01-31 because mended in the next release`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := acceptance(args, time.Now())
			if err != nil {
				return err
			}
			s.By = cmp.Or(by, whoami())
			if err := editManifest(dir, func(file string, text []byte) ([]byte, error) {
				return manifest.AcceptIn(file, text, s)
			}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is accepted until %s, because: %s\n", s.Claim, s.Until.Format(manifest.Day),
				s.Reason)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "`folder` of the manifest, or below it")
	cmd.Flags().StringVar(&by, "by", "", "`name` of who decides it (default: git's user.name)")
	return cmd
}

func unacceptCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:               "unaccept CLAIM",
		Short:             "Let a finding count again that the manifest accepts",
		Example:           `  firmproof unaccept memory@ring_push#2`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: acceptedClaims,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := editManifest(dir, func(file string, text []byte) ([]byte, error) {
				text, was, err := manifest.UnacceptIn(file, text, args[0])
				if err == nil && !was {
					err = fmt.Errorf("%s accepts no %s (`firmproof list` shows what it accepts; what comments on pull "+
						"requests accepted is taken back there)", file, args[0])
				}
				return text, err
			}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s counts again\n", args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "`folder` of the manifest, or below it")
	return cmd
}

func listCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what the manifest accepts: why, by whom and until when",
		Example: `  firmproof list`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, text, err := manifestText(dir)
			if err != nil {
				return err
			}
			m, err := manifest.Parse(file, text)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if len(m.Suppress) == 0 {
				fmt.Fprintf(out, "%s accepts nothing.\n", file)
			}
			for _, s := range m.Suppress {
				until := "no end"
				switch {
				case s.Until.IsZero():
				case s.Until.After(time.Now()):
					until = "until " + s.Until.Format(manifest.Day)
				default:
					until = "ended on " + s.Until.Format(manifest.Day)
				}
				fmt.Fprintf(out, "%s  %s  %s: %s\n", s.Claim, until, cmp.Or(s.By, "nobody named"), s.Reason)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "`folder` of the manifest, or below it")
	return cmd
}

// acceptance reads the words of a comment: CLAIM [until DAY] because REASON.
func acceptance(words []string, now time.Time) (manifest.Suppression, error) {
	s := manifest.Suppression{Claim: words[0], Until: now.Add(acceptedFor).UTC().Truncate(24 * time.Hour)}
	rest := words[1:]
	if len(rest) >= 2 && rest[0] == "until" {
		day, err := time.Parse(manifest.Day, rest[1])
		if err != nil || !day.After(now) {
			return s, fmt.Errorf("%q is no day in the future, such as %s", rest[1], s.Until.Format(manifest.Day))
		}
		s.Until, rest = day, rest[2:]
	}
	if len(rest) > 0 && rest[0] == "because" {
		s.Reason = strings.TrimSpace(strings.Join(rest[1:], " "))
	}
	if s.Reason == "" {
		return s, errors.New("it is written `firmproof accept CLAIM [until DAY] because REASON`")
	}
	return s, nil
}

// manifestText reads the manifest of a project as it is written.
func manifestText(dir string) (file string, text []byte, err error) {
	if dir, err = manifest.Above(dir); err != nil {
		return "", nil, err
	}
	if file, err = manifest.Find(dir); err != nil {
		return "", nil, err
	}
	text, err = os.ReadFile(file)
	return file, text, err
}

// editManifest puts what edit gives into the place of the manifest's text. The file keeps its mode.
func editManifest(dir string, edit func(file string, text []byte) ([]byte, error)) error {
	file, text, err := manifestText(dir)
	if err != nil {
		return err
	}
	if text, err = edit(file, text); err != nil {
		return err
	}
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, st.Mode().Perm())
}

// whoami is the name that git commits under, or else the user's.
func whoami() string {
	out, err := exec.Command("git", "config", "user.name").Output()
	if name := strings.TrimSpace(string(out)); err == nil && name != "" {
		return name
	}
	return os.Getenv("USER")
}

// acceptedClaims completes the claims that the manifest accepts.
func acceptedClaims(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if dir, err := manifest.Above("."); err == nil {
		if m, err := manifest.Read(dir); err == nil {
			for _, s := range m.Suppress {
				out = append(out, s.Claim)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
