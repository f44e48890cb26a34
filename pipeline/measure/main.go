// Command measure takes the figures of the pipeline: `make bench-pipeline`. It
// prints what it finds and judges nothing but what must not happen at all: a
// verification that is lost, or ends twice.
//
//	measure overhead     queue to start of one verification, on both databases
//	measure incremental  a change of one function of a project against its first run, with the real program
//	measure throughput   many tasks, with 1, 2 and 4 worker processes on PostgreSQL
//	measure kill         worker processes killed at random under load
//	measure capacity     what 100 to 10,000 repositories need, by simulation from measured times
//	measure idle         memory of a server that has nothing to do
//	measure slowest      the programs of a folder that take longest, with their memory: only if it is named
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
)

// options of all measurements.
type options struct {
	program   string
	tasks     int
	kills     int
	harnesses int
	files     int
	trivial   bool
	sleep     time.Duration
	workers   string
	dir       string

	folder, match string // slowest
	most          int
	limit         time.Duration
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		exit(worker(os.Args[2]))
	}
	var o options
	flag.StringVar(&o.program, "program", "bin/firmproof", "the program")
	flag.IntVar(&o.tasks, "tasks", 10_000, "tasks of throughput")
	flag.IntVar(&o.kills, "kills", 100, "kills")
	flag.IntVar(&o.harnesses, "harnesses", 200, "harnesses of incremental")
	flag.IntVar(&o.files, "files", 1, "C files that the harnesses of incremental are spread over")
	flag.BoolVar(&o.trivial, "trivial", false, "harnesses of incremental that are next to no work")
	flag.DurationVar(&o.sleep, "sleep", 5*time.Millisecond, "time of one verification of throughput and kill")
	flag.StringVar(&o.workers, "workers", "1,2,4", "numbers of workers of throughput")
	flag.StringVar(&o.folder, "folder", "", "folder of slowest")
	flag.StringVar(&o.match, "match", "", "tasks of slowest, a regular expression")
	flag.IntVar(&o.most, "n", 30, "tasks that slowest lists")
	flag.DurationVar(&o.limit, "limit", 15*time.Second, "time of a task of slowest")
	flag.Parse()
	all := map[string]func(context.Context, *options) error{"overhead": overhead, "incremental": incremental,
		"throughput": throughput, "capacity": capacity, "kill": kill, "idle": idle, "slowest": slowest}
	names := flag.Args()
	if len(names) == 0 {
		names = []string{"overhead", "incremental", "throughput", "capacity", "kill", "idle"}
	}
	for _, name := range names {
		if all[name] == nil {
			exit(fmt.Errorf("%s: no such measurement", name))
		}
		if err := in(&o, all[name]); err != nil {
			exit(fmt.Errorf("%s: %w", name, err))
		}
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// in runs a measurement in a folder of its own.
func in(o *options, f func(context.Context, *options) error) (err error) {
	if o.dir, err = os.MkdirTemp("", "firmproof-measure-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	return f(context.Background(), o)
}

// repository makes a git repository with the given files in dir, or commits them.
func repository(dir string, files map[string]string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "--allow-empty",
		"-m", "change"}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=m", "-c", "user.email=m@example.org"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	cmd := exec.Command("git", "rev-parse", "HEAD")
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// quantile is the q-th part of a sorted list.
func quantile(list []time.Duration, q float64) time.Duration {
	slices.Sort(list)
	return list[int(q*float64(len(list)-1))]
}

// each does f on both databases.
func each(ctx context.Context, dir string, f func(name string, st *store.Store) error) error {
	dsn, stop, err := pgtest.Run("")
	if err != nil {
		return err
	}
	for name, dsn := range map[string]string{"sqlite": "sqlite:" + filepath.Join(dir, "x.db"), "postgres": dsn} {
		st, oerr := store.Open(ctx, dsn)
		if err = errors.Join(err, oerr); err == nil {
			err = errors.Join(f(name, st), st.Close())
		}
	}
	return errors.Join(err, stop())
}
