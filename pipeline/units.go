package pipeline

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/pipeline/store"
)

// Compiled units outlive their run in a folder per repository, by the digest of all
// that they depend on. Builds read it; what a build compiled is taken over by us
// afterwards, unless the code of a fork had a hand in it.

// unitsKept is how long a unit is kept; what is still in use is compiled anew then.
const unitsKept = 30 * 24 * time.Hour

// maxUnits bounds in bytes what is taken over from one build.
const maxUnits = 1 << 30

var unitName = regexp.MustCompile(`^[0-9a-f]{40}\.(ll(\.json)?|origin\.json)$`)

// unitsOf is where the units of a run's repository are kept.
func (s *Service) unitsOf(run store.Run) string {
	return filepath.Join(s.cfg.Data, "units", folderOf(run.Installation, run.Repo))
}

// keepUnits takes over the units that a build left in a folder. Only regular files
// with the name of a unit count: the build met hostile code. IR comes after its
// companion (fs.ReadDir sorts a name before what it is a prefix of, so backwards),
// so that whoever sees it sees both. What says which files a unit is made of is replaced: the last build is the likeliest
// to be met again.
func keepUnits(from, to string) error {
	list, err := os.ReadDir(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	if err != nil {
		return err
	}
	size := 0
	for i := len(list) - 1; i >= 0 && size < maxUnits; i-- {
		name := list[i].Name()
		if _, err := os.Lstat(filepath.Join(to, name)); err == nil && !isOrigin(name) || !unitName.MatchString(name) {
			continue
		}
		data, err := readModule(filepath.Join(from, name))
		if err != nil {
			continue
		}
		size += len(data)
		if err := files.Write(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func isOrigin(name string) bool { return strings.HasSuffix(name, ".origin.json") }

// expireUnits removes units made before a moment.
func (s *Service) expireUnits(before time.Time) error {
	return filepath.WalkDir(filepath.Join(s.cfg.Data, "units"), func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return err
		}
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			return os.Remove(path)
		}
		return nil
	})
}
