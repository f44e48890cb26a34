package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// found holds what is known of mutants, by their keys.
type found struct {
	path    string
	Mutants map[string]fate
}

// fate says what became of a mutant.
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

// readReasons reads lines of a name and a reason: of mutants that no test can notice, or of files and functions whose
// mistakes make no answer wrong.
func readReasons(path string) (map[string]string, error) {
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

// isOutside reports whether a file, or a function of it, is listed with a reason.
func isOutside(m *mutant, outside map[string]string) bool {
	function := m.id[:strings.LastIndex(m.id, ":")]
	return outside[m.file] != "" || outside[function] != ""
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
	Name    string
	Took    time.Duration
	Reached map[int]bool
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

// try runs the tests that reach mutant n, stage by stage, the short ones first, until one fails. Tests that would take
// longer than the budget together are left out.
func (r *runner) try(n int) (fate, error) {
	how := "unreached"
	for i := range r.subject.stages {
		if i > 0 && r.o.quick {
			break
		}
		b, err := r.stage(i)
		if err != nil {
			return fate{}, err
		}
		for _, part := range parts(b.tests, n, r.o.budget) {
			how = "reached"
			if _, err := b.run(n, part.limit, "^("+strings.Join(part.names, "|")+")$", ""); err != nil {
				return fate{Killed: b.pkg}, nil
			}
		}
	}
	return fate{How: how}, nil
}

// part is a number of tests that are run in one process.
type part struct {
	names []string
	took  time.Duration
	limit time.Duration // after which they count as failed
}

// parts gives the tests that reach mutant n, in parts that take longer from one to the next, and no longer than budget
// in sum (0: any time).
func parts(tests []test, n int, budget time.Duration) []part {
	var out []part
	var sum time.Duration
	for _, t := range tests {
		if !t.Reached[n] || budget > 0 && len(out) > 0 && sum+t.Took > budget {
			continue
		}
		sum += t.Took
		if k := len(out); k == 0 || out[k-1].took > time.Second<<k {
			out = append(out, part{limit: 20 * time.Second})
		}
		p := &out[len(out)-1]
		p.names, p.took, p.limit = append(p.names, regexp.QuoteMeta(t.Name)), p.took+t.Took, p.limit+6*t.Took
	}
	return out
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
	if b.tests, err = b.measure(out); err != nil {
		return nil, err
	}
	all, took := map[int]bool{}, time.Duration(0)
	for _, t := range b.tests {
		took += t.Took
		maps.Copy(all, t.Reached)
	}
	fmt.Printf("%s: %d tests of %s: %.0f s, %d of %d mutants reached\n", r.subject.pkg, len(b.tests), st.pkg,
		took.Seconds(), len(all), len(r.mutants))
	r.stages = append(r.stages, b)
	return b, nil
}

// measure runs each test without a mistake, and gives them with the mutants that they reach, the shortest first. What
// it finds is kept beside the binary, as long as that stays the same.
func (b *built) measure(out string) ([]test, error) {
	bin, err := os.ReadFile(b.bin)
	if err != nil {
		return nil, err
	}
	var kept struct {
		Binary string
		Tests  []test
	}
	of := fmt.Sprintf("%x %s %s", sha256.Sum256(bin), b.stage.run, b.cases)
	if text, err := os.ReadFile(out + ".json"); err == nil && json.Unmarshal(text, &kept) == nil && kept.Binary == of {
		return kept.Tests, nil
	}
	names, err := b.names()
	if err != nil {
		return nil, err
	}
	kept.Binary, kept.Tests = of, nil
	for _, name := range names {
		t := test{Name: name, Reached: map[int]bool{}}
		_ = os.Remove(out + ".reached")
		began := time.Now()
		if text, err := b.run(-1, time.Hour, "^"+regexp.QuoteMeta(name)+"$", out+".reached"); err != nil {
			return nil, fmt.Errorf("%s of %s fails without a mistake: %w\n%s", name, b.pkg, err, text)
		}
		t.Took = time.Since(began)
		text, err := os.ReadFile(out + ".reached")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, line := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(line)
			if err != nil {
				return nil, err
			}
			t.Reached[n] = true
		}
		kept.Tests = append(kept.Tests, t)
	}
	slices.SortStableFunc(kept.Tests, func(a, b test) int { return cmp.Compare(a.Took, b.Took) })
	text, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	return kept.Tests, os.WriteFile(out+".json", text, 0o600)
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
