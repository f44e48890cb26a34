package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/elastic/go-seccomp-bpf/arch"
)

// bare returns a sandbox as a machine has it that offers less: without bubblewrap, or
// without cgroups.
func bare(t *testing.T, bwrap, groups bool) (*Sandbox, string) {
	t.Helper()
	path := os.Getenv("PATH")
	if !bwrap {
		t.Setenv("PATH", "/nonexistent")
	}
	s, work := box(t, BestEffort)
	t.Setenv("PATH", path)
	if bwrap && s.bwrap == "" {
		t.Skip("no bubblewrap on this machine: ", s.Layers())
	}
	if !groups {
		s.groups = nil
	}
	return s, work
}

// holders are programs that hold memory where no process shows it, 40 MB at a time; each
// says "bad" when it has got far more than its job may have.
var holderScripts = map[string]string{
	"memfd": `
import os
for i in range(20):
    f = os.memfd_create("x")
    os.write(f, bytes(40 << 20))
print("bad")`,
	"shared memory of System V": `
import ctypes
l = ctypes.CDLL(None); l.shmat.restype = ctypes.c_void_p
for i in range(20):
    n = l.shmget(0, 40 << 20, 0o1600)
    if n < 0: raise SystemExit(3)
    a = l.shmat(n, None, 0)
    ctypes.memset(a, 1, 40 << 20); l.shmdt(ctypes.c_void_p(a))
print("bad")`,
	"queues of System V": `
import ctypes
l = ctypes.CDLL(None)
print("bad" if l.msgget(0, 0o1600) >= 0 else "none")`,
	"shared memory by name": `
f = open("/dev/shm/x", "wb")
for i in range(20): f.write(bytes(40 << 20))
print("bad")`,
	"files without a name": `
import os
keep = []
for i in range(40):
    f = open("gone", "wb"); os.unlink("gone")
    f.write(bytes(20 << 20)); f.flush(); keep.append(f)
import time; time.sleep(5); print("bad")`,
	"mapped files without a name": `
import os, mmap
keep = []
for i in range(40):
    f = open("gone", "wb+"); os.unlink("gone")
    f.write(bytes(20 << 20)); f.flush(); keep.append(mmap.mmap(f.fileno(), 20 << 20)); f.close()
import time; time.sleep(5); print("bad")`,
	"sockets": `
import os, socket, time
keep = []
for p in range(3):
    if os.fork() == 0: break
try:
    for i in range(1500):
        a, b = socket.socketpair(); a.setblocking(False)
        try: a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
        except OSError: pass
        try:
            while True: a.send(bytes(1 << 16))
        except BlockingIOError: pass
        keep.append((a, b))
except OSError: raise SystemExit(3)
time.sleep(5); print("bad")`,
	"pipes": `
import os, time
for p in range(30):
    if os.fork() == 0: break
keep = []
try:
    while len(keep) < 1900:
        a, b = os.pipe(); os.set_blocking(b, False); keep.append(a)
        try: os.write(b, bytes(1 << 16))
        except BlockingIOError: pass
except OSError: pass
time.sleep(6); print("bad")`,
	"small files": `
import os
for d in range(40):
    os.mkdir("/tmp/%d" % d)
    for i in range(50): open("/tmp/%d/%d" % (d, i), "w").close()
import time; time.sleep(5); print("bad")`,
	"small files in the tree": `
import os
for d in range(40):
    os.mkdir("%d" % d)
    for i in range(50): open("%d/%d" % (d, i), "w").close()
import time; time.sleep(5); print("bad")`,
}

