package files

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// Read reads a file of somebody's tree: a regular one of at most limit bytes. A pipe or
// a device, which might have no end, is an error at once.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a file", path)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a pipe or a device, not a file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is longer than the %d bytes that are read", path, limit)
	}
	return data, err
}
