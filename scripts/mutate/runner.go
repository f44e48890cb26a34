package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// found is what is known of mutants, by their keys.
type found struct {
	path    string
	Mutants map[string]fate
}

// fate is what became of a mutant.
type fate struct {
	Killed string `json:",omitempty"` // the stage that noticed it
	How    string // or how it lived: reached by tests, or by none
}

func readFound(path string) (*found, error) {
	f := &found{path: path, Mutants: map[string]fate{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	return f, json.Unmarshal(text, &f.Mutants)
}

func (f *found) put(m *mutant, v fate) error {
	f.Mutants[m.key()] = v
	text, err := json.MarshalIndent(f.Mutants, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(f.path, text, 0o600)
}

// readEquivalents reads lines of a mutant's name and the reason why no test can notice it.
func readEquivalents(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		id, reason, _ := strings.Cut(line, " ")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s:%d: no reason", path, i+1)
		}
		out[id] = reason
	}
	return out, nil
}

var errStopped = errors.New("the time is up")

// runner tries the mutants of one package.
type runner struct {
	o       *options
	subject subject
	mutants []*mutant
	found   *found
	same    map[string]string
	until   time.Time

	table  string
	stages []*built
}

// built is a stage's test binary and its tests.
type built struct {
	stage
	bin   string
	tests []test
}

// test is a test, how long it takes, and the mutants that it reaches.
type test struct {
	name    string
	took    time.Duration
	reached map[int]bool
}

func (r *runner) run() error {
	open := 0
	for _, m := range r.mutants {
		if r.wanted(m) {
			open++
		}
	}
	if open == 0 {
		return nil
	}
	out := filepath.Join(r.o.build, "_"+strings.ReplaceAll(r.subject.pkg, "/", "-")) // _: no package of the module
	name := filepath.Base(r.subject.pkg)
	var err error
	if r.table, err = overlay(r.subject.pkg, name, out, r.mutants); err != nil {
		return err
	}
	for i, m := range r.mutants {
		if !r.wanted(m) {
			continue
		}
		if r.o.limit > 0 && time.Now().After(r.until) {
			return errStopped
		}
		v, err := r.try(i + 1)
		if err != nil {
			return err
		}
		fmt.Printf("%s %s %s%s\n", time.Now().Format(time.TimeOnly), m.id, v.Killed, v.How)
		if err := r.found.put(m, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) wanted(m *mutant) bool {
	v, ok := r.found.Mutants[m.key()]
	_, equivalent := r.same[m.id]
	return !equivalent && (!ok || v.Killed == "" && r.o.rerun)
}

// try runs the tests that reach mutant n, stage by stage, until one fails.
func (r *runner) try(n int) (fate, error) {
	how := "unreached"
	for i := range r.subject.stages {
		b, err := r.stage(i)
		if err != nil {
			return fate{}, err
		}
		var names []string
		limit := 20 * time.Second
		for _, t := range b.tests {
			if t.reached[n] {
				names, limit = append(names, regexp.QuoteMeta(t.name)), limit+4*t.took
			}
		}
		if len(names) == 0 {
			continue
		}
		how = "reached"
		if _, err := b.run(n, limit, "^("+strings.Join(names, "|")+")$", ""); err != nil {
			return fate{Killed: b.pkg}, nil
		}
	}
	return fate{How: how}, nil
}

// stage builds the i-th stage, once, and runs each of its tests without a mistake.
func (r *runner) stage(i int) (*built, error) {
	if i < len(r.stages) {
		return r.stages[i], nil
	}
	st := r.subject.stages[i]
	out, err := filepath.Abs(filepath.Join(filepath.Dir(r.table), strconv.Itoa(i)))
	if err != nil {
		return nil, err
	}
	b := &built{stage: st, bin: out + ".test"}
	cmd := exec.Command("go", "test", "-c", "-overlay", r.table, "-o", b.bin, "./"+st.pkg)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	names, err := b.names()
	if err != nil {
		return nil, err
	}
	all := map[int]bool{}
	start := time.Now()
	for _, name := range names {
		t := test{name: name, reached: map[int]bool{}}
		_ = os.Remove(out + ".reached")
		began := time.Now()
		if text, err := b.run(-1, time.Hour, "^"+regexp.QuoteMeta(name)+"$", out+".reached"); err != nil {
			return nil, fmt.Errorf("%s of %s fails without a mistake: %w\n%s", name, st.pkg, err, text)
		}
		t.took = time.Since(began)
		text, err := os.ReadFile(out + ".reached")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, line := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(line)
			if err != nil {
				return nil, err
			}
			t.reached[n], all[n] = true, true
		}
		b.tests = append(b.tests, t)
	}
	fmt.Printf("%s: %d tests of %s: %.0f s, %d of %d mutants reached\n", r.subject.pkg, len(b.tests), st.pkg,
		time.Since(start).Seconds(), len(all), len(r.mutants))
	r.stages = append(r.stages, b)
	return b, nil
}

// names lists the tests of the stage, or the cases of its one test.
func (b *built) names() (out []string, err error) {
	if b.cases != "" {
		for _, pattern := range strings.Fields(b.cases) {
			paths, err := filepath.Glob(filepath.Join(b.pkg, "testdata/check", pattern))
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				out = append(out, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
			}
		}
		return out, nil
	}
	cmd := exec.Command(b.bin, "-test.list", b.stage.run)
	cmd.Dir = b.pkg
	text, err := cmd.Output()
	for _, name := range strings.Fields(string(text)) {
		if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") {
			out = append(out, name)
		}
	}
	return out, err
}

// run runs the tests that a pattern names with a mistake on. One that makes them take all memory is ended by the limit
// on it.
func (b *built) run(n int, limit time.Duration, pattern, reached string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if b.cases != "" {
		pattern = b.stage.run + "/^case$/" + pattern
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", `ulimit -v 16000000; exec "$@"`, "sh", b.bin, "-test.short",
		"-test.failfast", "-test.parallel", "1", "-test.run", pattern)
	cmd.Dir, cmd.WaitDelay = b.pkg, time.Second
	cmd.Env = append(os.Environ(), "FIRMPROOF_MUTANT="+strconv.Itoa(n), "FIRMPROOF_MUTANTS_REACHED="+reached)
	return cmd.CombinedOutput()
}