// TestHeldMemory: without a cgroup, memory and disk that no process and no folder shows
// are refused or counted.
func TestHeldMemory(t *testing.T) {
	for _, bwrap := range []bool{true, false} {
		s, work := (*Sandbox)(nil), ""
		t.Run(map[bool]string{true: "bubblewrap", false: "bare"}[bwrap], func(t *testing.T) {
			s, work = bare(t, bwrap, false)
			for name, script := range holderScripts {
				if !bwrap && name == "small files" { // on the disk of the machine
					continue
				}
				if !bwrap && s.abi <= 0 && name == "shared memory by name" {
					t.Log("without bubblewrap and Landlock, /dev/shm is the machine's")
					continue
				}
				t.Run(name, func(t *testing.T) {
					dir := filepath.Join(work, strings.ReplaceAll(name, " ", "-"))
					if err := os.Mkdir(dir, 0o755); err != nil {
						t.Fatal(err)
					}
					o := s.sh(t, dir, "python3 - <<'E'"+script+"\nE\nwait", func(spec *Spec) {
						spec.Limits.Memory, spec.Limits.Disk, spec.Limits.Inodes = 300<<20, 300<<20, 1_000
						spec.Limits.Scratch = 64 << 20
						spec.Write = []string{dir}
					})
					if o.err != nil || strings.Contains(o.out, "bad") || strings.Contains(o.out, "SyntaxError") {
						t.Errorf("%+v", o)
					}
					t.Logf("code %d, ended for %q after %s", o.Code, o.Killed, o.Duration.Round(time.Millisecond))
				})
			}
		})
	}
}

// TestManyProcesses: a job at its limit of processes takes none from the job of another owner.
func TestManyProcesses(t *testing.T) {
	s, work := box(t, BestEffort)
	if s.users == nil && s.bwrap == "" {
		t.Skip("jobs share a user on this machine: ", s.Layers())
	}
	var dirs [3]string
	for i := range dirs {
		dirs[i] = filepath.Join(work, string(rune('a'+i)))
		if err := os.Mkdir(dirs[i], 0o755); err != nil {
			t.Fatal(err)
		}
	}
	limit := func(i int) func(*Spec) {
		return func(spec *Spec) { spec.Limits.Procs, spec.Write = 60, []string{dirs[i]} }
	}
	var hungry sync.WaitGroup
	for i := range 2 {
		hungry.Add(1)
		go func() {
			defer hungry.Done()
			o := s.sh(t, dirs[i],
				"for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 "+
					"33 34 35 36 37 38 39 40; do sleep 4 & done; touch full; wait", limit(i))
			if o.Code != 0 || o.Threads < 35 {
				t.Errorf("%+v", o)
			}
		}()
	}
	for _, d := range dirs[:2] {
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(d, "full")); err == nil {
				break
			}
		}
	}
	o := s.sh(t, dirs[2], "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.5 & done; wait; "+
		"echo fine", limit(2))
	if o.Code != 0 || !strings.Contains(o.out, "fine") || strings.Contains(o.out, "ork") {
		t.Errorf("the other owner's job: %+v", o)
	}
	hungry.Wait()
}

// TestNeverRoot: where there is no bubblewrap, a job of root has another user's rights all
// the same, no capability that could come back, and nothing of it survives.
func TestNeverRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root has rights to give away")
	}
	s, work := bare(t, false, false)
	mark := filepath.Join(work, "mark")
	o := s.sh(t, work, "id -u; id -G; grep -E '^Cap|NoNewPrivs' /proc/self/status; chown 0 . 2>/dev/null && echo bad chown; "+
		"touch /etc/firmproof-test 2>/dev/null && echo bad etc; cat /etc/shadow 2>/dev/null && echo bad shadow; "+
		"setsid sh -c 'while :; do date >>mark; sleep 0.05; done' >/dev/null 2>&1 & sleep 0.4", nil)
	words := strings.Fields(o.out)
	if o.err != nil || o.Code != 0 || strings.Contains(o.out, "bad") || len(words) < 2 || words[0] == "0" ||
		words[1] == "0" {
		t.Fatalf("%+v", o)
	}
	for _, c := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
		if !strings.Contains(o.out, c+":\t0000000000000000") {
			t.Errorf("%s is left:\n%s", c, o.out)
		}
	}
	still(t, mark)
	if s.users == nil || !strings.Contains(s.String(), "user") || strings.Contains(s.String(), "bubblewrap") {
		t.Errorf("layers: %s", s)
	}
}

// TestClosedFolder: root does not build as root where nobody else could reach the tree; it
// says what to do.
func TestClosedFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root has rights to give away")
	}
	t.Setenv("PATH", "/nonexistent")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data", "bin") // below a folder of mode 0700
	_, err = New(context.Background(), BestEffort, self, dir)
	if err == nil || !strings.Contains(err.Error(), "o+x") || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("%v", err)
	}
	if s, err := New(context.Background(), Off, self, dir); err != nil || !strings.Contains(s.Layers()[0].Detail,
		"as user 0") {
		t.Errorf("off: %v", err)
	}
}

