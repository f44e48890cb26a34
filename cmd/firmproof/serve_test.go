package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/firmproof/firmproof/bot"
)

// TestFillFlags: the command line wins over the environment, and that over the file.
func TestFillFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yml")
	if err := os.WriteFile(file, []byte("app-id: 1\nworkers: 7\nprivate-key: [a.pem, b.pem]\ndata: fromfile\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FIRMPROOF_WORKERS", "5")
	t.Setenv("FIRMPROOF_DATA", "fromenv")
	var c bot.Config
	var box, config, format string
	f := pflag.NewFlagSet("x", pflag.ContinueOnError)
	serverFlags(f, &c, &box, &config, &format)
	if err := f.Parse([]string{"--workers", "3"}); err != nil {
		t.Fatal(err)
	}
	if err := fillFlags(f, file); err != nil {
		t.Fatal(err)
	}
	if c.Workers != 3 || c.Data != "fromenv" || c.AppID != 1 || strings.Join(c.PrivateKeys, " ") != "a.pem b.pem" {
		t.Errorf("got %+v", c)
	}
	for text, want := range map[string]string{"app-idd: 1\n": `:1:1: unknown key "app-idd", did you mean "app-id"?`,
		"app-id: x\n": ":1:9: app-id", "db: {a: b}\n": "plain value"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := pflag.NewFlagSet("x", pflag.ContinueOnError)
		serverFlags(f, &bot.Config{}, &box, &config, &format)
		if err := fillFlags(f, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
