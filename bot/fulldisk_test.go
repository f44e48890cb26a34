package bot_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk names, to a test in a mount namespace of its own, the folder to mount
// its small file system on.
const smallDisk = "FIRMPROOF_TEST_SMALL_DISK"

// TestFullFileSystem: the file system of database, mirrors and scratch is really
// full, in the middle of a run and when a webhook comes. Nothing is lost, nothing is
// done twice, it is said, and everything ends by itself when there is room again.
// The test runs itself in a namespace where it may mount.
func TestFullFileSystem(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size=48m"); err != nil {
			t.Fatal(err)
		}
		fullFileSystem(t, dir)
		return
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFullFileSystem$", "-test.timeout=8m")
	cmd.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

func fullFileSystem(t *testing.T, disk string) {
	r := &reader{hold: make(chan struct{})}
	w := &world{t: t, logs: &syncBuffer{}}
	w.proxyServer()
	w.connect(t.TempDir(), r, w.proxy.URL)
	w.cfg.Data, w.cfg.MinFree = filepath.Join(disk, "sv"), 4<<20
	w.cfg.RedeliverEvery = time.Second
	w.start()
	t.Cleanup(func() { w.stop(); w.judge() })
	w.repo("fine\n")
	w.push("topic", "bug\n")
	w.pull("topic", false)
	w.await("both verifications", func(state) bool { return r.count() == 2 })

	free := fill(t, disk)
	close(r.hold) // their answers find no room
	w.push("topic", "fine\nstill fine\n")
	w.await("a word about it", func(state) bool { return strings.Contains(w.logs.String(), `"work is paused"`) })
	w.await("a true word from /readyz", func(state) bool {
		code, text, _ := page(t, w.proxy.URL+"/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "the disk of")
	})
	time.Sleep(2 * time.Second)
	for _, c := range w.state().CheckRuns {
		if c.Status == "completed" && c.Conclusion == "success" {
			t.Errorf("%s succeeded on a full disk", c.Name)
		}
	}
	free()
	w.await("readiness", func(state) bool {
		code, _,
			_ := page(t, w.proxy.URL+"/readyz")
		return code == http.StatusOK
	})
	s := w.state()
	head := s.Pulls[0].Head.SHA
	s = w.await("the runs of both commits", func(s state) bool {
		ends := 0
		for _, c := range s.CheckRuns {
			if c.Status != "completed" {
				return false
			}
			if c.HeadSHA == head && c.Conclusion == "success" {
				ends++
			}
		}
		return ends == 3
	})
	seen := map[string]bool{}
	for _, c := range s.CheckRuns {
		if seen[c.Name+c.HeadSHA] {
			t.Errorf("two check runs %s of %s", c.Name, c.HeadSHA)
		}
		seen[c.Name+c.HeadSHA] = true
	}
}

// fill takes every block of a file system, and gives the function that gives them back.
func fill(t *testing.T, disk string) (free func()) {
	t.Helper()
	name := filepath.Join(disk, "filler")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}
