// Command ablate says what each technique of the engine earns (docs/ablation.md): it checks programs and notes who
// decided what. Then it leaves out one technique after the other, of programs in which it had a part.
//
//	go run ./scripts/ablate [-program bin/firmproof] [-timeout 10s] [-every 12] [-most 20] [-limit 1h] FOLDER... > FILE
//
// Programs are C files, whose options are in a line "// args: OPTIONS"; projects with a manifest; tests and worked
// examples (txtar); and what a manifest.json lists with the property asked and what is known of it. The first are all
// taken, or one of -own; of the last, one of -every. All limits are of processor time.
package main

import (
	"cmp"
	"flag"
	"log"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

type options struct {
	engine, state string
	timeout       time.Duration // of a program
	limit         time.Duration // of all that is done with techniques left out
	match         *regexp.Regexp
	only          string // techniques to leave out, by commas; empty: all
	every, own    int
	most          int
	work          string
}

func main() {
	var o options
	match := flag.String("match", "", "regular expression of the programs")
	flag.StringVar(&o.engine, "program", "bin/firmproof", "the engine")
	flag.DurationVar(&o.timeout, "timeout", 10*time.Second, "processor time of each entry")
	flag.DurationVar(&o.limit, "limit", 0, "processor time of all checks without a technique; 0: no limit")
	flag.IntVar(&o.every, "every", 1, "take one of so many programs of a manifest.json")
	flag.IntVar(&o.own, "own", 1, "take one of so many other programs")
	flag.IntVar(&o.most, "most", 0, "programs that a technique is left out of, at most; 0: all")
	flag.StringVar(&o.only, "only", "", "techniques to leave out, separated by commas; empty: all")
	flag.StringVar(&o.state, "state", "", "file of results, to go on with what was stopped")
	flag.Parse()
	o.match = regexp.MustCompile(*match)
	if err := run(&o, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(o *options, folders []string) error {
	var err error
	if o.work, err = os.MkdirTemp("", "ablate-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.work)
	techniques, err := techniquesOf(o.engine)
	if err != nil {
		return err
	}
	programs, err := o.programs(folders)
	if err != nil {
		return err
	}
	known, err := readState(o.state)
	if err != nil {
		return err
	}
	if o.only != "" {
		techniques = slices.DeleteFunc(techniques, func(n string) bool { return !slices.Contains(strings.Split(o.only, ","), n) })
	}
	a := &ablation{o: o, state: known, programs: programs}
	if err := a.run(techniques); err != nil {
		return err
	}
	return cmp.Or(a.write(os.Stdout), known.close())
}

// techniquesOf asks the engine for the names.
func techniquesOf(engine string) ([]string, error) {
	out, err := exec.Command(engine, "limits").Output()
	if err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(string(out), "\nTechniques\n")
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		names = append(names, strings.TrimSpace(line))
	}
	return names, nil
}
