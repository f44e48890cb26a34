package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// watcher ends a tree of processes: with its context, or over a limit.
type watcher struct {
	pid    int
	user   int // of the tree alone; 0: none
	group  *cgroup
	own    bool // network namespace of its own
	limits Limits
	write  []string
	before treeSize      // of the writable folders
	done   chan struct{} // the first process has ended
	gone   chan struct{} // the watcher has ended

	peak    int64
	threads int // most that were seen
	killed  string
}

// pause between two looks. A tree can overshoot what no group holds for this long; each
// single process is held by its own limits meanwhile.
const pause = 100 * time.Millisecond

func (w *watcher) loop(ctx context.Context) {
	defer close(w.gone)
	full := make(chan string, 1) // disks may be slow: memory is looked at beside
	stop := make(chan struct{})
	go w.watchDisk(full, stop)
	defer close(stop)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for w.killed == "" {
		select {
		case <-w.done:
			w.kill() // what it left behind
			return
		case <-ctx.Done():
			w.kill()
			<-w.done
			return
		case w.killed = <-full:
		case <-tick.C:
			w.killed = w.look()
		}
	}
	w.kill()
	<-w.done
}

// What an open file, pipe or socket is counted with where no cgroup counts what it
// holds, and how many a tree may have open.
const (
	openBytes = 16 << 10
	maxOpen   = 64 << 10
)

// look returns the limit that the tree is over, or nothing.
func (w *watcher) look() string {
	t := treeOf(w.pid, w.user)
	w.peak, w.threads = max(w.peak, t.rss), max(w.threads, t.threads)
	if w.group != nil {
		if w.group.full() {
			return "memory"
		}
		return ""
	}
	open := 0
	for _, p := range t.pids {
		open += openFiles(p)
	}
	held := t.rss + int64(open)*openBytes
	if w.own && len(t.pids) > 0 { // a network that is the machine's shows all sockets of it: sameNetwork
		held += int64(socketsOf(t.pids)) * socketBytes()
	}
	switch {
	case w.limits.Memory > 0 && held > w.limits.Memory:
		return "memory"
	case open > maxOpen:
		return "open files"
	case w.own && w.limits.Inodes > 0 && tempFiles(t.pids) > w.limits.Inodes:
		return "files"
	}
	return ""
}

// kill ends the process group, and every process of the tree that left it. Inside a pid
// namespace the end of its first process ends all others.
func (w *watcher) kill() {
	for _, p := range treeOf(w.pid, w.user).pids {
		if p != w.pid {
			_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended by itself
		}
	}
	_ = syscall.Kill(-w.pid, syscall.SIGKILL)
	w.group.kill()
}

// proc is one line of the process table.
type proc struct {
	parent  int
	threads int
	rss     int64
}

// processes reads the process table.
func processes() map[int]proc {
	out := map[int]proc{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return out
	}
	page := int64(os.Getpagesize())
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(procFile(pid, "stat"))
		if err != nil {
			continue // it has ended
		}
		// the name in parentheses may hold anything: fields count from its end
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(f) < 22 {
			continue
		}
		parent, err1 := strconv.Atoi(f[1])
		threads, err2 := strconv.Atoi(f[17])
		rss, err3 := strconv.ParseInt(f[21], 10, 64)
		if err1 == nil && err2 == nil && err3 == nil {
			out[pid] = proc{parent, threads, rss * page}
		}
	}
	return out
}

func procFile(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// tree holds what a look at a process and all below it found.
type tree struct {
	pids    []int
	rss     int64
	threads int
}

// treeOf lists pid, everything below it, and every process of user if that is not 0.
func treeOf(pid, user int) tree {
	var t tree
	all := processes()
	for p, x := range all {
		if p == pid || below(all, p, pid) || user != 0 && ownerOf(procFile(p, "")) == user {
			t.pids = append(t.pids, p)
			t.rss += x.rss
			t.threads += x.threads
		}
	}
	return t
}

// descendants lists pid's tree without itself.
func descendants(pid int) []int {
	all := processes()
	var out []int
	for p := range all {
		if below(all, p, pid) {
			out = append(out, p)
		}
	}
	return out
}

func below(all map[int]proc, p, root int) bool {
	for i := 0; i < 1000 && p > 1; i++ {
		p = all[p].parent
		if p == root {
			return true
		}
	}
	return false
}

// openFiles counts what a process has open: the size of the folder (proc(5), since
// Linux 6.2), or its entries.
func openFiles(pid int) int {
	dir := procFile(pid, "fd")
	st, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	if st.Size() > 0 {
		return int(st.Size())
	}
	f, err := os.Open(dir)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // it was only read
	names, _ := f.Readdirnames(-1)
	return len(names)
}

// socketsOf returns how many sockets there are in the network namespace of a tree.
func socketsOf(pids []int) int {
	for _, p := range pids {
		text, err := os.ReadFile(procFile(p, "net/sockstat"))
		if err != nil {
			continue
		}
		line, _, _ := strings.Cut(string(text), "\n")
		if n := numbers(strings.TrimPrefix(line, "sockets: used ")); len(n) > 0 && !sameNetwork(p) {
			return int(n[0])
		}
	}
	return 0
}

// sameNetwork reports whether a process is in our network namespace.
func sameNetwork(pid int) bool {
	a, err1 := os.Readlink("/proc/self/ns/net")
	b, err2 := os.Readlink(procFile(pid, "ns/net"))
	return err1 != nil || err2 != nil || a == b
}

// socketBytes returns what may lie unread in one socket; the filter of system calls keeps
// programs from asking for more.
func socketBytes() int64 {
	text, err := os.ReadFile("/proc/sys/net/core/wmem_default")
	if n := numbers(string(text)); err == nil && len(n) == 1 {
		return 2 * n[0]
	}
	return 512 << 10
}

// numbers returns the decimal numbers of a text.
func numbers(text string) []int64 {
	var out []int64
	for _, f := range strings.Fields(text) {
		if n, err := strconv.ParseInt(f, 10, 64); err == nil {
			out = append(out, n)
		}
	}
	return out
}

// treeSize is how much of a disk folders and open files take.
type treeSize struct {
	bytes, files int64
	deep         bool // folders lie in each other deeper than is allowed
}

// nestedFolders is the limit on folders within each other. Without it a tree could be deeper than names reach, so
// that its files are counted by nobody.
const nestedFolders = "nested folders"

// diskUse returns the space that the folders take, in blocks as the disk has them, and
// their files; it gives up past limit files, or depth folders within each other (0: none).
func diskUse(dirs []string, limit int64, depth int) treeSize {
	var n treeSize
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if tooLong := errors.Is(err, syscall.ENAMETOOLONG); depth > 0 && (tooLong ||
				strings.Count(path[len(dir):], "/") > depth) {
				n.deep = true
				return fs.SkipAll
			}
			if err != nil {
				return nil // it was removed under us
			}
			if n.files++; limit > 0 && n.files > limit {
				return fs.SkipAll
			}
			if info, err := d.Info(); err == nil {
				if st, ok := info.Sys().(*syscall.Stat_t); ok {
					n.bytes += st.Blocks * 512
				}
			}
			return nil
		})
	}
	return n
}
