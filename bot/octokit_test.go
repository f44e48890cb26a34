package bot_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// TestExamples: every example payload that GitHub's client library has for an event
// that we handle, signed by that library, is accepted and handled; the same is
// refused if it is tampered with or unsigned. It needs npm and its registry, so
// a -short run leaves it out.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short runs without network")
		return
	}
	w := newWorld(t, &reader{})
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "send.mjs"} {
		text, err := os.ReadFile(filepath.Join("testdata", "octokit", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	events := []string{"ping", "pull_request", "push", "check_run", "check_suite", "issue_comment", "installation",
		"installation_repositories", "merge_group"}
	node := exec.Command("node", append([]string{"send.mjs", w.proxy.URL + "/webhook", w.cfg.SecretFiles[0]},
		events...)...)
	node.Dir, node.Stderr = dir, os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	sent := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var a struct {
			Set, Name, Action              string
			JSON, Form, Tampered, Unsigned int
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		sent[a.Name]++
		if a.JSON != 202 || a.Form != 202 || a.Tampered != 401 || a.Unsigned != 401 {
			t.Errorf("%+v", a)
		}
	}
	total := 0
	for _, e := range events {
		total += sent[e]
		if sent[e] == 0 {
			t.Errorf("no example of %s", e)
		}
	}
	t.Logf("%d examples: %v", total, sent)
	w.handledExamples(4 * total)
}

// handledExamples waits until each of the deliveries that were accepted is handled.
func (w *world) handledExamples(n int) {
	w.t.Helper()
	ctx := context.Background()
	st := w.database()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		open, done := "", 0
		err := st.Read(ctx, func(tx store.Tx) error {
			for i := range n {
				d, err := tx.Delivery(ctx, "example-"+strconv.Itoa(i))
				switch {
				case err == store.ErrNotFound:
				case err != nil:
					return err
				case d.State == store.DeliveryDone:
					done++
				default:
					open = d.Event + " " + d.State + " " + d.Error
				}
			}
			return nil
		})
		if err != nil {
			w.t.Fatal(err)
		}
		if open == "" && done == n/2 {
			return
		}
		if time.Now().After(end) {
			w.t.Fatalf("%d of %d handled; one is left: %s", done, n/2, open)
		}
	}
}
