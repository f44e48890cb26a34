// Package sources walks the files of this repository, for tests that hold all of them to something.
package sources

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Walk calls visit for each file below root, the folder of the repository, in lexical order and with its path from
// there (slashes). Of the folders it leaves out only what is in no commit: `.git`, and those that a line of
// `.gitignore` names (`/build/` at the root alone, `node_modules/` anywhere). It ends at the first error.
func Walk(root string, visit func(path string) error) error {
	ignored, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		return err
	}
	lines := append(strings.Fields(string(ignored)), "/.git/")
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		switch {
		case d.IsDir() && (slices.Contains(lines, "/"+path+"/") || slices.Contains(lines, d.Name()+"/")):
			return fs.SkipDir
		case d.IsDir() || path == ".git": // a file in a further work tree
			return nil
		}
		return visit(path)
	})
}
