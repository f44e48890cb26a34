package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// TestMain lets the test binary be its own second stage.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == InitCommand {
		os.Exit(Init(os.Args[2:]))
	}
	if len(os.Args) == 5 && os.Args[1] == "nested-test" {
		if err := nestedTest(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Println("bad:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// box returns a sandbox with a work folder.
func box(t *testing.T, mode Mode) (*Sandbox, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "firmproof-box")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	work := filepath.Join(dir, "work") // below a folder that only its owner may enter
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(context.Background(), mode, self, filepath.Join(dir, "bin"))
	if mode == Required && err != nil {
		t.Skip("this machine holds no job in every way: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, work
}

type outcome struct {
	Exit
	out string
	err error
}

func (s *Sandbox) sh(t *testing.T, work, script string, change func(*Spec)) outcome {
	t.Helper()
	var out bytes.Buffer
	spec := Spec{Argv: []string{"/bin/sh", "-c", script}, Dir: work, Write: []string{work}, Limits: DefaultLimits(),
		Stdout: &out, Stderr: &out}
	if change != nil {
		change(&spec)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	exit, err := s.Run(ctx, spec)
	return outcome{exit, out.String(), err}
}

func TestLayers(t *testing.T) {
	s, work := box(t, Required)
	for _, l := range s.Layers() {
		t.Logf("%-10s %v %s", l.Name, l.Active, l.Detail)
	}
	for _, want := range []string{"bubblewrap", "landlock", "seccomp", "rlimits"} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("%s is not active: %s", want, s)
		}
	}
	if o := s.sh(t, work, "exit 7", nil); o.Code != 7 || o.err != nil {
		t.Errorf("exit status: %+v", o)
	}
}

// TestCompile: an ordinary build works.
func TestCompile(t *testing.T) {
	s, work := box(t, Required)
	if err := os.WriteFile(filepath.Join(work, "a.c"),
		[]byte("#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := s.sh(t, work,
		"cc -o a a.c && ./a && "+llvmtest.Tools(t).Clang+" -c -S -emit-llvm a.c && ls a.ll && echo x >/tmp/y && touch out",
		nil); o.Code != 0 || !strings.Contains(o.out, "hello") {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(filepath.Join(work, "out")); err != nil {
		t.Errorf("what the build wrote is lost: %v", err)
	}
}

// hostileBox returns a sandbox as machines have it that lack more and more: "required" lacks nothing, "bubblewrap" may
// lack a cgroup and another user, as a server that is not root, "bare" has no namespaces either, as in most containers.
func hostileBox(t *testing.T, way string) (*Sandbox, string) {
	t.Helper()
	if way == "required" {
		return box(t, Required)
	}
	s, work := box(t, BestEffort)
	if way == "bare" {
		s.bwrap = ""
		for d := work; d != "/" && os.Getuid() == 0; d = filepath.Dir(d) {
			if st, err := os.Stat(d); err == nil && st.Mode()&0o001 == 0 {
				if err := os.Chmod(d, st.Mode()|0o011); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if way == "bubblewrap" && s.bwrap == "" || s.abi < 6 {
		t.Skip("this machine has not what the attack is held by: ", s.Layers())
	}
	return s, work
}

// TestHostile: each script tries something that must not work, and says "bad" if it did.
func TestHostile(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("bad"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := strings.TrimPrefix(l.Addr().String(), "127.0.0.1:")
	t.Setenv("FIRMPROOF_TEST_SECRET", "bad")
	// what Python prints is put together: from 3.13 on it shows the text of what failed
	scripts := map[string]string{
		"shadow":         "cat /etc/shadow && echo bad",
		"symlink":        "ln -s /etc/shadow x; cat x && echo bad",
		"symlink secret": "ln -s " + secret + " y; cat y",
		"store":          "cat " + filepath.Dir(secret) + "/* && echo bad",
		"other work":     "ls .. && ls ../.. && cat ../*/secret && echo bad",
		"home":           "ls /root /home && echo bad",
		"environment":    "env; cat /proc/1/environ /proc/self/environ | tr '\\0' '\\n'",
		"parent":         "cat /proc/$PPID/environ; ls /proc/[0-9]*/root/etc/shadow && echo bad",
		"network": "python3 - <<E\nimport socket\nsocket.create_connection(('127.0.0.1'," + port +
			"),2)\nprint('b'+'ad')\nE",
		"network bash":    "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + port + " && echo bad'",
		"write usr":       "echo x >/usr/x && echo bad",
		"write root":      "echo x >/x && echo bad",
		"mount":           "mount -t tmpfs x /tmp && echo bad",
		"userns":          "unshare -U true && echo bad",
		"ptrace":          "sleep 1 & python3 - $! <<E\nimport ctypes,sys\nprint('b'+'ad' if ctypes.CDLL(None).ptrace(16,int(sys.argv[1]),0,0)==0 else 'good')\nE",
		"io_uring":        "python3 - <<E\nimport ctypes\nl=ctypes.CDLL(None)\nb=ctypes.create_string_buffer(200)\nprint('b'+'ad' if l.syscall(425,4,b)>=0 else 'good')\nE",
		"upper half":      "python3 - <<E\nimport ctypes\nl=ctypes.CDLL(None)\nprint('b'+'ad' if l.syscall(41,ctypes.c_ulong((1<<32)|2),2,0)>=0 else 'good')\nE",
		"later call":      "python3 - <<E\nimport ctypes,os\nl=ctypes.CDLL(None)\nprint('b'+'ad' if l.syscall(467,-100,b'.',0,0,0)>=0 else 'good')\nE",
		"bpf":             "python3 - <<E\nimport ctypes\nb=ctypes.create_string_buffer(200)\nprint('b'+'ad' if ctypes.CDLL(None).syscall(321,0,b,120)>=0 else 'good')\nE",
		"capabilities":    "grep -E '^Cap(Inh|Prm|Eff|Amb):.*[1-9a-f]' /proc/self/status && echo bad; true",
		"user":            "test $(id -u) = 0 && echo bad; true",
		"setuid":          "python3 -c 'import os; os.setuid(0); print(\"b\"+\"ad\")'",
		"kill everything": "kill -9 -1; true",
		"other ABI":       "printf '%s' 'void _start(void){ __asm__ volatile(\"int $0x80\"::\"a\"(20)); __asm__ volatile(\"int $0x80\"::\"a\"(1),\"b\"(0)); }' >i.c && cc -nostdlib -static -o i i.c && ./i && echo bad",
	}
	for _, way := range []string{"required", "bubblewrap", "bare"} {
		t.Run(way, func(t *testing.T) {
			s, work := hostileBox(t, way)
			for name, script := range scripts {
				if name == "parent" && way == "bare" { // its own root is the machine's, and may be named
					script = "cat /proc/$PPID/environ"
				}
				t.Run(name, func(t *testing.T) {
					o := s.sh(t, work, script, nil)
					if o.err != nil || strings.Contains(o.out, "bad") {
						t.Errorf("%+v", o)
					}
				})
			}
		})
	}
	// the scripts do find the hole where there is one
	off, work := box(t, Off)
	for _, name := range []string{"symlink secret", "network", "network bash", "other ABI", "environment"} {
		o := off.sh(t, work, scripts[name], func(s *Spec) { s.Env = os.Environ() })
		if name == "other ABI" && o.Exit.Code == 128+int(syscall.SIGSEGV) {
			continue // this kernel has no other ABI: no hole
		}
		if !strings.Contains(o.out, "bad") {
			t.Errorf("%s says nothing without a sandbox: %+v", name, o)
		}
	}
}

// TestHungry: what takes too much is ended, and this process is not harmed.
func TestHungry(t *testing.T) {
	s, work := box(t, Required)
	t.Run("fork bomb", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		start := time.Now()
		_, err := s.Run(ctx, Spec{Argv: []string{"/bin/bash", "-c", "f() { f | f & }; f; sleep 100"}, Dir: work,
			Write: []string{work}, Limits: Limits{Procs: 64}})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 18*time.Second {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		if err := exec.Command("/bin/true").Run(); err != nil {
			t.Errorf("this machine is out of processes: %v", err)
		}
	})
	t.Run("memory of one", func(t *testing.T) {
		o := s.sh(t, work, "python3 -c 'x = bytearray(600 << 20); print(\"b\"+\"ad\")'",
			func(s *Spec) { s.Limits.Memory = 256 << 20 })
		if o.Code == 0 || strings.Contains(o.out, "bad") {
			t.Errorf("%+v", o)
		}
	})
	t.Run("memory of many", func(t *testing.T) {
		o := s.sh(t, work, "for i in 1 2 3 4 5 6; do python3 -c 'import time\nx = bytearray(100 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\ntime.sleep(10)' & done; wait; echo bad", func(s *Spec) { s.Limits.Memory = 300 << 20 })
		if o.Killed != "memory" || strings.Contains(o.out, "bad") {
			t.Errorf("%+v", o)
		}
	})
	t.Run("one file", func(t *testing.T) {
		o := s.sh(t, work, "head -c 50000000 /dev/zero >big && echo bad", func(s *Spec) { s.Limits.File = 10 << 20 })
		if strings.Contains(o.out, "bad") {
			t.Errorf("%+v", o)
		}
	})
	t.Run("disk", func(t *testing.T) {
		o := s.sh(t, work, "i=0; while :; do i=$((i+1)); head -c 4000000 /dev/zero >f$i || exit 3; done",
			func(s *Spec) { s.Limits.Disk = 64 << 20 })
		if o.Killed != "disk" {
			t.Errorf("%+v", o)
		}
	})
	t.Run("nested folders", func(t *testing.T) {
		dir := filepath.Join(work, "nested")
		run := func(script string) outcome {
			if err := errors.Join(files.Remove(dir), os.Mkdir(dir, 0o755)); err != nil {
				t.Fatal(err)
			}
			return s.sh(t, dir, script, func(s *Spec) { s.Dir, s.Write = dir, []string{dir} })
		}
		script := func(levels int) string {
			return fmt.Sprintf("python3 -c 'import os\nfor i in range(%d): os.mkdir(\"d\"); os.chdir(\"d\")\n"+
				"open(\"big\", \"w\").write(\"x\" * 100)'", levels)
		}
		if o := run(script(150)); o.Killed != "" || o.Code != 0 {
			t.Errorf("150 levels: %+v", o)
		}
		if o := run(script(6_300)); o.Killed != nestedFolders {
			t.Errorf("6300 levels: %+v", o)
		}
		if o := run(script(300) + "; sleep 60"); o.Killed != nestedFolders || o.err != nil {
			t.Errorf("while it runs: %+v", o)
		}
		if err := files.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	t.Run("tmp", func(t *testing.T) {
		o := s.sh(t, work, "head -c 90000000 /dev/zero >/tmp/big && echo bad",
			func(s *Spec) { s.Limits.Scratch = 16 << 20 })
		if strings.Contains(o.out, "bad") {
			t.Errorf("%+v", o)
		}
	})
	t.Run("flood", func(t *testing.T) {
		r := &Runner{Box: s, Limits: DefaultLimits()}
		res, err := r.Run(context.Background(),
			compile.Cmd{Argv: []string{"/bin/sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' x"}, Dir: work,
				Write: []string{work}})
		if err == nil || !strings.Contains(err.Error(), "bytes of output") || len(res.Stdout) > maxOutput {
			t.Errorf("%d bytes, %v", len(res.Stdout), err)
		}
	})
	t.Run("processor time", func(t *testing.T) {
		o := s.sh(t, work, "while :; do :; done", func(s *Spec) { s.Limits.CPU = time.Second })
		if o.Code < 128 || o.Duration > 10*time.Second {
			t.Errorf("%+v", o)
		}
	})
}

// TestEnd: nothing of a run outlives it, neither when it ends nor when it is cancelled.
func TestEnd(t *testing.T) {
	for _, mode := range []Mode{Required, Off} {
		t.Run(string(mode), func(t *testing.T) {
			s, work := box(t, mode)
			mark := filepath.Join(work, "mark")
			if mode == Required {
				o := s.sh(t, work, "setsid sh -c 'while :; do date >>mark; sleep 0.05; done' >/dev/null 2>&1 & sleep 0.3", nil)
				if o.Code != 0 || o.err != nil {
					t.Errorf("%+v", o)
				}
				still(t, mark)
			}
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(500*time.Millisecond, cancel)
			start := time.Now()
			_, err := s.Run(ctx, Spec{Argv: []string{"/bin/sh", "-c",
				"trap '' TERM INT; (setsid sh -c 'while :; do date >>mark; sleep 0.05; done') & while :; do sleep 1; done"}, Dir: work, Write: []string{work}})
			if !errors.Is(err, context.Canceled) || time.Since(start) > 15*time.Second {
				t.Errorf("%v after %s", err, time.Since(start))
			}
			still(t, mark)
		})
	}
}

// still checks that nobody writes the file any more.
func still(t *testing.T, name string) {
	t.Helper()
	time.Sleep(200 * time.Millisecond)
	a, err := os.ReadFile(name)
	if err != nil || len(a) == 0 {
		t.Fatalf("the daemon never ran: %v", err)
	}
	time.Sleep(300 * time.Millisecond)
	b, err := os.ReadFile(name)
	if err != nil || len(a) != len(b) {
		t.Error("a daemon outlives its run")
	}
}
