package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cgroupTree makes a folder that looks like a file system of cgroups, with the group x,
// and the file that says that this process is in it.
func cgroupTree(t *testing.T, self string, files map[string]string) (root, line string) {
	t.Helper()
	root = t.TempDir()
	line = filepath.Join(root, "self")
	files["self"] = self
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text),
			0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root, line
}

func TestFindGroups(t *testing.T) {
	for name, c := range map[string]struct {
		self  string
		files map[string]string
		dir   string // empty: none
	}{
		"ready": {"4:cpu:/x\n0::/x\n", map[string]string{"x/cgroup.controllers": "cpu memory pids\n",
			"x/cgroup.subtree_control": "cpu memory pids\n"}, "x"},
		"no memory": {"0::/x\n", map[string]string{"x/cgroup.controllers": "cpu pids\n",
			"x/cgroup.subtree_control": "cpu\n"}, ""},
		"not delegated": {"0::/x\n", map[string]string{"x/cgroup.controllers": "cpu memory pids\n",
			"x/cgroup.subtree_control": ""}, ""},
		"outside": {"0::/../x\n", map[string]string{"x/cgroup.controllers": "memory\n",
			"x/cgroup.subtree_control": "memory\n"}, ""},
		"version 1": {"4:memory:/x\n0::/\n", map[string]string{"memory/x/memory.limit_in_bytes": "9\n"}, "memory/x"},
		"version 1, joined": {"4:cpu,memory:/x\n", map[string]string{"memory/x/memory.limit_in_bytes": "9\n"},
			"memory/x"},
		"none": {"1:name=systemd:/\n", map[string]string{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, self := cgroupTree(t, c.self, c.files)
			if name == "not delegated" && os.Getuid() != 0 {
				t.Skip("a user's own group is delegated to it")
			}
			g, why := findGroups(root, self)
			switch {
			case c.dir == "" && (g != nil || why == ""):
				t.Errorf("%+v %q", g, why)
			case c.dir != "" && (g == nil || g.dir != filepath.Join(root, c.dir)):
				t.Errorf("%+v %q", g, why)
			}
		})
	}
}

// TestGroupOfJob: the limits of a job stand in its group, and what the kernel says of it is read.
func TestGroupOfJob(t *testing.T) {
	for _, v1 := range []bool{false, true} {
		g := &groups{dir: t.TempDir(), v1: v1, pids: true}
		c, err := g.add(Limits{Memory: 1 << 30, Procs: 77})
		if err != nil {
			t.Fatal(err)
		}
		limit, events := "memory.max", "memory.events"
		if v1 {
			limit, events = "memory.limit_in_bytes", "memory.oom_control"
		}
		for name, want := range map[string]string{limit: "1073741824", "pids.max": "77"} {
			if text, err := os.ReadFile(filepath.Join(c.dir, name)); err != nil || string(text) != want {
				t.Errorf("%s: %q %v", name, text, err)
			}
		}
		for text, want := range map[string]bool{"oom 3\noom_kill 0\n": false, "under_oom 0\noom_kill 2\n": true} {
			if err := os.WriteFile(filepath.Join(c.dir, events), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.full() != want {
				t.Errorf("%q: full is %v", text, c.full())
			}
		}
	}
}

// TestGroupHolds: on a machine with groups, memory that no process shows as its own ends the job.
func TestGroupHolds(t *testing.T) {
	s, work := box(t, BestEffort)
	if s.groups == nil {
		t.Skip("no cgroup for jobs on this machine: ", s.Layers())
	}
	// files in memory count only with the group
	o := s.sh(t, work, "for i in 1 2 3 4 5 6; do head -c 40000000 /dev/zero >/tmp/f$i || exit 3; done; echo bad",
		func(s *Spec) { s.Limits.Memory, s.Limits.Scratch = 128<<20, 1<<30 })
	if o.Killed != "memory" || strings.Contains(o.out, "bad") {
		t.Errorf("%+v", o)
	}
	if left, err := filepath.Glob(filepath.Join(s.groups.dir, "firmproof-job-*")); err != nil || len(left) > 0 {
		for _, l := range left {
			text, _ := os.ReadFile(filepath.Join(l, "cgroup.procs"))
			t.Logf("%s: %q (another test may run)", l, text)
		}
	}
}
