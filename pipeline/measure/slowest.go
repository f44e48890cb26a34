package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// task is an entry of a corpus's manifest.json.
type task struct {
	Name      string `json:"name"`
	File      string `json:"file"`
	Property  string `json:"property"`
	DataModel string `json:"data_model"`
}

// cost holds what a task took.
type cost struct {
	task
	seconds float64
	peak    int64 // bytes
	answer  string
}

// specs are the properties that tasks name, as SV-COMP writes them.
var specs = map[string]string{
	"termination": "CHECK( init(main()), LTL(F end) )",
	"memsafety":   "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )",
	"memcleanup":  "CHECK( init(main()), LTL(G valid-memcleanup) )",
	"no-overflow": "CHECK( init(main()), LTL(G ! overflow) )",
	"reach":       "CHECK( init(main()), LTL(G ! call(reach_error())) )",
}

// slowest runs the tasks of a folder, one after the other, and lists the ones that took
// longest with their time and the peak of their memory, as a table.
func slowest(ctx context.Context, o *options) error {
	tasks, err := tasksOf(o)
	if err != nil {
		return err
	}
	var costs []cost
	for _, t := range tasks {
		c, err := spend(ctx, o, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		costs = append(costs, c)
	}
	slices.SortStableFunc(costs, func(a, b cost) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Printf("the slowest of %d tasks, %v at most\n\n| task | property | seconds | peak MiB | answer |\n|---|---|---|---|---|\n", len(costs), o.limit)
	most := int64(0)
	for i, c := range costs {
		most = max(most, c.peak)
		if i < o.most {
			fmt.Printf("| %s | %s | %.2f | %d | %s |\n", c.Name, c.Property, c.seconds, c.peak>>20, c.answer)
		}
	}
	fmt.Printf("\nhighest peak of all: %d MiB\n", most>>20)
	return nil
}

// tasksOf reads the manifest of the folder; without one, every C file is a task of reach.
func tasksOf(o *options) ([]task, error) {
	match, err := regexp.Compile(o.match)
	if err != nil {
		return nil, err
	}
	var all []task
	text, err := os.ReadFile(filepath.Join(o.folder, "manifest.json"))
	switch {
	case err == nil:
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, err
		}
	case errors.Is(err, os.ErrNotExist):
		files, err := filepath.Glob(filepath.Join(o.folder, "*.[ci]"))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			all = append(all, task{Name: strings.TrimSuffix(filepath.Base(f), filepath.Ext(f)), File: filepath.Base(f),
				Property: "reach"})
		}
	default:
		return nil, err
	}
	all = slices.DeleteFunc(all, func(t task) bool { return !match.MatchString(t.Name) || specs[t.Property] == "" })
	if len(all) == 0 {
		return nil, fmt.Errorf("no task in %q (-folder) matches %q", o.folder, o.match)
	}
	return all, nil
}

// spend runs one task.
func spend(ctx context.Context, o *options, t task) (cost, error) {
	spec := filepath.Join(o.dir, t.Property+".prp")
	if err := os.WriteFile(spec, []byte(specs[t.Property]+"\n"), 0o644); err != nil {
		return cost{}, err
	}
	model := t.DataModel
	if model == "" {
		model = "LP64"
	}
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.program, "svcomp", "--spec", spec, "--data-model", model, filepath.Join(o.folder,
		t.File))
	cmd.WaitDelay = time.Second
	start := time.Now()
	out, err := cmd.Output()
	c := cost{task: t, seconds: time.Since(start).Seconds(), answer: "time"}
	if cmd.ProcessState == nil {
		return c, err
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = u.Maxrss * 1024
	}
	if ctx.Err() == nil {
		lines := strings.Fields(string(out))
		c.answer = "none"
		if len(lines) > 0 {
			c.answer = lines[len(lines)-1]
		}
	}
	return c, nil
}
