package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/sandbox"
	"github.com/firmproof/firmproof/pipeline/store"
	"github.com/firmproof/firmproof/verifier/verdict"
)

const plainManifest = "version: 1\ntargets: [i386]\nbuild: {sources: [a.c]}\nharnesses:\n  - {entry: main}\n"

// overhead: from the end of a build to the start of its verification, on an idle service.
func overhead(ctx context.Context, o *options) error {
	const rounds = 150
	return each(ctx, o.dir, func(name string, st *store.Store) error {
		dir := filepath.Join(o.dir, name)
		head, err := repository(filepath.Join(dir, "repo"), map[string]string{".firmproof.yml": plainManifest})
		if err != nil {
			return err
		}
		c := &sleeper{Jobs: 1}
		s, err := start(ctx, st, filepath.Join(dir, "data"), filepath.Join(dir, "artifacts"), 2, c, nil)
		if err != nil {
			return err
		}
		for range rounds {
			ids, err := begin(ctx, st, s, 1, filepath.Join(dir, "repo"), head, "push")
			if err != nil {
				return err
			}
			if _, err := await(ctx, st, ids, time.Minute); err != nil {
				return err
			}
		}
		fmt.Printf("overhead %s: %d verifications, p50 %s, p99 %s\n", name, len(c.waits),
			quantile(c.waits, 0.5).Round(100*time.Microsecond), quantile(c.waits, 0.99).Round(100*time.Microsecond))
		return s.Stop(ctx)
	})
}

// edit is a kind of change of the measured project.
type edit int

const (
	noEdit       edit = iota
	editFunction      // one function
	editHeader        // a macro of the header that no unit uses
)

// project is C with n functions in a number of files with a header in common, a harness for each function: most are
// short work, one in ten is seconds of it. If trivial is set, all are next to none.
func project(n, files int, trivial bool, e edit) map[string]string {
	var h, y strings.Builder
	y.WriteString("version: 1\ntargets: [cortex-m3]\nbuild: {sources: [\"*.c\"]}\nharnesses:\n")
	fmt.Fprintf(&h, "#include <stdint.h>\n#include <string.h>\n#define UNUSED %d\n", e/editHeader)
	units := make([]strings.Builder, files)
	for i := range n {
		size, first := 3, 1
		switch {
		case trivial:
			size = 1
		case i%10 == 0:
			size = 4
		}
		if i == 7 && e != noEdit {
			first = 2
		}
		c := &units[i*files/n]
		if c.Len() == 0 {
			c.WriteString("#include \"firmproof.h\"\n#include \"common.h\"\n")
		}
		fmt.Fprintf(&h, "void sort%d(void);\n", i)
		fmt.Fprintf(c, "static unsigned char a%[1]d[%[2]d];\nvoid sort%[1]d(void) {\n  for (int i = 1; i < %[2]d; i++)\n    for (int j = i; j > 0 && a%[1]d[j - 1] > a%[1]d[j]; j--) {"+
			" unsigned char t = a%[1]d[j]; a%[1]d[j] = a%[1]d[j - 1]; a%[1]d[j - 1] = t; }\n}\n", i, size)
		fmt.Fprintf(c, "void h%[1]d(void) {\n  unsigned sum = %[3]d, after = %[3]d;\n  for (int i = 0; i < %[2]d; i++) { a%[1]d[i] = firmproof_nondet_uchar(); sum += a%[1]d[i]; }\n  sort%[1]d();\n"+
			"  for (int i = 0; i < %[2]d; i++) after += a%[1]d[i];\n  firmproof_assert(a%[1]d[0] <= a%[1]d[%[2]d - 1] && sum == after, \"sorted, nothing lost\");\n}\n", i, size, first)
		fmt.Fprintf(&y, "  - {entry: h%d}\n", i)
	}
	out := map[string]string{"common.h": h.String(), ".firmproof.yml": y.String()}
	for i := range units {
		out[fmt.Sprintf("unit%d.c", i)] = units[i].String()
	}
	return out
}

