package main

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestPreCommitHooks: what .pre-commit-hooks.yaml runs is a command of firmproof with flags that it has.
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
	words := strings.Fields(hooks[0].Entry)
	cmd, rest, err := rootCommand().Find(words[1:])
	if err != nil || words[0] != "firmproof" || cmd.Name() != "check" {
		t.Fatalf("%s: %v", hooks[0].Entry, err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%s: %v", hooks[0].Entry, err)
	}
}
