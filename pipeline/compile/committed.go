package compile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// committed holds the digest of each regular file below a root, by its path from
// there, before a build's own commands ran.
type committed map[string]string

// snapshot reads a tree. Files that cannot be read are left out.
func snapshot(root string) (committed, error) {
	c := committed{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		sum, err := digest(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		c[rel] = sum
		return err
	})
	return c, err
}

// changed lists which of the files, given with their whole paths, are of the
// snapshot and have other contents now, each once, in order.
func (c committed) changed(root string, files []string) []string {
	var out []string
	for _, f := range files {
		rel, err := filepath.Rel(root, f)
		if err != nil || slices.Contains(out, rel) {
			continue
		}
		if before, known := c[rel]; known {
			if now, err := digest(f); err != nil || now != before {
				out = append(out, rel)
			}
		}
	}
	slices.Sort(out)
	return out
}

// asCommitted holds what is about to be verified against the commit: a proof about
// a text that the build's command made of it would be of another program.
func (b *builder) asCommitted(files ...string) error {
	list := b.before.changed(b.dir, files)
	if len(list) == 0 {
		return nil
	}
	fault := &BuildError{Stage: "command", Target: b.img.Target.Name}
	for _, f := range list {
		if len(fault.Diagnostics) == maxDiagnostics {
			break
		}
		fault.Diagnostics = append(fault.Diagnostics, Diagnostic{File: filepath.ToSlash(f), Line: 1,
			Message: "the build command changes this file, so that what would be verified is not what is committed: let it write to another file, or commit the result"})
	}
	return fault
}

// absolute returns the whole path of a name that a compiler run in dir printed.
func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, strings.TrimPrefix(name, "./"))
}
