package sandbox

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Users that root may give to jobs. The kernel counts processes by user, and lets a
// user signal, read and delete what is its own: two jobs never share one.
const (
	firstUser = 1_879_048_192 // above what systemd, containers and people use
	lastUser  = 2_147_483_646
	// where a container maps fewer users: those that systemd would give to services
	firstSmall = 61_184
	lastSmall  = 65_519
)

// users gives each job of a process that is root a user id of its own. All of them are in one group besides, for
// folders that jobs pass through and other users of the machine do not.
type users struct {
	first, last int
	group       int

	mu   sync.Mutex
	held map[int]bool
}

// newUsers looks at the ids that this process may become; nil if it cannot become any.
func newUsers() *users {
	for _, r := range [][2]int{{firstUser, lastUser}, {firstSmall, lastSmall}} {
		if mapped("/proc/self/uid_map", r) && mapped("/proc/self/gid_map", r) {
			return &users{first: r[0] + 1, last: r[1], group: r[0], held: map[int]bool{}}
		}
	}
	return nil
}

// mapped reports whether all ids of a range exist in the user namespace with this map.
func mapped(file string, r [2]int) bool {
	f, err := os.Open(file)
	if err != nil {
		return true // a kernel without user namespaces has all ids
	}
	defer func() { _ = f.Close() }() // it was only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := numbers(lines.Text())
		if len(w) == 3 && w[0] <= int64(r[0]) && int64(r[1]) < w[0]+w[2] {
			return true
		}
	}
	return false
}

// take returns a user that no job and no process of this machine has.
func (u *users) take() int {
	busy := map[int]bool{}
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		busy[ownerOf(e)] = true
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for {
		id := u.first + rand.IntN(u.last-u.first+1)
		if !busy[id] && !u.held[id] {
			u.held[id] = true
			return id
		}
	}
}

// giveBack ends every process of a user, wherever it went, and frees the id.
func (u *users) giveBack(id int) {
	killUser(id)
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.held, id)
}

// killUser ends the processes of a user until there are none.
func killUser(id int) {
	for range 100 {
		left := false
		for pid := range processes() {
			if ownerOf(procFile(pid, "")) == id && !zombie(pid) {
				left = true
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			}
		}
		if !left {
			return
		}
	}
}

func zombie(pid int) bool {
	text, err := os.ReadFile(procFile(pid, "stat"))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// ownerOf returns the user that a file belongs to, or -1.
func ownerOf(path string) int {
	st, err := os.Stat(path)
	if err != nil {
		return -1
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		return int(sys.Uid)
	}
	return -1
}
