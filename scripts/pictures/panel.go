package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// exampleOfPanel is the program whose counterexample the panel of an editor shows.
const exampleOfPanel = "examples/small/out_of_bounds.c"

// shootPanel makes the picture of the panel.
func shootPanel(program, out string) error {
	dir, err := os.MkdirTemp("", "panel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, err := panel(program, dir)
	if err != nil {
		return err
	}
	return shoot(out, []picture{{"panel", address, 900, 900, `document.querySelector('.steps').focus()`}})
}

// panel writes the page that an editor shows of a counterexample into dir, and returns its address.
func panel(program, dir string) (string, error) {
	cmd := exec.Command(program, "check", "--quiet", "--format", "json", exampleOfPanel)
	text, err := cmd.Output()
	var r verdict.Report
	if json.Unmarshal(text, &r) != nil { // its exit status says that there is a violation
		return "", fmt.Errorf("check %s: %w", exampleOfPanel, err)
	}
	for _, s := range reports.Violations(r.Results) {
		page, ok := reports.Panel(&r, s.Shown().Claim.ID, func(file string) []byte {
			text, _ := os.ReadFile(file) // none: the page says so
			return text
		})
		if ok {
			file := filepath.Join(dir, "panel.html")
			return "file://" + file, os.WriteFile(file, page, 0o644)
		}
	}
	return "", fmt.Errorf("%s has no violation", exampleOfPanel)
}
