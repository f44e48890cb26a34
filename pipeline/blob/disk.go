package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/firmproof/firmproof/pipeline/files"
)

// Disk keeps documents in a folder: DIR/ab/abcdef...
type Disk struct{ dir string }

// OpenDisk makes dir if need be.
func OpenDisk(dir string) (*Disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &Disk{dir}, nil
}

func (d *Disk) String() string { return d.dir }

func (d *Disk) path(name string) string { return filepath.Join(d.dir, name[:2], name) }

// Put implements Store: the file appears under its name only when it is whole and on disk.
func (d *Disk) Put(_ context.Context, data []byte) (string, error) {
	name := Name(data)
	path := d.path(name)
	now := time.Now()
	if os.Chtimes(path, now, now) == nil { // it is there; its age begins anew
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("blob: %w", err)
	}
	if err := files.WriteDurable(path, pack(data), 0o600); err != nil {
		return "", fmt.Errorf("blob: %w", err)
	}
	return name, nil
}

// Get implements Store.
func (d *Disk) Get(_ context.Context, name string) ([]byte, error) {
	if !valid(name) {
		return nil, ErrNotFound
	}
	stored, err := os.ReadFile(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return unpack(name, stored)
}

// Delete implements Store.
func (d *Disk) Delete(_ context.Context, name string) error {
	if !valid(name) {
		return nil
	}
	if err := os.Remove(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// List implements Store; what a crash left half written is listed too, and is no document.
func (d *Disk) List(ctx context.Context, f func(Info) error) error {
	return filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if !valid(e.Name()) {
			if time.Since(st.ModTime()) > time.Hour {
				return os.Remove(path)
			}
			return nil
		}
		return errors.Join(ctx.Err(), f(Info{e.Name(), st.Size(), st.ModTime()}))
	})
}
