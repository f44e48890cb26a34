package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDoctorFix: the machine is changed only after a yes, by an apt-get whose arguments were shown before.
func TestDoctorFix(t *testing.T) {
	const needed = "apt-get install -y --no-install-recommends clang-14 llvm-14 git"
	none := func(string) (string, error) { return "", errors.New("none") }
	for name, c := range map[string]struct {
		fixer
		answer, ci string
		want       string // what is printed, or the error
		ran        bool
	}{
		"yes": {fixer: fixer{fix: true}, answer: "y\n", want: "To mend it: " + needed +
			"\nRun it? [y/N]", ran: true},
		"no":          {fixer: fixer{fix: true}, answer: "\n", want: "Run it? [y/N]"},
		"end of file": {fixer: fixer{fix: true}, want: "Run it? [y/N]"},
		"CI": {fixer: fixer{fix: true}, answer: "y\n", ci: "true",
			want: "--fix --yes installs without a question"},
		"CI, yes": {fixer: fixer{fix: true, yes: true}, ci: "true", want: needed + "\n", ran: true},
		"all": {fixer: fixer{fix: true, yes: true, all: true}, want: needed + " libclang-rt-14-dev",
			ran: true},
		"nobody root": {fixer: fixer{fix: true, yes: true, uid: 1000}, want: "To mend it: sudo " + needed,
			ran: true},
		"no sudo": {fixer: fixer{fix: true, yes: true, uid: 1000, look: none},
			want: "this machine has no apt-get: install what these hold: clang-14 llvm-14 git"},
		"only --yes":        {fixer: fixer{yes: true}, want: "give that, too"},
		"nothing is needed": {fixer: fixer{fix: true}, want: "--fix --all installs libclang-rt-14-dev, too"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			log := filepath.Join(dir, "log")
			script := "#!/bin/sh\necho \"$(basename \"$0\") $*\" >>'" + log + "'\n"
			put(t, dir, "apt-get", script)
			put(t, dir, "sudo", script)
			for _, p := range []string{"apt-get", "sudo"} {
				if err := os.Chmod(filepath.Join(dir, p), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			t.Setenv("CI", c.ci)
			var out bytes.Buffer
			d := &doctor{ctx: t.Context(), out: &out, optional: []string{"libclang-rt-14-dev"}}
			if name != "nothing is needed" {
				d.needed = []string{"clang-14", "llvm-14", "git"}
			}
			f := c.fixer
			f.in, f.errs = strings.NewReader(c.answer), &out
			if f.look == nil {
				f.look = func(string) (string, error) { return "", nil }
			}
			err := f.check()
			changed := false
			if err == nil {
				changed, err = f.run(d)
			}
			if err != nil {
				out.WriteString(err.Error())
			}
			wantAll(t, out.String(), c.want)
			ran, rerr := os.ReadFile(log)
			if changed != c.ran || (rerr == nil) != c.ran {
				t.Fatalf("changed %v, want %v; apt-get: %s", changed, c.ran, ran)
			}
			if _, shown, ok := strings.Cut(out.String(), "To mend it: "); c.ran && (!ok ||
				!strings.Contains(string(ran), strings.SplitN(shown, "\n", 2)[0]+"\n")) {
				t.Errorf("shown %q, ran %q", shown, ran)
			}
		})
	}
}
