package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// maxOpen is how many folders Remove opens within each other; os.RemoveAll opens as many as there are.
const maxOpen = 64

// Remove removes path and all below it, like os.RemoveAll, but with few open files however deep the tree is, and also
// folders that are closed to their owner: programs of other people made it. What lies deeper than maxOpen is moved up
// into path, and emptied in turn. Nobody may change the tree meanwhile.
func Remove(path string) error {
	first := os.Remove(path) // a file, a link or an empty folder
	if first == nil || errors.Is(first, fs.ErrNotExist) {
		return nil
	}
	top, err := openFolder(unix.AT_FDCWD, path)
	if err != nil {
		return first
	}
	r := &remover{top: top}
	err = r.empty(top, 1)
	return errors.Join(err, top.Close(), os.Remove(path))
}

type remover struct {
	top   *os.File
	moved int // folders; the next one's name
}

// empty removes what is in a folder, the depth-th of those that are open. It goes through it again until there is nothing
// left that can be removed: folders are moved into the top, and a file system need not show all entries to those who
// remove some.
func (r *remover) empty(dir *os.File, depth int) error {
	for {
		var first error
		removed := 0
		for {
			names, err := dir.Readdirnames(1000)
			for _, name := range names {
				if err := r.remove(dir, name, depth); err == nil {
					removed++
				} else if first == nil {
					first = err
				}
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
		if removed == 0 {
			return first
		}
		if _, err := dir.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
}

// remove removes an entry of dir, or moves it to the top.
func (r *remover) remove(dir *os.File, name string, depth int) error {
	fd := int(dir.Fd())
	err := unix.Unlinkat(fd, name, 0)
	if err == nil || err == unix.ENOENT {
		return err
	}
	if err != unix.EISDIR && err != unix.EPERM {
		return &fs.PathError{Op: "unlinkat", Path: name, Err: err}
	}
	if depth >= maxOpen && r.lift(fd, name) == nil {
		return nil
	}
	sub, err := openFolder(fd, name)
	if err != nil {
		return err
	}
	err = r.empty(sub, depth+1)
	if err = errors.Join(err, sub.Close()); err != nil {
		return err
	}
	if err := unix.Unlinkat(fd, name, unix.AT_REMOVEDIR); err != nil {
		return &fs.PathError{Op: "unlinkat", Path: name, Err: err}
	}
	return nil
}

// lift moves a folder to the top under a name that is free there.
func (r *remover) lift(fd int, name string) error {
	for opened := false; ; {
		err := unix.Renameat(fd, name, int(r.top.Fd()), fmt.Sprintf(".moved-%d", r.moved))
		switch {
		case err == unix.EEXIST || err == unix.ENOTEMPTY || err == unix.ENOTDIR:
			r.moved++
		case err == unix.EACCES && !opened: // its owner may not write to it
			sub, err := openFolder(fd, name)
			if err != nil {
				return err
			}
			if err := sub.Close(); err != nil {
				return err
			}
			opened = true
		default:
			r.moved++
			return err
		}
	}
}

// openFolder opens a folder below another one, no link, and lets its owner do everything in it if that is us.
func openFolder(fd int, name string) (*os.File, error) {
	const folder = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	sub, err := unix.Openat(fd, name, unix.O_RDONLY|folder, 0)
	if err == unix.EACCES {
		var by int
		if by, err = unix.Openat(fd, name, unix.O_PATH|folder, 0); err == nil {
			err = errors.Join(unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", by), 0o700), unix.Close(by))
		}
		if err == nil {
			sub, err = unix.Openat(fd, name, unix.O_RDONLY|folder, 0)
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "openat", Path: name, Err: err}
	}
	_ = unix.Fchmod(sub, 0o700) // what that would have allowed fails where it is needed
	return os.NewFile(uintptr(sub), name), nil
}
