package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Where the kernel shows its control groups. Tests put folders in their place.
const (
	cgroupRoot = "/sys/fs/cgroup"
	cgroupSelf = "/proc/self/cgroup"
)

// groups is the cgroup below which each job gets one, with a limit on memory that the
// kernel holds, whatever the memory is used for.
type groups struct {
	dir    string
	v1     bool
	pids   bool
	holder *exec.Cmd // keeps a scope of systemd alive; nil: none is needed
}

// findGroups looks for a cgroup that is ours to divide: the one we are in, if it was
// delegated to us, or a scope that systemd makes for us. With nil it says why not.
func findGroups(root, self string) (*groups, string) {
	text, err := os.ReadFile(self)
	if err != nil {
		return nil, "the kernel has none"
	}
	why := "no cgroup with a memory controller was delegated to this process"
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		_, rest, _ := strings.Cut(line, ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch {
		case strings.Contains(path, ".."): // outside of what this container sees
		case controllers == "":
			g, err := divide(filepath.Join(root, path))
			if g != nil {
				return g, ""
			}
			if err != nil {
				why += ": " + err.Error()
			}
		case strings.Contains(","+controllers+",", ",memory,"):
			dir := filepath.Join(root, "memory", path)
			if _, err := os.Stat(filepath.Join(dir, "memory.limit_in_bytes")); err == nil && writable(dir) {
				return &groups{dir: dir, v1: true}, ""
			}
		}
	}
	return nil, why
}

func writable(dir string) bool { return unix.Access(dir, unix.W_OK) == nil }

// divide readies a cgroup v2 for groups below it; nil, nil if it is not ours.
func divide(dir string) (*groups, error) {
	have, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil || !strings.Contains(string(have), "memory") || !writable(dir) {
		return nil, nil
	}
	g := &groups{dir: dir, pids: strings.Contains(string(have), "pids")}
	on, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	if err != nil {
		return nil, nil
	}
	if !strings.Contains(string(on), "memory") {
		if !delegated(dir) {
			return nil, nil
		}
		if err := g.enable(); err != nil {
			return nil, err
		}
	} else {
		g.pids = strings.Contains(string(on), "pids")
	}
	return g, nil
}

