package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestPreCommitHooks: what .pre-commit-hooks.yaml runs is a command of firmproof with flags that it has. It keeps answers
// in the folder of git, also in a worktree, and takes arguments of the user's.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Entry, Language string
		PassFilenames             *bool    `yaml:"pass_filenames"`
		Types                     []string `yaml:"types_or"`
	}
	if err := yaml.Unmarshal(text, &hooks); err != nil {
		t.Fatal(err)
	}
	if len(hooks) != 1 || hooks[0].ID != "firmproof" || hooks[0].Name == "" || hooks[0].Language != "system" ||
		hooks[0].PassFilenames == nil || *hooks[0].PassFilenames || len(hooks[0].Types) == 0 {
		t.Fatalf("the hooks are %+v", hooks)
	}
	dir := t.TempDir()
	put(t, dir, "bin/firmproof", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
	if err := os.Chmod(filepath.Join(dir, "bin", "firmproof"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("sh", "-ec", "git init -q tree && cd tree && "+hooks[0].Entry+" --target cortex-m3")
	run.Dir, run.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	words := strings.Fields(string(out))
	cmd, rest, err := rootCommand().Find(words)
	if err != nil || cmd.Name() != "check" {
		t.Fatalf("%q: %v", words, err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%q: %v", words, err)
	}
	if got := strings.Join(rest, " "); got != "--fail-on violation --cache .git/firmproof-answers --target cortex-m3" {
		t.Errorf("it runs with %s", got)
	}
}
