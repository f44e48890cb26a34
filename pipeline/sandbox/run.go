package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Run runs spec to its end, or kills all of it when ctx ends or a limit of the
// tree is reached. An error means that the command could not be run to an end.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (Exit, error) {
	if len(spec.Argv) == 0 {
		return Exit{}, errors.New("sandbox: nothing to run")
	}
	for _, d := range append(append([]string{spec.Dir}, spec.Read...), spec.Write...) {
		if filepath.Clean(d) == "/" || !filepath.IsAbs(d) { // it would show the whole machine
			return Exit{}, fmt.Errorf("sandbox: %q is no folder for a job", d)
		}
	}
	if spec.Env == nil {
		spec.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + spec.Dir, "LC_ALL=C.UTF-8", "NO_COLOR=1"}
	}
	if s.bare() && len(spec.Write) > 0 {
		spec.Env = append(without(spec.Env, "TMPDIR"), "TMPDIR="+spec.Write[len(spec.Write)-1])
	}
	j, err := s.job(spec)
	if err != nil {
		return Exit{}, fmt.Errorf("sandbox: %w", err)
	}
	defer j.close()
	argv, err := s.argv(spec, j)
	if err != nil {
		return Exit{}, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = spec.Dir, spec.Env, spec.Stdout, spec.Stderr
	cmd.WaitDelay = 2 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if s.mode == Off && j.user != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(j.user), Gid: uint32(j.user),
			Groups: []uint32{uint32(j.users.group)}}
	}
	return s.wait(ctx, cmd, spec, j)
}

// bare reports that jobs see the machine's own /tmp, which is then not theirs: other jobs write there.
func (s *Sandbox) bare() bool { return s.mode != Off && s.bwrap == "" && len(s.outer) == 0 }

// job holds what one run has to itself.
type job struct {
	users *users
	user  int // 0: it runs as what we are
	group *cgroup
}

// job takes a user and a cgroup, and gives the user the writable folders.
func (s *Sandbox) job(spec Spec) (*job, error) {
	j := &job{users: s.users}
	if s.users != nil {
		j.user = s.users.take()
		if err := give(spec.Write, j.user); err != nil {
			j.close()
			return nil, err
		}
	}
	var err error
	if j.group, err = s.groups.add(spec.Limits); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

func (j *job) close() {
	j.group.remove()
	if j.user != 0 {
		j.users.giveBack(j.user)
	}
}

// wait starts cmd and watches it until it ends.
func (s *Sandbox) wait(ctx context.Context, cmd *exec.Cmd, spec Spec, j *job) (Exit, error) {
	before := diskUse(spec.Write, 0, 0)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return Exit{}, fmt.Errorf("sandbox: %w", err)
	}
	w := &watcher{pid: cmd.Process.Pid, user: j.user, group: j.group, own: s.bwrap != "", limits: spec.Limits,
		write: spec.Write, before: before, done: make(chan struct{}), gone: make(chan struct{})}
	go w.loop(ctx)
	err := cmd.Wait()
	close(w.done)
	<-w.gone
	exit := Exit{Duration: time.Since(start), Peak: w.peak, Threads: w.threads, Killed: w.killed}
	switch {
	case exit.Killed != "":
	case j.group.full(): // the kernel was faster than a look
		exit.Killed = "memory"
	case spec.Limits.Depth > 0 && diskUse(spec.Write, 0, spec.Limits.Depth).deep: // whoever reads the folders next may rely on it
		exit.Killed = nestedFolders
	}
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return exit, fmt.Errorf("%s: %w", spec.Argv[0], context.Cause(ctx))
	case err == nil:
		return exit, nil
	case errors.As(err, &status):
		exit.Code = status.ExitCode()
		if ws, ok := status.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			exit.Code = 128 + int(ws.Signal())
		}
		return exit, nil
	case errors.Is(err, exec.ErrWaitDelay): // it ended, something it left behind held the output open
		exit.Code = cmd.ProcessState.ExitCode()
		return exit, nil
	}
	return exit, fmt.Errorf("sandbox: %w", err)
}

