package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxDescribing is the size in bytes up to which a file counts as one that describes a build.
const maxDescribing = 1 << 20

// describingNames and describingEnds are the names, in lower case, and the ends of names of files that say how a build
// compiles what.
var (
	describingNames = []string{"makefile", "gnumakefile", "cmakelists.txt", "cmakepresets.json", "meson.build", "meson_options.txt",
		"meson.options", "sconstruct", "sconscript", "wscript", "justfile", "rakefile", "configure", "kconfig", ".config", "sdkconfig"}
	describingEnds = []string{".mk", ".mak", ".make", ".cmake", ".am", ".ac", ".ninja", ".gn", ".gni", ".bzl", ".bazel", ".sh",
		".py", ".pl", ".toml", ".ini", ".conf", ".cfg", "defconfig"}
)

// describes reports whether a file of that name says how a build compiles what.
func describes(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(describingNames, name) ||
		slices.ContainsFunc(describingEnds, func(end string) bool { return strings.HasSuffix(name, end) })
}

// description digests the files of the tree in dir that say how command compiles what, and reports whether objects lie there
// that were made before a moment. Folders that CMake generates are left out: its builds compile again what they compile in
// another way.
func description(dir, command string, before time.Time) (sum string, objects bool) {
	h := sha256.New()
	words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()\"'", r) })
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read, the build does not read either
		}
		name := d.Name()
		if d.IsDir() {
			_, err := os.Lstat(filepath.Join(path, "CMakeCache.txt"))
			if path != dir && (err == nil || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // likewise
		}
		rel, _ := filepath.Rel(dir, path)
		named := slices.ContainsFunc(words, func(w string) bool { return filepath.Clean(w) == rel })
		switch {
		case (describes(name) || named) && info.Size() <= maxDescribing:
			text, err := os.ReadFile(path)
			if err == nil {
				fmt.Fprintf(h, "%s\x00%d\x00%s", rel, len(text), text)
			}
		case slices.Contains([]string{".o", ".obj", ".lo"}, filepath.Ext(name)):
			objects = objects || info.ModTime().Before(before)
		}
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)[:12]), objects
}
