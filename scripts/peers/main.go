// Command peers measures firmproof beside other model checkers on families of small programs, and writes a section of
// docs/benchmarks.md:
//
//	go run ./scripts/peers [-program bin/firmproof] [-peers DIR] [-limit 60s] [-match REGEXP] [-into FILE] [-commit NAME]
//
// A peer is taken from DIR or else from PATH; one that is in neither is left out. Both are given the same bounds, and
// one core each, one after the other; what counts is processor time, that of compilers included, with nothing cached.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

type options struct {
	program, peers string
	limit          time.Duration // of processor time for each run
	match          *regexp.Regexp
	into, commit   string
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "bin/firmproof", "the firmproof to measure")
	flag.StringVar(&o.peers, "peers", "", "folder of peers; those that are not there are looked for on PATH")
	flag.DurationVar(&o.limit, "limit", time.Minute, "processor time of each run")
	match := flag.String("match", "", "regular expression of the families")
	flag.StringVar(&o.into, "into", "", "file whose section is replaced; empty: standard output")
	flag.StringVar(&o.commit, "commit", "unknown", "what is measured")
	flag.Parse()
	o.match = regexp.MustCompile(*match)
	if err := run(&o); err != nil {
		log.Fatal(err)
	}
}

func run(o *options) error {
	work, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program, err := filepath.Abs(o.program)
	if err != nil {
		return err
	}
	tools := append([]tool{firmproof(program)}, found(o.peers)...)
	t, err := measured(o, tools, work)
	if err != nil {
		return err
	}
	text := t.section(time.Now().Format("2006-01-02"), o.commit, o.limit)
	if o.into == "" {
		_, err = fmt.Print(text)
		return err
	}
	old, err := os.ReadFile(o.into)
	if err != nil {
		return err
	}
	return os.WriteFile(o.into, []byte(replaced(string(old), text)), 0o600)
}

// found lists the peers that are in dir or on PATH.
func found(dir string) []tool {
	var out []tool
	for _, p := range peers {
		at, err := exec.LookPath(filepath.Join(dir, p.name))
		if dir == "" || err != nil {
			if at, err = exec.LookPath(p.name); err != nil {
				log.Printf("%s is not here", p.name)
				continue
			}
		}
		p.at = at
		out = append(out, p)
	}
	return out
}

// measured runs every tool on every size of the families that are wanted; after a size that a tool did not decide, it is
// not asked about larger ones.
func measured(o *options, tools []tool, work string) (*table, error) {
	t := &table{}
	for _, p := range tools {
		t.tools = append(t.tools, p.name)
	}
	if err := oneCore(); err != nil {
		return nil, err
	}
	for _, f := range families {
		if !o.match.MatchString(f.name) {
			continue
		}
		path, err := f.write(work)
		if err != nil {
			return nil, err
		}
		over := map[string]bool{}
		for _, n := range f.sizes {
			r := row{family: f.name, n: n}
			for _, p := range tools {
				x := outcome{}
				if !over[p.name] {
					if x, err = p.run(path, n, f.turns(n), o.limit, work); err != nil {
						return nil, err
					}
					over[p.name] = !x.decided
					log.Printf("%s %d: %s %s", f.name, n, p.name, x)
				}
				r.outcomes = append(r.outcomes, x)
			}
			t.rows = append(t.rows, r)
		}
	}
	return t, nil
}