// TestAllowed: the list of system calls has no name twice, none that this machine's table lacks altogether, and none of
// those that reach other processes, namespaces, the machine, or memory that nobody counts.
func TestAllowed(t *testing.T) {
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	list := allowed()
	unknown := 0
	for i, name := range list {
		if slices.Contains(list[:i], name) {
			t.Errorf("%s is listed twice", name)
		}
		if _, ok := info.SyscallNames[name]; !ok {
			unknown++ // of another kind of processor
		}
	}
	if len(list) < 200 || unknown > 40 {
		t.Errorf("%d calls, %d of them unknown here", len(list), unknown)
	}
	for _, name := range strings.Fields("ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise bpf " +
		"perf_event_open userfaultfd io_uring_setup io_uring_enter fanotify_init unshare setns mount umount2 pivot_root " +
		"chroot move_mount open_tree open_tree_attr fsopen fsconfig statmount listmount clone3 keyctl add_key " +
		"open_by_handle_at name_to_handle_at quotactl quotactl_fd swapon reboot kexec_load init_module finit_module " +
		"settimeofday clock_settime adjtimex iopl ioperm modify_ldt personality vmsplice memfd_create memfd_secret shmget " +
		"shmat msgget mq_open lsm_set_self_attr") {
		if slices.Contains(list, name) {
			t.Errorf("%s is allowed", name)
		}
	}
}

// TestFolder: jobs pass through a folder that is theirs, in every way in which they run; another user does not.
func TestFolder(t *testing.T) {
	for _, way := range []string{"required", "bubblewrap", "bare", "off"} {
		t.Run(way, func(t *testing.T) {
			s, work := (*Sandbox)(nil), ""
			if way == "off" {
				if s, work = box(t, Off); !Reachable(work) {
					s.users = newUsers()
				}
			} else {
				s, work = hostileBox(t, way)
			}
			if err := passable(work); err != nil {
				t.Skip(err)
			}
			units := filepath.Join(work, "units")
			mine := filepath.Join(units, "1-2")
			err := errors.Join(s.Folder(units), os.Mkdir(mine, 0o755), os.Chmod(mine, 0o755),
				os.WriteFile(filepath.Join(mine, "unit"), []byte("source"), 0o644))
			if err != nil {
				t.Fatal(err)
			}
			tree := filepath.Join(work, "tree")
			if err := os.Mkdir(tree, 0o755); err != nil {
				t.Fatal(err)
			}
			o := s.sh(t, tree, "cat "+filepath.Join(mine, "unit")+"; id -G", func(spec *Spec) {
				spec.Dir, spec.Write, spec.Read = tree, []string{tree}, []string{mine}
			})
			if o.err != nil || o.Code != 0 || !strings.HasPrefix(o.out, "source") {
				t.Errorf("a job: %+v", o)
			}
			if os.Getuid() != 0 {
				return
			}
			cmd := exec.Command("head", filepath.Join(mine, "unit"))
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65_534, Gid: 65_534}}
			if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "denied") {
				t.Errorf("another user reads %q: %v", out, err)
			}
		})
	}
}

// TestRequired: what the mode wants and this machine has not is named.
func TestRequired(t *testing.T) {
	s := &Sandbox{mode: Required, layers: []Layer{{"bubblewrap", true, ""}, {"cgroup", false, "none was delegated"}}}
	if err := s.enough(); err == nil || !strings.Contains(err.Error(), "cgroup is required: none was delegated") {
		t.Errorf("%v", err)
	}
	s.layers[1].Active = true
	if err := s.enough(); err != nil {
		t.Error(err)
	}
}

