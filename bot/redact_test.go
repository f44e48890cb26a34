package bot

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestRedact: secrets of every shape, wherever they stand.
func TestRedact(t *testing.T) {
	r := newRedactor(&keys{webhook: [][]byte{[]byte("hunter2hunter2")}})
	token := "ghs_" + strings.Repeat("A1b2", 10)
	long := "ghs_1042_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMDQyIn0.c2lnbmF0dXJl-x_y" + strings.Repeat("z", 300)
	for name, secret := range map[string]string{
		"installation token": token, "token of the long form": long, "user token": "ghu_" + strings.Repeat("x", 36),
		"personal token":   "github_pat_" + strings.Repeat("x", 60),
		"JWT":              "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjEsImV4cCI6Miwi.c2lnbmF0dXJl",
		"private key":      "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----",
		"webhook secret":   "hunter2hunter2",
		"password in URL":  "x-access-token:" + token,
		"basic credential": "eC1hY2Nlc3MtdG9rZW46Z2hzX2FiYw==",
	} {
		for _, around := range []string{"%", "git: %: failed", "https://%@host/x", `{"a":"%"}`,
			"Authorization: Bearer %\r\n"} {
			text := strings.ReplaceAll(around, "%", secret)
			if got := r.text(text); strings.Contains(got, secret) || strings.Contains(got, secret[len(secret)-8:]) {
				t.Errorf("%s in %q stays: %q", name, around, got)
			}
		}
	}
	for _, plain := range []string{"ring_push writes at offset 8", "see https://example.com/a:b@c", "ghs_ is a prefix",
		strings.Repeat("ab", 40)} {
		if got := r.text(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// TestRedactLog: attributes, groups, errors and inherited attributes are cleaned.
func TestRedactLog(t *testing.T) {
	token := "ghs_" + strings.Repeat("k", 36)
	var b strings.Builder
	log := slog.New(redactHandler{slog.NewJSONHandler(&b, nil), newRedactor(&keys{})})
	log.With("a", token).WithGroup("g").Info("token "+token, "err", errors.New("GET x: "+token),
		slog.Group("h", "b", token, "n", 1), "list", []string{token})
	if out := b.String(); strings.Contains(out, token) || strings.Count(out, "[redacted]") != 5 ||
		!strings.Contains(out, `"n":1`) {
		t.Errorf("log: %s", out)
	}
}
