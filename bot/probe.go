package bot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
)

// Finding is one line of a look at a configuration.
type Finding struct {
	OK     bool
	What   string // credentials, app, permissions, ...
	Detail string // what was found
	Remedy string // what to do; empty when OK
}

// needs are the rights that the bot uses, and what for (the manual's table).
var needs = [...]struct{ Right, Level, Use string }{
	{"checks", "write", "check runs"}, {"contents", "read", "clones"}, {"issues", "write", "replies to comments"},
	{"metadata", "read", "everything"},
	{"pull_requests", "write", "reactions and diffs"}, {"security_events", "write", "code scanning alerts"},
}

// Probe checks the credentials of a configuration: files that only their owner
// may read, keys that GitHub accepts, rights and events of the App, a webhook
// address that answers. It changes nothing at GitHub.
func Probe(ctx context.Context, cfg Config) []Finding {
	if cfg.Data == "" {
		cfg.Data = "." // not used here, but wanted
	}
	var out []Finding
	for _, f := range slices.Concat(cfg.PrivateKeys, cfg.SecretFiles) {
		out = append(out, private(f))
	}
	k, err := cfg.prepare()
	if err != nil {
		return append(out, Finding{false, "credentials", err.Error(),
			"give --app-id, --private-key and --webhook-secret-file as GitHub's settings page of the App has them"})
	}
	if len(k.webhook) == 0 {
		out = append(out, Finding{false, "webhook secret", "none",
			"give --webhook-secret-file: without it no webhook is accepted"})
	}
	a, err := newApp(&cfg, k, newTransport(newMetrics()))
	if err != nil {
		return append(out, Finding{false, "github", err.Error(), "mend --github-url"})
	}
	return append(out, a.probe(ctx, &cfg)...)
}

// private says whether a secret file is for its owner alone.
func private(name string) Finding {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return Finding{false, "secret file", err.Error(), "give the path of an existing file"}
	case !st.Mode().IsRegular():
		return Finding{false, "secret file", name + " is not a regular file", "give the path of a file"}
	case st.Mode().Perm()&0o077 != 0:
		return Finding{false, "secret file", fmt.Sprintf("%s has mode %04o: others may read it", name,
			st.Mode().Perm()), "chmod 600 " + name}
	}
	return Finding{true, "secret file", fmt.Sprintf("%s, mode %04o", name, st.Mode().Perm()), ""}
}

// probe asks GitHub what it knows of the App, with each key.
func (a *app) probe(ctx context.Context, cfg *Config) []Finding {
	var out []Finding
	var known *github.App
	var client *github.Client
	for i, key := range a.keys {
		c := a.asApp(key)
		got, _, err := c.Apps.Get(ctx, "")
		if err != nil {
			out = append(out, Finding{false, "private key", fmt.Sprintf("%s: %s", cfg.PrivateKeys[i], reason(err)),
				refusal(err)})
			continue
		}
		known, client = got, c
		out = append(out, Finding{true, "private key", fmt.Sprintf("%s is accepted for %s (App %d)",
			cfg.PrivateKeys[i], got.GetName(), got.GetID()), ""})
	}
	if known == nil {
		return out
	}
	out = append(out, permissions(known.GetPermissions()), subscribed(known.Events))
	hook, _, err := client.Apps.GetHookConfig(ctx)
	if err != nil {
		return append(out, Finding{false, "webhook", reason(err), "set a webhook URL in the App's settings"})
	}
	return append(out, reach(ctx, hook.GetURL()))
}

// reason is an error of go-github without the request's URL and headers.
func reason(err error) string {
	var e *github.ErrorResponse
	if errors.As(err, &e) && e.Response != nil {
		return fmt.Sprintf("GitHub answers %d: %s", e.Response.StatusCode, e.Message)
	}
	return err.Error()
}

func refusal(err error) string {
	var e *github.ErrorResponse
	if !errors.As(err, &e) || e.Response == nil {
		return "check --github-url, the network and the proxy"
	}
	switch e.Response.StatusCode {
	case http.StatusUnauthorized:
		return "the key belongs to another App or was deleted, or this machine's clock is wrong: make a new key in the App's settings"
	case http.StatusNotFound:
		return "no such App at this server: check --app-id and --github-url"
	}
	return "try again later"
}

// permissions compares the App's rights with what the bot needs.
func permissions(p *github.InstallationPermissions) Finding {
	have := map[string]string{"checks": p.GetChecks(), "contents": p.GetContents(), "issues": p.GetIssues(),
		"metadata":      p.GetMetadata(),
		"pull_requests": p.GetPullRequests(), "security_events": p.GetSecurityEvents()}
	rank := map[string]int{"": 0, "read": 1, "write": 2, "admin": 3}
	var all, missing []string
	for _, n := range needs {
		all = append(all, n.Right+":"+n.Level)
		if rank[have[n.Right]] < rank[n.Level] {
			missing = append(missing, fmt.Sprintf("%s:%s (for %s)", n.Right, n.Level, n.Use))
		}
	}
	if len(missing) > 0 {
		return Finding{false, "permissions", "missing " + strings.Join(missing, ", "),
			"add them in the App's settings under Permissions; each installation has to accept the change"}
	}
	return Finding{true, "permissions", strings.Join(all, ", "), ""}
}

func subscribed(have []string) Finding {
	var missing []string
	for _, e := range subscriptions(required) {
		if !slices.Contains(have, e) {
			missing = append(missing, e)
		}
	}
	if len(missing) > 0 {
		return Finding{false, "events", "not subscribed to " + strings.Join(missing, ", "),
			"subscribe to them in the App's settings under Permissions & events"}
	}
	return Finding{true, "events", strings.Join(subscriptions(required), ", "), ""}
}

// reach asks the webhook's address. A webhook refuses a GET, and that is an answer.
func reach(ctx context.Context, address string) Finding {
	const remedy = "start `firmproof serve`, let the proxy pass /webhook on to it, or mend the URL in the App's settings"
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Finding{false, "webhook", fmt.Sprintf("%q is no URL", address),
			"set a webhook URL in the App's settings"}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Finding{false, "webhook", err.Error(), remedy}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return Finding{false, "webhook", "not reachable from this machine: " + err.Error(), remedy}
	}
	if err := resp.Body.Close(); err != nil {
		return Finding{false, "webhook", err.Error(), remedy}
	}
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode >= 500 {
		return Finding{false, "webhook", fmt.Sprintf("%s answers %s", address, resp.Status), remedy}
	}
	return Finding{true, "webhook", address + " answers", ""}
}
