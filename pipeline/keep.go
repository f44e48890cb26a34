package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// mirrorsKept is how long a mirror that no run uses is kept.
const mirrorsKept = 30 * 24 * time.Hour

// folderOf is the name of a repository's mirror and of the folder of its units.
func folderOf(installation, repo int64) string { return fmt.Sprintf("%d-%d", installation, repo) }

// tidy removes from this machine what belongs to repositories that the App does not serve any more,
// and packs the mirrors of the others.
func (s *Service) tidy(ctx context.Context) error {
	served := map[string]bool{}
	err := s.store.Read(ctx, func(tx store.Tx) error {
		list, err := tx.Repos(ctx)
		for _, r := range list {
			served[folderOf(r.Installation, r.ID)] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	done, err := s.mirrors.Tidy(ctx, func(key string) bool { return served[key] }, mirrorsKept)
	for _, d := range done {
		s.log.Info("mirror tidied", "mirror", d.Key, "removed", d.Removed)
	}
	units := filepath.Join(s.cfg.Data, "units")
	list, readErr := os.ReadDir(units)
	if errors.Is(readErr, os.ErrNotExist) {
		readErr = nil
	}
	err = errors.Join(err, readErr)
	for _, e := range list {
		if !served[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(units, e.Name())))
		}
	}
	return err
}
