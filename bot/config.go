// Package bot is the GitHub edge of firmproof: webhooks come in, check runs,
// comments and a dashboard go out. It is the only package that speaks to GitHub.
//
// A webhook is checked, reduced to the fields that we use (Event), recorded
// once, and answered; a job then handles it in one transaction of the store.
// Check runs are published by comparing: a job brings what GitHub shows for a
// run (store.Run) in line with the row, whatever happened before, so a crash,
// a repeated or a lost job does no harm.
package bot

import (
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/sandbox"
)

// Config holds what `firmproof serve` and `firmproof worker` are told.
type Config struct {
	Version     string   // of firmproof, as reports name it
	Listen      string   // host:port
	Data        string   // folder for database, mirrors, work trees
	DB          string   // sqlite:PATH or postgres://...; empty: sqlite in Data
	GitHubURL   string   // of the REST API; empty: https://api.github.com
	AppID       int64    // of the GitHub App
	PrivateKeys []string // PEM files, newest first; each is tried
	SecretFiles []string // webhook secrets, one a file; each is accepted
	PublicURL   string   // where people reach this server; empty: http://Listen
	// of the App, to sign people in; empty: what is private is shown to nobody
	ClientID, ClientSecretFile string
	Metrics                    string           // host:port of the metrics; empty: that of Listen
	Workers                    int              // local verifications at a time; 0: none
	Checker                    pipeline.Checker // nil: `firmproof check` in a process of its own, in the sandbox
	Sandbox                    sandbox.Mode     // empty: required
	RunLimit                   time.Duration    // of one build or verification
	Deadline                   time.Duration    // of a run from its beginning; 0: a day
	// plans, builds and verifications of one repository at a time, each; 0: any number
	RepoLimit  int
	OwnerLimit int   // the same of one owner
	MinFree    int64 // bytes that must be free in Data to begin work
	// program that runs jobs in a sandbox of its own, with its first arguments; empty: bubblewrap
	SandboxCommand string
	// folder or s3:// place of programs, reports and traces, shared by all workers; empty: in Data
	Artifacts string
	// lines of who is told what nights find: a URL, to which it is posted as JSON, as Slack's incoming webhooks take it, or
	// mailto:ADDRESS, with or without a pattern of repositories in front; may be empty
	NoticeFile string
	// smtps://[USER@]HOST[:PORT], or smtp:// for STARTTLS, that takes mail; the sender of it, and a file with USER's password
	MailServer, MailFrom, MailPasswordFile string
	MailRoots                              *x509.CertPool // that vouch for it; nil: the system's
	RedeliverEvery                         time.Duration  // how often failed deliveries are looked for; 0: 5 minutes
	// build pull requests from forks of those who contributed before, too, without approval
	TrustContributors bool
	Drain             time.Duration // how long a stop waits for running work; 0: 20 s
	Log               *slog.Logger  // secrets are removed from everything that is logged
	Local             bool          // allow repositories on this machine's disk (tests)
}

// keys are the loaded secrets.
type keys struct {
	app     []*rsa.PrivateKey
	webhook [][]byte
	client  string // of the App's web flow; may be empty
	notices []told
	mail    string // password at the mail server; may be empty
}

// addresses fills defaults of folders and URLs.
func (c *Config) addresses() error {
	if c.Data == "" {
		return errors.New("serve: --data: a folder is needed")
	}
	if c.DB == "" {
		c.DB = "sqlite:" + filepath.Join(c.Data, "firmproof.db")
	}
	if c.GitHubURL == "" {
		c.GitHubURL = "https://api.github.com"
	}
	u, err := url.Parse(c.GitHubURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("serve: --github-url %q: want a URL such as https://HOST/api/v3", c.GitHubURL)
	}
	c.GitHubURL = strings.TrimSuffix(c.GitHubURL, "/") + "/"
	if c.PublicURL == "" {
		c.PublicURL = "http://" + c.Listen
	}
	c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Data, err = filepath.Abs(c.Data); err != nil {
		return fmt.Errorf("serve: --data: %w", err)
	}
	return nil
}

// prepare fills defaults and reads the secret files.
func (c *Config) prepare() (*keys, error) {
	if err := c.addresses(); err != nil {
		return nil, err
	}
	if c.Sandbox == "" {
		c.Sandbox = sandbox.Required
	}
	if c.RedeliverEvery == 0 {
		c.RedeliverEvery = redeliverEvery
	}
	if c.Drain == 0 {
		c.Drain = 20 * time.Second
	}
	if c.AppID <= 0 {
		return nil, errors.New("serve: --app-id: the number of the GitHub App is needed")
	}
	k, err := readKeys(c.PrivateKeys, c.SecretFiles)
	if err == nil {
		err = c.readTold(k)
	}
	if err != nil || c.ClientID == "" && c.ClientSecretFile == "" {
		return k, err
	}
	if c.ClientID == "" || c.ClientSecretFile == "" {
		return nil, errors.New(
			"serve: --client-id and --client-secret-file belong together: GitHub's settings page of the App has both")
	}
	k.client, err = readSecret("--client-secret-file", c.ClientSecretFile)
	return k, err
}

// readSecret reads a file with a secret, which a flag names.
func readSecret(flag, name string) (string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("serve: %s: %w", flag, err)
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < 8 {
		return "", fmt.Errorf("serve: %s %s: a secret has at least 8 characters", flag, name)
	}
	return secret, nil
}

func readKeys(private, secrets []string) (*keys, error) {
	k := &keys{}
	for _, name := range private {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("serve: --private-key: %w", err)
		}
		key, err := jwt.ParseRSAPrivateKeyFromPEM(text)
		if err != nil {
			return nil, fmt.Errorf("serve: --private-key %s: %w", name, err)
		}
		k.app = append(k.app, key)
	}
	for _, name := range secrets {
		secret, err := readSecret("--webhook-secret-file", name)
		if err != nil {
			return nil, err
		}
		k.webhook = append(k.webhook, []byte(secret))
	}
	if len(k.app) == 0 {
		return nil, errors.New("serve: --private-key: a PEM file of the GitHub App is needed")
	}
	return k, nil
}
