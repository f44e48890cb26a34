package compile

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

// Compilers on Windows take `#include "Inc\Main.h"` for inc/main.h. Where clang does not find such a name, an overlay of
// the file system gives the file that is meant that name.

// spellingFile is the name of the overlay in the folder of a unit.
const spellingFile = "spelling.json"

// maxSpellings bounds how many names of one unit are looked up so.
const maxSpellings = 200

// overlay holds what clang's -ivfsoverlay reads.
type overlay struct {
	Version  int            `json:"version"`
	External bool           `json:"use-external-names"`
	Roots    []overlaidFile `json:"roots"`
}

type overlaidFile struct {
	Type string `json:"type"`
	Name string `json:"name"`
	Real string `json:"external-contents"`
}

// readOverlay returns the overlay in a folder, an empty one if there is none.
func readOverlay(dir string) overlay {
	o := overlay{External: true}
	if data, err := os.ReadFile(filepath.Join(dir, spellingFile)); err == nil {
		_ = json.Unmarshal(data, &o) // which this process wrote
	}
	return o
}

// respell adds the header that err says is not found to the overlay in dir, if one is there but for case and
// backslashes. It returns false where there is none.
func (r *Request) respell(err error, flags []string, dir string) bool {
	at, name, ok := missingHeader(err)
	if !ok {
		return false
	}
	o := readOverlay(dir)
	from := absolute(r.root(), at.File)
	type folder struct{ path, as string } // and what the compiler takes it for
	dirs := []folder{{filepath.Dir(from), filepath.Dir(from)}}
	for _, f := range o.Roots {
		if f.Real == from {
			dirs = append(dirs, folder{filepath.Dir(from), filepath.Dir(f.Name)})
		}
	}
	for _, d := range searched(r.Dir, flags) {
		dirs = append(dirs, folder{d, d})
	}
	for _, d := range dirs {
		file, as := files.Fold(d.path, strings.ReplaceAll(name, `\`, "/")), filepath.Join(d.as, name)
		if file == "" || file == as || len(o.Roots) >= maxSpellings ||
			slices.ContainsFunc(o.Roots, func(f overlaidFile) bool { return f.Name == as }) {
			continue
		}
		o.Roots = append(o.Roots, overlaidFile{"file", as, file})
		data, err := json.Marshal(o)
		return err == nil && os.WriteFile(filepath.Join(dir, spellingFile), data, 0o644) == nil
	}
	return false
}

// searched returns the folders that flags make the compiler search for headers, whole.
func searched(dir string, flags []string) []string {
	var out []string
	for i, f := range flags {
		for _, option := range []string{"-I", "-iquote", "-isystem", "-idirafter"} {
			d, ok := strings.CutPrefix(f, option)
			if ok && d == "" && i+1 < len(flags) {
				d = flags[i+1]
			}
			if ok && d != "" {
				out = append(out, absolute(dir, d))
			}
		}
	}
	return out
}

// overlayFlags returns the flags that make the compiler use the overlay in dir, if there is one.
func overlayFlags(dir string) []string {
	path := filepath.Join(dir, spellingFile)
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return []string{"-ivfsoverlay", path}
}

// spellings says which headers the overlay in dir gives other names.
func (r *Request) spellings(dir string) []string {
	var out []string
	for _, f := range readOverlay(dir).Roots {
		out = append(out, fmt.Sprintf("an inclusion finds %s only where case and backslashes do not matter, as on Windows",
			r.shown(f.Real)))
	}
	return out
}
