package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// cgroupRoot is where cgroup v2 is mounted.
const cgroupRoot = "/sys/fs/cgroup"

// cgroupParent finds a cgroup below which we may make others with a memory
// limit: our own, when it was delegated to us. Empty if there is none.
func cgroupParent() string { return delegated(cgroupRoot, "/proc/self/cgroup") }

func delegated(root, self string) string {
	text, err := os.ReadFile(self)
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(text), "\n") {
		path, ok := strings.CutPrefix(line, "0::")
		if !ok {
			continue
		}
		dir := filepath.Join(root, path)
		have, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err != nil || !strings.Contains(string(have), "memory") || syscall.Access(dir, 2) != nil {
			return ""
		}
		return dir
	}
	return ""
}

// cgroup holds one run; nil when there is nothing to hold it with.
type cgroup struct {
	dir string
	fd  *os.File
}

func newCgroup(l Limits) (*cgroup, error) {
	parent := cgroupParent()
	if parent == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp(parent, "firmproof-*")
	if err != nil {
		return nil, err
	}
	g := &cgroup{dir: dir}
	set := map[string]string{"memory.swap.max": "0"}
	if l.Memory > 0 {
		set["memory.max"] = strconv.FormatInt(l.Memory, 10)
	}
	if l.Procs > 0 {
		set["pids.max"] = strconv.Itoa(l.Procs)
	}
	for name, value := range set {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o644); err != nil && !errors.Is(err,
			os.ErrNotExist) {
			g.remove()
			return nil, fmt.Errorf("cgroup %s: %w", name, err)
		}
	}
	if g.fd, err = os.Open(dir); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

func (g *cgroup) attach(a *syscall.SysProcAttr) {
	if g != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(g.fd.Fd())
	}
}

func (g *cgroup) remove() {
	if g == nil {
		return
	}
	if g.fd != nil {
		_ = g.fd.Close()
	}
	_ = os.WriteFile(filepath.Join(g.dir, "cgroup.kill"), []byte("1"), 0o644) // all of it, whatever it did
	_ = os.Remove(g.dir)
}
