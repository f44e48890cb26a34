package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"
)

const deployDir = "../../deploy"

// TestDeployCommands: the commands, flags and variables in the deployment files are ours.
func TestDeployCommands(t *testing.T) {
	seen := 0
	for _, name := range []string{"kubernetes/serve.yaml", "kubernetes/worker.yaml", "compose.yaml"} {
		text, err := os.ReadFile(filepath.Join(deployDir, name))
		if err != nil {
			t.Fatal(err)
		}
		for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var doc any
			if err := d.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			seen += commandsOf(t, name, doc)
		}
	}
	if seen != 4 {
		t.Errorf("%d command lines, want 4", seen)
	}
}

// commandsOf parses each list of arguments below v that begins with a command of ours.
func commandsOf(t *testing.T, name string, v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if strings.HasPrefix(k, "FIRMPROOF_") {
				flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(k, "FIRMPROOF_"), "_", "-"))
				if serveCommand().Flags().Lookup(flag) == nil {
					t.Errorf("%s: no flag for %s", name, k)
				}
			}
			n += commandsOf(t, name, x)
		}
	case []any:
		var args []string
		for _, x := range v {
			n += commandsOf(t, name, x)
			if s, ok := x.(string); ok {
				args = append(args, s)
			}
		}
		for _, c := range []*cobra.Command{serveCommand(), workerCommand()} {
			if len(args) > 0 && args[0] == c.Name() {
				n++
				if err := c.ParseFlags(args[1:]); err != nil || c.Flags().NArg() > 0 {
					t.Errorf("%s: %v: %v", name, args, err)
				}
			}
		}
	}
	return n
}

// TestDeploySchemas holds the deployment files to the schemas of Kubernetes, Compose and
// Dockerfiles, and sees that their mistakes would be found. It needs npm and its
// registry, so a -short run leaves it out.
func TestDeploySchemas(t *testing.T) {
	if testing.Short() {
		t.Log("not run: -short runs without network")
		return
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "check.mjs"} {
		text, err := os.ReadFile(filepath.Join(deployDir, "check", name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, name, string(text))
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	check := func(files ...string) (string, error) {
		cmd := exec.Command("node", append([]string{"check.mjs"}, files...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	var files []string
	for _, pattern := range []string{"kubernetes/*.yaml", "compose.yaml", "Dockerfile"} {
		found, err := filepath.Glob(filepath.Join(deployDir, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range found {
			abs, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, abs)
		}
	}
	if out, err := check(files...); err != nil || out != "" {
		t.Errorf("%v\n%s", err, out)
	}
	for _, c := range []struct{ file, old, new, want string }{
		{"kubernetes/serve.yaml", "replicas: 2", "replcas: 2", "/spec/replcas is unknown"},
		{"kubernetes/scale.yaml", "maxReplicas: 50", "maxReplica: 50", "/spec/maxReplica is unknown"},
		{"kubernetes/worker.yaml", "runAsNonRoot: true", `runAsNonRoot: "yes"`,
			"/spec/template/spec/securityContext/runAsNonRoot"},
		{"kubernetes/network.yaml", "podSelector: {}", "podSelecter: {}", "podSelecter is unknown"},
		{"compose.yaml", "cap_drop:", "cap_dropp:", "cap_dropp"},
		{"Dockerfile", "USER", "USR", "Unknown instruction"},
	} {
		text, err := os.ReadFile(filepath.Join(deployDir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		bad := strings.Replace(string(text), c.old, c.new, 1)
		put(t, dir, "bad/"+filepath.Base(c.file), bad)
		if out, err := check("bad/" + filepath.Base(c.file)); err == nil || !strings.Contains(out, c.want) ||
			bad == string(text) {
			t.Errorf("%s with %s: %v %s", c.file, c.new, err, out)
		}
	}
}