// incremental: the real program, in the sandbox.
func incremental(ctx context.Context, o *options) error {
	program, err := filepath.Abs(o.program)
	if err != nil {
		return err
	}
	box, err := sandbox.New(ctx, sandbox.BestEffort, program, filepath.Join(o.dir, "bin"))
	if err != nil {
		return err
	}
	c, err := pipeline.NewChildChecker(box.Program(), box, sandbox.DefaultLimits())
	if err != nil {
		return err
	}
	if err := os.Chmod(o.dir, 0o711); err != nil { // the sandbox's user passes through
		return err
	}
	st, err := store.Open(ctx, "sqlite:"+filepath.Join(o.dir, "x.db"))
	if err != nil {
		return err
	}
	s, err := start(ctx, st, filepath.Join(o.dir, "data"), filepath.Join(o.dir, "artifacts"), 2, c, box.Folder)
	if err != nil {
		return err
	}
	var full, fullCPU time.Duration
	for i, e := range []edit{noEdit, editFunction, editHeader, editHeader} {
		head, err := repository(filepath.Join(o.dir, "repo"), project(o.harnesses, o.files, o.trivial, e))
		if err != nil {
			return err
		}
		from, cpu := time.Now(), processorTime()
		ids, err := begin(ctx, st, s, 1, filepath.Join(o.dir, "repo"), head, "push")
		if err != nil {
			return err
		}
		runs, err := await(ctx, st, ids, time.Hour)
		if err != nil {
			return err
		}
		took := time.Since(from)
		cpu = processorTime() - cpu
		if i == 0 {
			full, fullCPU = took, cpu
		}
		reused, err := countReused(ctx, st, ids[0])
		if err != nil {
			return err
		}
		what := [...]string{"first run", "one function changed", "unused macro of the header changed",
			"nothing changed"}[i]
		fmt.Printf("incremental, %s: %s, %.1f %% of the first, %s of processor time, %.1f %%, %d of %d answers from the store, %s\n",
			what, took.Round(10*time.Millisecond), 100*took.Seconds()/full.Seconds(), cpu.Round(10*time.Millisecond),
			100*cpu.Seconds()/fullCPU.Seconds(), reused, o.harnesses, runs[0].Conclusion)
	}
	return errors.Join(s.Stop(ctx), st.Close())
}

// processorTime returns the time that processors spent on this process and those that it has waited for.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

func countReused(ctx context.Context, st *store.Store, aggregate string) (int, error) {
	n := 0
	err := st.Read(ctx, func(tx store.Tx) error {
		kids, err := tx.Children(ctx, aggregate)
		if err != nil || len(kids) != 1 {
			return errors.Join(err, fmt.Errorf("%d targets", len(kids)))
		}
		text, err := tx.Report(ctx, kids[0].ID, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", kids[0].Detail, err)
		}
		var rep verdict.Report
		if err := json.Unmarshal(text, &rep); err != nil {
			return err
		}
		for _, r := range rep.Results {
			if r.Reused != "" {
				n++
			}
		}
		return nil
	})
	return n, err
}

// idle: the resident size of a server without work.
func idle(_ context.Context, o *options) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	file, secret := filepath.Join(o.dir, "key.pem"), filepath.Join(o.dir, "secret")
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(secret, []byte("not a secret"),
		0o600)); err != nil {
		return err
	}
	cmd := exec.Command(o.program, "serve", "--listen", "127.0.0.1:0", "--data", filepath.Join(o.dir, "data"),
		"--app-id", "1", "--private-key", file, "--webhook-secret-file", secret,
		"--github-url", "http://127.0.0.1:1", "--sandbox", "best-effort")
	if err := cmd.Start(); err != nil {
		return err
	}
	time.Sleep(10 * time.Second)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	err = errors.Join(err, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "VmHWM") {
			fmt.Println("idle server:", strings.Join(strings.Fields(line), " "))
		}
	}
	return err
}
