// Command changes keeps the list of changes: `changes` writes docs/soundness-corrections.md, and `changes VERSION` first
// joins the files of the folder `changes` into the section of that version of CHANGELOG.md, and removes them.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "changes:", err)
		os.Exit(1)
	}
}

func run(root string, args []string) error {
	list, wrong := fragments(root)
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	file := filepath.Join(root, "CHANGELOG.md")
	changelog, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if len(args) == 1 && args[0] != "" {
		changelog = []byte(join(string(changelog), args[0], list))
		if err := os.WriteFile(file, changelog, 0o644); err != nil {
			return err
		}
		for _, f := range list {
			if err := os.Remove(f.path); err != nil {
				return err
			}
		}
		list = nil
	}
	return os.WriteFile(filepath.Join(root, "docs", "soundness-corrections.md"),
		[]byte(corrections(string(changelog), list)), 0o644)
}
