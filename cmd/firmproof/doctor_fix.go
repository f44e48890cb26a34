package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// fixer installs the packages that doctor found missing.
type fixer struct {
	fix, yes, all bool // --fix, --yes, --all
	in            io.Reader
	errs          io.Writer
	look          func(string) (string, error) // exec.LookPath
	uid           int
}

// check says which flags do nothing without --fix.
func (f *fixer) check() error {
	if !f.fix && (f.yes || f.all) {
		return errors.New("--yes and --all say how to --fix: give that, too")
	}
	return nil
}

// run installs what is missing, after it was asked for or agreed to. It reports whether it changed the machine, so that
// a second look is due.
func (f *fixer) run(d *doctor) (bool, error) {
	packages := slices.Clone(d.needed)
	if f.all {
		packages = append(packages, d.optional...)
	}
	if len(packages) == 0 {
		if len(d.optional) > 0 {
			fmt.Fprintf(d.out, "\nNo package that everybody needs is missing; --fix --all installs %s, too.\n",
				strings.Join(d.optional, " "))
		} else if d.bad > 0 {
			fmt.Fprintln(d.out, "\nNothing that a package would mend: see the lines with !! above.")
		}
		return false, nil
	}
	if _, err := f.look("apt-get"); err != nil {
		return false, fmt.Errorf(
			"--fix installs Debian's packages, and this machine has no apt-get: install what these hold: %s",
			strings.Join(packages, " "))
	}
	var root []string
	if f.uid != 0 {
		if _, err := f.look("sudo"); err != nil {
			return false, fmt.Errorf("--fix: run as root: apt-get install %s", strings.Join(packages, " "))
		}
		root = []string{"sudo"}
	}
	install := append([]string{"apt-get", "install", "-y", "--no-install-recommends"}, packages...)
	fmt.Fprintf(d.out, "\nTo mend it: %s\n", strings.Join(append(slices.Clone(root), install...), " "))
	if !f.yes {
		if agreed, err := f.agreed(d.out); !agreed {
			return false, err
		}
	}
	for _, argv := range [][]string{{"apt-get", "update", "-q"}, install} {
		argv = append(slices.Clone(root), argv...)
		cmd := exec.CommandContext(d.ctx, argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, d.out, f.errs // sudo may ask for a password
		if err := cmd.Run(); err != nil {
			return true, fmt.Errorf("--fix: %s: %w", strings.Join(argv, " "), err)
		}
	}
	return true, nil
}

// agreed asks whether to change the machine. Where nobody can answer, nobody agrees.
func (f *fixer) agreed(out io.Writer) (bool, error) {
	file, isFile := f.in.(*os.File)
	if os.Getenv("CI") != "" || isFile && !isTerminal(file) {
		return false, errors.New(
			"nothing was installed: nobody is here to agree; --fix --yes installs without a question")
	}
	fmt.Fprint(out, "Run it? [y/N] ")
	line, err := bufio.NewReader(f.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