// delegated reports whether whoever manages the cgroups gave this one away: systemd
// marks it, or gives it to the user of the service; a container has it for its root.
func delegated(dir string) bool {
	value := make([]byte, 8)
	for _, name := range []string{"trusted.delegate", "user.delegate"} {
		if n, err := unix.Getxattr(dir, name, value); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	if owner := ownerOf(dir); owner != 0 && owner == os.Getuid() {
		return true
	}
	// the root of a cgroup namespace has a limit of its own; the root of the machine has none
	_, err := os.Stat(filepath.Join(dir, "memory.max"))
	return dir == cgroupRoot && err == nil
}

// enable turns the controllers on for groups below. A group with groups below it may
// have no processes (cgroup-v2: no internal process constraint): ours move into one.
func (g *groups) enable() error {
	leaf := filepath.Join(g.dir, "firmproof-server")
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	for range 20 { // until none was born meanwhile
		text, err := os.ReadFile(filepath.Join(g.dir, "cgroup.procs"))
		if err != nil {
			return err
		}
		for _, pid := range strings.Fields(string(text)) {
			// it may have ended by itself; the next look says what is left
			_ = os.WriteFile(filepath.Join(leaf, "cgroup.procs"), []byte(pid), 0o644)
		}
		want := "+memory"
		if g.pids {
			want += " +pids"
		}
		if err = os.WriteFile(filepath.Join(g.dir, "cgroup.subtree_control"), []byte(want), 0o644); err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
	}
	return fmt.Errorf("%s: its processes do not move", g.dir)
}

// scope asks systemd for a group of our own: a scope with a process that waits.
func scope() (*groups, string) {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return nil, "systemd does not run here"
	}
	args := []string{"--scope", "--quiet", "--collect", "-p", "Delegate=yes", "--", "/bin/sleep", "infinity"}
	if os.Getuid() != 0 {
		args = append([]string{"--user"}, args...)
	}
	cmd := exec.Command("systemd-run", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err.Error()
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for range 100 { // with --scope, systemd-run becomes the command once the scope is there
		select {
		case err := <-ended:
			return nil, fmt.Sprintf("systemd-run makes no scope: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		if name, err := os.Readlink(procFile(cmd.Process.Pid, "exe")); err != nil ||
			filepath.Base(name) == "systemd-run" {
			continue
		}
		g, why := findGroups(cgroupRoot, procFile(cmd.Process.Pid, "cgroup"))
		if g == nil {
			_ = cmd.Process.Kill() // nothing else holds it
			return nil, "systemd's scope: " + why
		}
		g.holder = cmd
		return g, ""
	}
	_ = cmd.Process.Kill() // nothing else holds it
	return nil, "systemd-run does not answer"
}

// sweep removes empty groups that a killed process of ours left.
func (g *groups) sweep() {
	old, _ := filepath.Glob(filepath.Join(g.dir, "firmproof-job-*"))
	for _, dir := range old {
		if st, err := os.Stat(dir); err == nil && time.Since(st.ModTime()) > time.Minute {
			_ = os.Remove(dir) // the kernel refuses while a process is in it
		}
	}
}

// cgroup holds one run; nil when there is nothing to hold it with.
type cgroup struct {
	dir string
	v1  bool
}

// add makes the group of one run.
func (g *groups) add(l Limits) (*cgroup, error) {
	if g == nil {
		return nil, nil
	}
	dir, err := os.MkdirTemp(g.dir, "firmproof-job-")
	if err != nil {
		return nil, err
	}
	c := &cgroup{dir: dir, v1: g.v1}
	type setting struct {
		name, value string
		required    bool
	}
	var set []setting
	memory := strconv.FormatInt(l.Memory, 10)
	switch {
	case g.v1 && l.Memory > 0:
		set = append(set, setting{"memory.limit_in_bytes", memory, true}, setting{"memory.memsw.limit_in_bytes",
			memory, false})
	case l.Memory > 0:
		set = append(set, setting{"memory.max", memory, true}, setting{"memory.swap.max", "0", false},
			setting{"memory.oom.group", "1", false})
	}
	if g.pids && l.Procs > 0 {
		set = append(set, setting{"pids.max", strconv.Itoa(l.Procs), false})
	}
	for _, s := range set {
		if err := os.WriteFile(filepath.Join(dir, s.name), []byte(s.value), 0o644); err != nil && s.required {
			c.remove()
			return nil, fmt.Errorf("cgroup %s: %w", s.name, err)
		}
	}
	return c, nil
}

// procs is the file that a process joins the group by.
func (c *cgroup) procs() string { return filepath.Join(c.dir, "cgroup.procs") }

// full reports whether the kernel ended a process of the group for want of memory.
func (c *cgroup) full() bool {
	if c == nil {
		return false
	}
	file := "memory.events"
	if c.v1 {
		file = "memory.oom_control"
	}
	text, err := os.ReadFile(filepath.Join(c.dir, file))
	if err != nil {
		return false
	}
	for _, line := range strings.Split(string(text), "\n") {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok && n != "0" {
			return true
		}
	}
	return false
}

// kill ends every process of the group.
func (c *cgroup) kill() {
	if c == nil || !c.v1 && os.WriteFile(filepath.Join(c.dir, "cgroup.kill"), []byte("1"), 0o644) == nil {
		return
	}
	text, err := os.ReadFile(c.procs())
	if err != nil {
		return
	}
	for _, pid := range numbers(string(text)) {
		_ = syscall.Kill(int(pid), syscall.SIGKILL) // it may have ended by itself
	}
}

// remove ends what is left in the group and takes it away.
func (c *cgroup) remove() {
	if c == nil {
		return
	}
	for range 100 {
		c.kill()
		if err := os.Remove(c.dir); err == nil || errors.Is(err, os.ErrNotExist) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
