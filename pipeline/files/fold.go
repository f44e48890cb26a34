package files

import (
	"os"
	"path/filepath"
	"strings"
)

// Fold returns the file below dir that name, with slashes, means where case does not matter, "" if there is none. Of two
// that differ in case alone it is the one spelt like name, or the first.
func Fold(dir, name string) string {
	at := dir
	for _, part := range strings.Split(filepath.ToSlash(filepath.Clean(name)), "/") {
		next := filepath.Join(at, part)
		if _, err := os.Lstat(next); err != nil {
			next = ""
			list, _ := os.ReadDir(at)
			for _, e := range list {
				if strings.EqualFold(e.Name(), part) {
					next = filepath.Join(at, e.Name())
					break
				}
			}
		}
		if at = next; at == "" {
			return ""
		}
	}
	if st, err := os.Stat(at); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	return at
}
