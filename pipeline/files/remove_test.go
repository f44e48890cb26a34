package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// deepen makes folders in each other below dir, further than names reach, with a file and a folder beside each.
func deepen(t *testing.T, dir string, levels int) {
	t.Helper()
	at, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range levels {
		for _, name := range []string{"in", "beside"} {
			if err := unix.Mkdirat(at, name, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		f, err := unix.Openat(at, "file", unix.O_CREAT|unix.O_WRONLY, 0o444)
		if err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(at, "in", unix.O_DIRECTORY|unix.O_RDONLY, 0)
		if err = errors.Join(err, unix.Close(f), unix.Close(at)); err != nil {
			t.Fatal(err)
		}
		at = next
	}
	if err := unix.Close(at); err != nil {
		t.Fatal(err)
	}
}

// TestRemove: a tree of any depth goes, with fewer open files than it has levels; so do closed folders, and names that
// look like those of moved ones; what links lead to stays.
func TestRemove(t *testing.T) {
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	few := old
	few.Cur = min(old.Cur, 300)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	tree := filepath.Join(dir, "tree")
	for _, d := range []string{outside, tree, filepath.Join(tree, ".moved-0", "x", "y"), filepath.Join(tree, "closed", "z", "w")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	deepen(t, tree, 2_000)
	err := errors.Join(os.WriteFile(filepath.Join(outside, "kept"), nil, 0o644),
		os.Symlink(outside, filepath.Join(tree, "closed", "link")), os.Symlink(outside, filepath.Join(tree, "link")),
		os.WriteFile(filepath.Join(tree, ".moved-1"), nil, 0o644), os.Chmod(filepath.Join(tree, "closed", "z"), 0),
		os.Chmod(filepath.Join(tree, "closed"), 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(tree); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(tree); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the tree is still there: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.Symlink(outside, link), Remove(link), Remove(filepath.Join(dir, "absent"))); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(outside, "kept")); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
}
