package sandbox

import (
	"context"
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
	limits Limits
	write  []string
	before int64
	done   chan struct{} // the first process has ended
	gone   chan struct{} // the watcher has ended

	peak   int64
	killed string
}

// pause between two looks. A tree can overshoot its limits for this long; each
// single process is held by its own limits meanwhile.
const (
	pause    = 100 * time.Millisecond
	diskLook = 5 // every so many looks
)

func (w *watcher) loop(ctx context.Context) {
	defer close(w.gone)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-w.done:
			w.kill() // what it left behind in its group
			return
		case <-ctx.Done():
			w.kill()
			<-w.done
			return
		case <-tick.C:
		}
		if use := treeMemory(w.pid); use > w.peak {
			w.peak = use
		}
		switch {
		case w.limits.Memory > 0 && w.peak > w.limits.Memory:
			w.killed = "memory"
		case w.limits.Disk > 0 && n%diskLook == 0 && diskUse(w.write)-w.before > w.limits.Disk:
			w.killed = "disk"
		default:
			continue
		}
		w.kill()
		<-w.done
		return
	}
}

// kill ends the process group, and every descendant that left it. Inside a pid
// namespace the end of its first process ends all others.
func (w *watcher) kill() {
	for _, p := range descendants(w.pid) {
		_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended by itself
	}
	_ = syscall.Kill(-w.pid, syscall.SIGKILL)
}

// proc is one line of the process table.
type proc struct {
	parent int
	rss    int64
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
		text, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// the name in parentheses may hold anything: fields count from its end
		f := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(f) < 22 {
			continue
		}
		parent, err1 := strconv.Atoi(f[1])
		rss, err2 := strconv.ParseInt(f[21], 10, 64)
		if err1 == nil && err2 == nil {
			out[pid] = proc{parent, rss * page}
		}
	}
	return out
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

// treeMemory returns the resident memory of pid and everything below it.
func treeMemory(pid int) int64 {
	all := processes()
	sum := all[pid].rss
	for p, x := range all {
		if below(all, p, pid) {
			sum += x.rss
		}
	}
	return sum
}

// diskUse returns the space that the folders take, in blocks as the disk has them.
func diskUse(dirs []string) int64 {
	var n int64
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // it was removed under us
			}
			if info, err := d.Info(); err == nil {
				if st, ok := info.Sys().(*syscall.Stat_t); ok {
					n += st.Blocks * 512
				}
			}
			return nil
		})
	}
	return n
}
