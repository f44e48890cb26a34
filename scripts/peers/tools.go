package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// tool is a model checker: where it is, its arguments for a program of size n whose loops take so many turns, and
// whether what it printed and its exit status say that the program is right.
type tool struct {
	name, at string
	args     func(path string, n, turns int, limit time.Duration) []string
	proved   func(out []byte, status int) bool
}

func firmproof(at string) tool {
	return tool{name: "firmproof", at: at,
		args: func(path string, n, turns int, limit time.Duration) []string {
			return []string{"check", "--format", "json", "--jobs", "1", "--timeout", limit.String(),
				"-D", "N=" + strconv.Itoa(n), "--unwind", strconv.Itoa(turns), path}
		},
		proved: func(out []byte, _ int) bool {
			var report struct {
				Results []struct {
					Status string `json:"status"`
				} `json:"results"`
			}
			return json.Unmarshal(out, &report) == nil && len(report.Results) == 1 && report.Results[0].Status == "proved"
		}}
}

// peers lists those that are known, with room for as many objects as the families make, and the checks that they make
// unless told otherwise.
var peers = []tool{{name: "cbmc",
	args: func(path string, n, turns int, _ time.Duration) []string {
		return []string{"--object-bits", "12", "-DN=" + strconv.Itoa(n), "--unwind", strconv.Itoa(turns), path}
	},
	proved: func(_ []byte, status int) bool { return status == 0 },
}}

// outcome holds the answer of one run and its cost.
type outcome struct {
	ran, decided bool
	seconds      float64 // of a processor
}

func (x outcome) String() string {
	switch {
	case !x.ran:
		return "-"
	case !x.decided:
		return fmt.Sprintf("open at %.1f", x.seconds)
	}
	return fmt.Sprintf("%.2f", x.seconds)
}

// run runs the tool once, with nothing of earlier runs.
func (p tool) run(path string, n, turns int, limit time.Duration, work string) (outcome, error) {
	cache, err := os.MkdirTemp(work, "cache-")
	if err != nil {
		return outcome{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*limit) // by the clock, on a busy machine
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, p.at, p.args(path, n, turns, limit)...)
	cmd.Stdout, cmd.Dir, cmd.WaitDelay = &out, work, time.Second
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	if err := cmd.Start(); err != nil {
		return outcome{}, err
	}
	most := uint64(limit.Seconds()) + 2
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: most, Max: most}, nil); err != nil &&
		!errors.Is(err, unix.ESRCH) { // it may have ended
		return outcome{}, err
	}
	_ = cmd.Wait() // the exit status is the answer
	s := cmd.ProcessState
	return outcome{ran: true, decided: p.proved(out.Bytes(), s.ExitCode()),
		seconds: (s.UserTime() + s.SystemTime()).Seconds()}, nil
}

// oneCore keeps this thread, and what is started from it, on one of the cores that it may use.
func oneCore() error {
	runtime.LockOSThread()
	var may, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		return err
	}
	for i := range len(may) * 64 {
		if may.IsSet(i) {
			one.Set(i)
			return unix.SchedSetaffinity(0, &one)
		}
	}
	return errors.New("no core")
}
