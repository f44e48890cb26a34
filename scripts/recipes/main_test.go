package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestRecipes: the recipes are there, as scripts that bash can read, with the version and the place that were given;
// `make fresh STEP=recipes` runs them.
func TestRecipes(t *testing.T) {
	t.Chdir("../..")
	for name, want := range map[string][]string{
		"gitlab":  {"file:///releases/v$FIRMPROOF_VERSION/", "FIRMPROOF_VERSION='1.2.3'", "firmproof check --fail-on violation"},
		"jenkins": {"file:///releases/v$FIRMPROOF_VERSION/", "FIRMPROOF_VERSION='1.2.3'", "firmproof check --fail-on violation"},
		"azure":   {"file:///releases/v$FIRMPROOF_VERSION/", "FIRMPROOF_VERSION='1.2.3'", "firmproof check --fail-on violation"},
		"action":  {"FIRMPROOF_RELEASES='file:///releases'", "FIRMPROOF_VERSION='1.2.3'", "scripts/install.sh", `"$FIRMPROOF" check`},
	} {
		var out strings.Builder
		if err := write(&out, name, "1.2.3", "file:///releases"); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("%s: no %q in\n%s", name, w, out.String())
			}
		}
		cmd := exec.Command("bash", "-n")
		cmd.Stdin = strings.NewReader(out.String())
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, text)
		}
		if strings.Contains(out.String(), "${{") || strings.Contains(out.String(), published) {
			t.Errorf("%s: something is left that only the forge knows:\n%s", name, out.String())
		}
	}
	if err := write(&strings.Builder{}, "bamboo", "", ""); err == nil {
		t.Error("there is no recipe for bamboo")
	}
}
