package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// packsKept is how many packs a mirror may have until it is packed anew; each fetch leaves one.
	packsKept = 30
	// tidyTurn is how long Tidy waits for a mirror that is in use.
	tidyTurn = time.Second
)

// Tidied says what became of a mirror.
type Tidied struct {
	Key     string
	Removed bool // else it was packed
}

// Tidy removes the mirrors that nobody wants, or nobody used for so long, and packs those of many packs. A mirror
// that is in use is left for the next time. Whatever is removed can be fetched again.
func (c *Cache) Tidy(ctx context.Context, wanted func(key string) bool, unused time.Duration) ([]Tidied, error) {
	list, err := os.ReadDir(c.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var out []Tidied
	for _, e := range list {
		key, isMirror := strings.CutSuffix(e.Name(), ".git")
		if !isMirror || !e.IsDir() {
			err = errors.Join(err, c.tidyRest(e))
			continue
		}
		done, e := c.tidyMirror(ctx, key, wanted(key), unused)
		if err = errors.Join(err, e); done != nil {
			out = append(out, *done)
		}
	}
	return out, err
}

// tidyMirror tidies one mirror, if nobody holds it.
func (c *Cache) tidyMirror(ctx context.Context, key string, wanted bool, unused time.Duration) (*Tidied, error) {
	m := &Mirror{filepath.Join(c.Dir, key+".git"), c}
	short, cancel := context.WithTimeout(ctx, tidyTurn)
	defer cancel()
	unlock, err := m.lock(short)
	if err != nil {
		return nil, nil // in use
	}
	defer unlock()
	used, err := os.Stat(m.dir + ".lock")
	if err != nil {
		return nil, err
	}
	if !wanted || time.Since(used.ModTime()) > unused {
		return &Tidied{key, true}, os.RemoveAll(m.dir)
	}
	packs, err := filepath.Glob(filepath.Join(m.dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) <= packsKept {
		return nil, err
	}
	// what no ref leads to stays for two days: a run may be at work on it
	_, err = m.git(ctx, nil, "-c", "pack.threads=1", "-c", "pack.windowMemory=64m", "gc", "--quiet",
		"--prune=2.days.ago")
	return &Tidied{key, false}, err
}

// tidyRest removes what a killed process left beside the mirrors, once it is a day old.
func (c *Cache) tidyRest(e os.DirEntry) error {
	if !strings.HasPrefix(e.Name(), "index-") && !strings.HasSuffix(e.Name(), ".new") {
		return nil
	}
	info, err := e.Info()
	if err != nil || time.Since(info.ModTime()) < 24*time.Hour {
		return nil
	}
	return os.RemoveAll(filepath.Join(c.Dir, e.Name()))
}
