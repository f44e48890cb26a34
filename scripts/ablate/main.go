// Command ablate says what each technique of the engine earns: it checks programs, leaves out one technique after the
// other, and counts the answers that are lost and the processor seconds that are saved (docs/ablation.md).
//
//	go run ./scripts/ablate -program bin/firmproof [-timeout 10s] [-match REGEXP] [-every 12] [-each] FOLDER... > FILE
//
// A technique that settled something, or proposed a lemma that a proof needs, is left out of the programs where it did.
// Those that earned nothing are left out all at once, of all programs; with -each, every technique is left out of all
// programs by itself. A C file may say its options in a line "// args: OPTIONS"; of a txtar file, main.c is taken, with
// its flags.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

type options struct {
	program, timeout string
	match            *regexp.Regexp
	every            int
	each             bool
	work             string
}

// program is one C file, or a folder with a manifest.
type program struct {
	name, path string
	args       []string
}

// answer is what the engine says of one claim.
type answer struct {
	status verdict.Status
	by     []string // the engine, and the makers of lemmas
}

// outcome is what a check of one program gave.
type outcome struct {
	answers map[string]answer
	millis  int64 // of processors
	err     error
}

func main() {
	var o options
	match := flag.String("match", "", "regular expression of the programs")
	flag.StringVar(&o.program, "program", "bin/firmproof", "the engine")
	flag.StringVar(&o.timeout, "timeout", "10s", "processor time of each entry")
	flag.IntVar(&o.every, "every", 1, "take one of so many programs")
	flag.BoolVar(&o.each, "each", false, "leave each technique out of all programs")
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
	techniques, err := techniquesOf(o.program)
	if err != nil {
		return err
	}
	programs, err := o.programs(folders)
	if err != nil {
		return err
	}
	a := &ablation{o: o, programs: programs, techniques: techniques}
	a.run()
	return a.write(os.Stdout, folders)
}

// techniquesOf asks the engine for the names.
func techniquesOf(engine string) ([]string, error) {
	out, err := exec.Command(engine, "limits").Output()
	if err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(string(out), "\nTechniques\n")
	var names []string
	for s := bufio.NewScanner(strings.NewReader(list)); s.Scan(); {
		names = append(names, strings.TrimSpace(s.Text()))
	}
	return names, nil
}

// programs lists what is below the folders.
func (o *options) programs(folders []string) ([]program, error) {
	var out []program
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !o.match.MatchString(path) {
				return err
			}
			rel, _ := filepath.Rel(filepath.Dir(filepath.Clean(folder)), path)
			switch {
			case d.IsDir():
				if _, err := os.Stat(filepath.Join(path, ".firmproof.yml")); err == nil {
					out = append(out, program{name: rel, path: path})
					return filepath.SkipDir
				}
			case filepath.Ext(path) == ".c":
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				out = append(out, program{name: rel, path: path, args: argsOf(string(text))})
			case filepath.Ext(path) == ".txtar":
				return o.unpack(rel, path, &out)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var some []program
	for i := 0; i < len(out); i += o.every {
		some = append(some, out[i])
	}
	return some, nil
}

// argsOf returns the options that a program states.
func argsOf(text string) []string {
	for i, line := range strings.Split(text, "\n") {
		if args, ok := strings.CutPrefix(line, "// args:"); ok && i < 5 {
			return strings.Fields(args)
		}
	}
	return nil
}

// unpack adds the C file of a test.
func (o *options) unpack(name, path string, out *[]program) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, file, ok := strings.Cut(string(text), "-- main.c --\n")
	if !ok {
		return nil
	}
	var args []string
	for _, line := range strings.Split(head, "\n") {
		if flags, ok := strings.CutPrefix(line, "flags "); ok {
			args = append(args, strings.Fields(flags)...)
		}
	}
	file, _, _ = strings.Cut(file, "\n-- ")
	to := filepath.Join(o.work, strings.NewReplacer("/", "-", ".txtar", ".c").Replace(name))
	*out = append(*out, program{name: name, path: to, args: args})
	return os.WriteFile(to, []byte(file+"\n"), 0o644)
}

// check asks the engine about p without some techniques.
func (o *options) check(p program, off []string) outcome {
	args := append([]string{"check", "--format", "json", "--jobs", "1", "--timeout", o.timeout, "--clock", "1h"}, p.args...)
	for _, n := range off {
		args = append(args, "--engines", "-"+n)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(o.program, append(args, p.path)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit status is part of the answer
	var r verdict.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return outcome{err: fmt.Errorf("%s: %w: %.300s", p.name, err, errs.String())}
	}
	x := outcome{answers: map[string]answer{}}
	for i := range r.Results {
		res := &r.Results[i]
		x.millis += res.ProcessorMS
		for j := range res.Claims {
			c := &res.Claims[j]
			by := []string{}
			if c.By != "" {
				by = append(by, c.By)
			}
			if c.Certificate != nil {
				by = append(by, c.Certificate.Makers...)
			}
			x.answers[res.Target+" "+res.Entry+" "+c.ID] = answer{c.Status, by}
		}
	}
	return x
}

// earned lists who had a part in an answer of x.
func (x outcome) earned() []string {
	var out []string
	for _, a := range x.answers {
		out = append(out, a.by...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// less counts the answers of x that y does not have: proved, violated and bounded, in this order of worth.
func (x outcome) less(y outcome) (lost, won int) {
	worth := map[verdict.Status]int{verdict.Proved: 3, verdict.Violated: 3, verdict.Bounded: 2, verdict.Conditional: 1}
	for id, a := range x.answers {
		switch d := cmp.Compare(worth[y.answers[id].status], worth[a.status]); {
		case d < 0:
			lost++
		case d > 0:
			won++
		}
	}
	return lost, won
}