// argv returns the whole command line: into the cgroup, into the sandbox around, and
// there the second stage.
func (s *Sandbox) argv(spec Spec, j *job) ([]string, error) {
	if s.mode == Off {
		return spec.Argv, nil
	}
	shared := 0
	if j.user != 0 {
		shared = j.users.group
	}
	inner := stage2{Dir: spec.Dir, Limits: spec.Limits, Write: spec.Write, User: j.user, Group: shared,
		Read: append([]string{filepath.Dir(s.program), spec.Dir}, spec.Read...), Offline: !spec.Network,
		Port:      spec.Port,
		NoTemp:    s.bare(),
		NoSockets: s.bwrap == "" && j.group == nil}
	text, err := json.Marshal(inner)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	line := append([]string{s.program, InitCommand, string(text), "--"}, spec.Argv...)
	switch {
	case len(s.outer) > 0 && !spec.Network: // what needs the network is our own fetching
		line = append(s.outerArgs(spec), line...)
	case s.bwrap != "":
		line = append(s.bwrapArgs(spec), line...)
	}
	if j.group == nil {
		return line, nil
	}
	if text, err = json.Marshal(stage2{Join: []string{j.group.procs()}}); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return append([]string{s.program, InitCommand, string(text), "--"}, line...), nil
}

// bwrapArgs returns the command line of bubblewrap up to `--`.
func (s *Sandbox) bwrapArgs(spec Spec) []string {
	// the environment is inherited: it may hold a token, which an argument would show to everybody
	a := []string{s.bwrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL"}
	if !spec.Network {
		a = append(a, "--unshare-net")
	}
	if s.users != nil {
		// No user namespace: in one, the mapped uid would be root outside. The
		// second stage gives root away for good, and may do nothing else with it.
		a = append(a, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
	} else {
		a = append(a, "--unshare-user", "--disable-userns")
	}
	a = append(a, "--ro-bind", "/usr", "/usr")
	for _, d := range []string{"bin", "lib", "lib32", "lib64", "libx32", "sbin"} {
		if to, err := os.Readlink("/" + d); err == nil {
			a = append(a, "--symlink", to, "/"+d)
		} else {
			a = append(a, "--ro-bind-try", "/"+d, "/"+d)
		}
	}
	a = append(a, "--perms", "0755", "--dir", "/etc")
	for _, d := range []string{"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d"} {
		a = append(a, "--ro-bind-try", d, d)
	}
	if spec.Network {
		for _, d := range []string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/ssl",
			"/etc/ca-certificates", "/etc/pki"} {
			a = append(a, "--ro-bind-try", d, d)
		}
	}
	if n := spec.Limits.Scratch; n > 0 {
		a = append(a, "--size", strconv.FormatInt(n, 10))
	}
	a = append(a, "--perms", "1777", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev")
	// bubblewrap would give the way to a mount the rights that it has outside
	for _, d := range parents(append(append([]string{filepath.Dir(s.program), spec.Dir}, spec.Read...),
		spec.Write...)) {
		a = append(a, "--perms", "0755", "--dir", d)
	}
	a = append(a, "--ro-bind", filepath.Dir(s.program), filepath.Dir(s.program))
	for _, d := range spec.Read {
		a = append(a, "--ro-bind-try", d, d)
	}
	if spec.Dir != "" {
		a = append(a, "--ro-bind", spec.Dir, spec.Dir)
	}
	for _, d := range spec.Write {
		a = append(a, "--bind", d, d)
	}
	return append(a, "--remount-ro", "/", "--")
}

// parents lists the folders above the given ones that bubblewrap must make, outer ones first.
func parents(dirs []string) []string {
	seen := map[string]bool{"/": true, "/tmp": true, "/usr": true, ".": true}
	var out []string
	for _, d := range dirs {
		var up []string
		for d = filepath.Dir(d); !seen[d] && !strings.HasPrefix(d, "/usr/"); d = filepath.Dir(d) {
			seen[d] = true
			up = append(up, d)
		}
		slices.Reverse(up)
		out = append(out, up...)
	}
	return out
}

// give makes the writable folders a user's.
func give(dirs []string, user int) error {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, user, user)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