// TestUsers: ids come from ranges that exist, each once at a time.
func TestUsers(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(dir, "map")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for text, want := range map[string]bool{"0 0 4294967295\n": true, "0 100000 65536\n": false,
		"0 1000 1\n1 100000 65536\n": false, "": false} {
		if mapped(write(text), [2]int{firstUser, lastUser}) != want {
			t.Errorf("%q", text)
		}
	}
	if !mapped(write("0 1000 1\n1 100000 65536\n"), [2]int{firstSmall, lastSmall}) {
		t.Error("a container's users are not found")
	}
	u := &users{first: 70_000, last: 70_002, held: map[int]bool{}}
	a, b, c := u.take(), u.take(), u.take()
	if a == b || b == c || a == c {
		t.Errorf("%d %d %d", a, b, c)
	}
	u.giveBack(b)
	if d := u.take(); d != b {
		t.Errorf("%d, want %d", d, b)
	}
}

// TestSandboxCommand: a job goes through the sandbox that the user names, with folders,
// limits, exit status and end.
func TestSandboxCommand(t *testing.T) {
	dir, err := os.MkdirTemp("", "firmproof-outer")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	work, command := filepath.Join(dir, "data", "work"), filepath.Join(dir, "outer")
	stand := "#!/bin/sh\nfirst=$1; shift\nlog=\nwhile [ \"$1\" != -- ]; do log=\"$log $1\"; shift; done\nshift\n" +
		"echo \"$first$log\" >" + dir + "/log\nexec \"$@\"\n"
	if err := errors.Join(os.Chmod(dir, 0o755), os.MkdirAll(work, 0o755), os.WriteFile(command, []byte(stand),
		0o755)); err != nil {
		t.Fatal(err)
	}
	s, err := New(context.Background(), Required, self, filepath.Join(dir, "data", "bin"), command, "fast")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.Contained() || !strings.Contains(s.String(), "sandbox-command") {
		t.Errorf("layers: %s", s)
	}
	o := s.sh(t, work, "pwd; touch here && exit 7", func(spec *Spec) { spec.Read = []string{"/usr/share"} })
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	want := "fast --dir " + work + " --memory 4294967296 --processes 512 --read " + filepath.Join(dir, "data", "bin") +
		" --read /usr/share --write " + work + "\n"
	if err != nil || string(log) != want || o.Code != 7 || o.out != work+"\n" {
		t.Errorf("%+v\n%q\n%q %v", o, log, want, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := s.Run(ctx, Spec{Argv: []string{"/bin/sleep", "100"}, Dir: work, Write: []string{work},
		Limits: DefaultLimits()}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
	if _, err := New(context.Background(), Required, self, filepath.Join(dir, "data", "bin"),
		"/bin/false"); err == nil ||
		!strings.Contains(err.Error(), "--sandbox-command") {
		t.Errorf("a command that runs nothing: %v", err)
	}
}

// siege skips a test that `make test` has no time for.
func siege(t *testing.T) {
	t.Helper()
	if os.Getenv("SIEGE") == "" {
		t.Skip("an attack of `make siege`")
	}
}

// TestRunscJob: the script for gVisor gives runsc a bundle in which the job runs; a
// stand-in runs its arguments in its folder.
func TestRunscJob(t *testing.T) {
	dir := t.TempDir()
	stand := "#!/usr/bin/python3\nimport json,os,sys\nb=sys.argv[sys.argv.index('--bundle')+1]\n" +
		"c=json.load(open(b+'/config.json'))\nm={x['destination']:x.get('options') for x in c['mounts']}\n" +
		"assert sys.argv[1:3]==['--network=none','run'] and m['" + dir + "']==['rbind','rw'], m\n" +
		"assert m['/usr/share']==['rbind','ro'] and c['linux']['resources']['memory']['limit']==1000, c\n" +
		"p=c['process']\nos.chdir(p['cwd'])\n" +
		"sys.exit(os.spawnve(os.P_WAIT,p['args'][0],p['args'],dict(e.split('=',1) for e in p['env'])))\n"
	if err := os.WriteFile(filepath.Join(dir, "runsc"), []byte(stand), 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../deploy/runsc-job")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "--dir", dir, "--memory", "1000", "--processes", "7", "--read", "/usr/share", "--write",
		dir, "--", "/bin/sh", "-c", `echo "in \"$PWD\" with $HOME"; exit 7`)
	cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=/none", "SECRET=x"}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 7 || string(out) != "in \""+dir+"\" with /none\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
