package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/pipeline/store/pgtest"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// crew is a set of worker processes on one PostgreSQL server.
type crew struct {
	spec workerSpec
	dir  string
	st   *store.Store
	s    *pipeline.Service // queues only
	stop func() error
	n    int
}

func newCrew(ctx context.Context, o *options, dir string, jobs int) (*crew, error) {
	dsn, stop, err := pgtest.Run("-c max_connections=200")
	if err != nil {
		return nil, err
	}
	c := &crew{dir: dir, stop: stop, spec: workerSpec{DSN: dsn, Artifacts: filepath.Join(dir, "artifacts"), Workers: 1,
		Checker: &sleeper{Jobs: jobs, Sleep: o.sleep, Log: filepath.Join(dir, "done")}}}
	if c.st, err = store.Open(ctx, dsn); err != nil {
		return nil, errors.Join(err, stop())
	}
	c.s, err = start(ctx, c.st, filepath.Join(dir, "queue"), c.spec.Artifacts, 0, nil, nil)
	return c, err
}

// hire starts one more process.
func (c *crew) hire() (*exec.Cmd, error) {
	c.n++
	spec := c.spec
	spec.Data = filepath.Join(c.dir, "data", strconv.Itoa(c.n))
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "worker", string(text))
	cmd.Stderr = os.Stderr
	return cmd, cmd.Start()
}

func (c *crew) close(ctx context.Context, list []*exec.Cmd) error {
	var err error
	for _, cmd := range list {
		err = errors.Join(err, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	return errors.Join(err, c.s.Stop(ctx), c.st.Close(), c.stop())
}

// tally counts the lines of the log: how many entries, and how many more than once.
func (c *crew) tally() (entries, twice int, err error) {
	f, err := os.Open(c.spec.Checker.Log)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	seen := map[string]int{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if seen[sc.Text()]++; seen[sc.Text()] == 2 {
			twice++
		}
	}
	return len(seen), twice, nil
}

// throughput: o.tasks in ten repositories, with growing numbers of processes.
func throughput(ctx context.Context, o *options) error {
	const repos = 10
	for _, text := range strings.Split(o.workers, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		dir := filepath.Join(o.dir, text)
		head, err := repository(filepath.Join(dir, "repo"), map[string]string{".firmproof.yml": plainManifest})
		if err != nil {
			return err
		}
		c, err := newCrew(ctx, o, dir, o.tasks/repos)
		if err != nil {
			return err
		}
		ids, err := begin(ctx, c.st, c.s, repos, filepath.Join(dir, "repo"), head, "push")
		if err != nil {
			return err
		}
		from := time.Now()
		var list []*exec.Cmd
		for range n {
			cmd, err := c.hire()
			if err != nil {
				return err
			}
			list = append(list, cmd)
		}
		if _, err := await(ctx, c.st, ids, time.Hour); err != nil {
			return err
		}
		took := time.Since(from)
		entries, twice, err := c.tally()
		if err := errors.Join(err, c.close(ctx, list)); err != nil {
			return err
		}
		fmt.Printf("throughput, %d worker(s): %d tasks in %s, %.0f a second, %d lost, %d twice\n", n, o.tasks,
			took.Round(100*time.Millisecond), float64(o.tasks)/took.Seconds(), o.tasks-entries, twice)
		if entries != o.tasks || twice > 0 {
			return errors.New("tasks were lost or done twice")
		}
	}
	return nil
}

// kill: processes die at random moments; every run ends, once, with an answer to every task.
func kill(ctx context.Context, o *options) error {
	const repos, jobs = 20, 40
	head, err := repository(filepath.Join(o.dir, "repo"), map[string]string{".firmproof.yml": plainManifest})
	if err != nil {
		return err
	}
	c, err := newCrew(ctx, o, o.dir, jobs)
	if err != nil {
		return err
	}
	ids, err := begin(ctx, c.st, c.s, repos, filepath.Join(o.dir, "repo"), head, "push")
	if err != nil {
		return err
	}
	list := make([]*exec.Cmd, 2)
	for i := range list {
		if list[i], err = c.hire(); err != nil {
			return err
		}
	}
	seed := mrand.Uint64()
	r := mrand.New(mrand.NewPCG(seed, 1))
	for range o.kills {
		time.Sleep(time.Duration(50+r.IntN(500)) * time.Millisecond)
		i := r.IntN(len(list))
		if err := list[i].Process.Kill(); err != nil {
			return err
		}
		_ = list[i].Wait() // it was killed
		if list[i], err = c.hire(); err != nil {
			return err
		}
	}
	runs, err := await(ctx, c.st, ids, 15*time.Minute)
	if err != nil {
		return err
	}
	answers, given := 0, 0
	conclusions := map[string]int{}
	for _, run := range runs {
		conclusions[run.Conclusion]++
		if err := c.st.Read(ctx, func(tx store.Tx) error {
			kids, err := tx.Children(ctx, run.ID)
			if err != nil || len(kids) != 1 {
				return errors.Join(err, fmt.Errorf("run %s has %d targets", run.ID, len(kids)))
			}
			text, err := tx.Report(ctx, kids[0].ID, nil)
			if err != nil {
				return fmt.Errorf("%s %s: %w", kids[0].Conclusion, kids[0].Detail, err)
			}
			var rep verdict.Report
			if err := json.Unmarshal(text, &rep); err != nil {
				return err
			}
			for _, res := range rep.Results {
				answers++
				if res.Reason != nil {
					given++
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if err := c.close(ctx, list); err != nil {
		return err
	}
	fmt.Printf("kill: %d kills (seed %d): %d of %d runs ended, each once, %v; %d of %d answers, %d of them given up\n",
		o.kills, seed, len(runs), len(ids), conclusions, answers, repos*jobs, given)
	if answers != repos*jobs {
		return errors.New("answers are missing or too many")
	}
	return nil
}
