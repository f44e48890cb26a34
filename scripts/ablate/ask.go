package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// answer tells what a claim is worth, and who decided it.
type answer struct {
	Worth int      // 0: nothing is known
	By    []string // techniques that had a part in it
}

// outcome has the answers about one program, and what they cost.
type outcome struct {
	Program string
	Off     []string
	Answers map[string]answer
	Wrong   bool // it contradicts what is known
	Millis  int64
	Failed  string // why there is no answer
}

// worths are those of statuses; a bound counts by its degree.
var worths = map[verdict.Status]int{verdict.Proved: 30, verdict.Violated: 30, verdict.Bounded: 2, verdict.Conditional: 1}

// ask asks the engine about p without some techniques.
func (o *options) ask(p program, off []string) outcome {
	args := slices.Clone(p.args)
	for _, n := range off {
		args = append(args, "--engines", "-"+n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*o.timeout+time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, o.engine, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit status is part of the answer
	x := outcome{Program: p.name, Off: off}
	if cmd.ProcessState != nil {
		x.Millis = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Milliseconds()
	}
	if p.args[0] == "check" {
		x.Answers = claims(out.Bytes())
	} else {
		x.Answers, x.Wrong = lastLine(out.String(), p.want)
	}
	if x.Answers == nil {
		x.Failed = fmt.Sprintf("%.200s", errs.String())
	}
	return x
}

// claims reads a report; nil if there is none.
func claims(text []byte) map[string]answer {
	var r verdict.Report
	if json.Unmarshal(text, &r) != nil {
		return nil
	}
	out := map[string]answer{}
	for i := range r.Results {
		res := &r.Results[i]
		for j := range res.Claims {
			c := &res.Claims[j]
			out[res.Target+" "+res.Entry+" "+c.ID] = answer{worths[c.Status], c.Techniques()}
		}
	}
	return out
}

var degree = regexp.MustCompile(`n\^(\d+)`)

// lastLine reads the answer of a command that asks for one thing, and whether it contradicts what is known.
func lastLine(text, want string) (map[string]answer, bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var x answer
	if len(lines) > 1 {
		if by, ok := strings.CutPrefix(lines[len(lines)-2], "techniques: "); ok && by != "" {
			x.By = strings.Split(by, ", ")
		}
	}
	last, is := lines[len(lines)-1], ""
	switch {
	case strings.HasPrefix(last, "TRUE"), last == "YES":
		x.Worth, is = 30, "TRUE"
	case strings.HasPrefix(last, "FALSE"), last == "NO":
		x.Worth, is = 30, "FALSE"
	case strings.HasPrefix(last, "WORST_CASE"):
		x.Worth = 30
		for _, d := range degree.FindAllStringSubmatch(last, -1) {
			n, _ := strconv.Atoi(d[1])
			x.Worth = max(2, x.Worth-n)
		}
		if strings.Contains(last, "EXP") {
			x.Worth = 1
		}
	case last == "UNKNOWN", last == "MAYBE":
	default:
		return nil, false
	}
	if x.Worth == 0 {
		x.By = nil
	}
	return map[string]answer{"": x}, is != "" && want != "" && is != want
}

// had reports whether a technique had a part in an answer of x.
func (x outcome) had(technique string) bool {
	for _, a := range x.Answers {
		if slices.Contains(a.By, technique) {
			return true
		}
	}
	return false
}

// less counts the answers of x that are worth less, or more, in y.
func (x outcome) less(y outcome) (lost, won int) {
	for id, a := range x.Answers {
		switch b := y.Answers[id]; {
		case b.Worth < a.Worth:
			lost++
		case b.Worth > a.Worth:
			won++
		}
	}
	return lost, won
}

// state keeps outcomes in a file, a line of JSON each.
type state struct {
	known map[string]outcome
	file  *os.File
}

func key(program string, off []string) string { return program + "\x00" + strings.Join(off, "\x00") }

// readState reads what an earlier run kept; a path that is empty keeps nothing.
func readState(path string) (*state, error) {
	s := &state{known: map[string]outcome{}}
	if path == "" {
		return s, nil
	}
	var err error
	if s.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	for r := bufio.NewReader(s.file); ; {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return s, nil
		} else if err != nil {
			return nil, err
		}
		var x outcome
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		s.known[key(x.Program, x.Off)] = x
	}
}

func (s *state) keep(x outcome) error {
	s.known[key(x.Program, x.Off)] = x
	if s.file == nil {
		return nil
	}
	return json.NewEncoder(s.file).Encode(x)
}

func (s *state) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
