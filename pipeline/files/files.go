// Package files writes files that others read at the same time.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// Write puts data into a file so that other processes see it whole or not at all.
func Write(path string, data []byte, perm os.FileMode) error { return write(path, data, perm, false) }

// WriteDurable is Write, and what is seen is still there after a crash of the machine.
func WriteDurable(path string, data []byte, perm os.FileMode) error {
	return write(path, data, perm, true)
}

func write(path string, data []byte, perm os.FileMode, durable bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(perm))
	if durable {
		err = errors.Join(err, f.Sync())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
