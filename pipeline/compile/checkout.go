package compile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

// What a clone may lack: contents of submodules, and of files that Git LFS keeps.

// maxModules is how long a .gitmodules may be, in bytes.
const maxModules = 1 << 20

var modulePath = regexp.MustCompile(`(?m)^\s*path\s*=\s*"?([^"\n]+?)"?\s*$`)

// emptySubmodules lists the submodules of the tree at root that are not checked out.
func emptySubmodules(root string) []string {
	data, err := files.Read(filepath.Join(root, ".gitmodules"), maxModules)
	if err != nil {
		return nil
	}
	var out []string
	for _, m := range modulePath.FindAllSubmatch(data, -1) {
		path := string(m[1])
		if !filepath.IsLocal(path) {
			continue
		}
		if entries, err := os.ReadDir(filepath.Join(root, path)); os.IsNotExist(err) || err == nil &&
			len(entries) == 0 {
			out = append(out, path)
		}
	}
	return out
}

// submoduleHint says which submodules of the tree at root are not checked out, and what to do. under returns whether
// what is missing may be in one. Empty: in none.
func submoduleHint(root string, under func(module string) bool) string {
	var names []string
	for _, m := range emptySubmodules(root) {
		if under(m) {
			names = append(names, m)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("; not checked out: submodule %s (git submodule update --init --recursive)",
		strings.Join(names, ", "))
}

// isLFSPointer reports a file whose contents Git LFS has elsewhere.
func isLFSPointer(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return false
	}
	head := make([]byte, len(lfsHead))
	n, _ := f.Read(head)
	return bytes.Equal(head[:n], []byte(lfsHead))
}

const lfsHead = "version https://git-lfs.github.com/spec/v1"
