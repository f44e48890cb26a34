package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/bot/fakegithub"
	"github.com/firmproof/firmproof/targets/llvm"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

func doctorRun(args ...string) (int, string) {
	var out bytes.Buffer
	code := runWith(append([]string{"doctor"}, args...), &out, &out)
	return code, out.String()
}

func wantAll(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in:\n%s", w, text)
		}
	}
}

// TestDoctorMachine: the machine of the tests has what is needed; a folder that is a file has to be mended.
func TestDoctorMachine(t *testing.T) {
	dir := t.TempDir()
	code, text := doctorRun("--data", filepath.Join(dir, "new", "data"))
	if code != exitOK {
		t.Errorf("exit %d", code)
	}
	tools := llvmtest.Tools(t)
	wantAll(t, text, "ok  "+tools.Clang, "ok  "+tools.Link, "ok  cadical", "ok  data folder", "sandbox bubblewrap",
		"sandbox user")
	if !strings.Contains(text, "ok  sandbox bubblewrap") {
		t.Log("no bubblewrap on this machine:\n" + text)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left something behind: %v %v", entries, err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, text = doctorRun("--data", file)
	if code != exitUsage {
		t.Errorf("exit %d", code)
	}
	wantAll(t, text, "!!  data folder", "is no folder", "1 to mend")
}

// TestDoctorMissing: what is not there is named with its package.
func TestDoctorMissing(t *testing.T) {
	var out bytes.Buffer
	d := &doctor{ctx: t.Context(), out: &out, look: func(string) (string, error) { return "", errors.New("none") },
		find: func() (llvm.Tools, error) { return llvm.Versioned(14), nil }}
	d.toolchain()
	d.emulators()
	wantAll(t, out.String(), "!!  clang-14", "apt-get install clang-14", "apt-get install llvm-14",
		"--  qemu-system-arm")
	if d.bad != 6 {
		t.Errorf("%d bad", d.bad)
	}
}

// TestDoctorCredentials: an App that is right, then one whose secrets are open, whose key is wrong, whose webhook is dead.
func TestDoctorCredentials(t *testing.T) {
	dir := t.TempDir()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	fake, err := fakegithub.New(fakegithub.Options{Dir: dir, DeliverTo: hook.URL + "/webhook"})
	if err != nil {
		t.Fatal(err)
	}
	gh := httptest.NewServer(fake)
	if err := fake.SetURL(gh.URL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gh.Close(); fake.Close() })
	text, err := os.ReadFile(filepath.Join(dir, "app.json"))
	if err != nil {
		t.Fatal(err)
	}
	var app struct {
		AppID  json.Number `json:"app_id"`
		Key    string      `json:"private_key"`
		Secret string      `json:"webhook_secret_file"`
	}
	if err := json.Unmarshal(text, &app); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{app.Key, app.Secret} {
		if err := os.Chmod(f, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"--data", dir, "--github-url", gh.URL, "--app-id", app.AppID.String(), "--private-key", app.Key,
		"--webhook-secret-file", app.Secret}
	code, out := doctorRun(args...)
	if code != exitOK {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "is accepted for", "ok  permissions", "ok  events", "ok  webhook")
	hook.Close()
	if err := os.Chmod(app.Key, 0o644); err != nil {
		t.Fatal(err)
	}
	args[5] = "999999"
	code, out = doctorRun(args...)
	if code != exitUsage {
		t.Errorf("exit %d", code)
	}
	wantAll(t, out, "mode 0644: others may read it", "chmod 600", "!!  private key")
	args[5] = app.AppID.String()
	_, out = doctorRun(args...)
	wantAll(t, out, "!!  webhook", "not reachable")
	for _, v := range fake.Violations() {
		if v.Status != http.StatusUnauthorized { // the wrong App above
			t.Errorf("broke GitHub's contract: %+v", v)
		}
	}
}
