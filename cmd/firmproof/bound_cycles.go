package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/compile"
	"github.com/firmproof/firmproof/targets"
	"github.com/firmproof/firmproof/verifier/budget"
	"github.com/firmproof/firmproof/verifier/cycles"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// cycleBound is what `bound --cycles --json` writes.
type cycleBound struct {
	Version   int              `json:"version"`
	Tool      verdict.Tool     `json:"tool"`
	Image     string           `json:"image"`
	Function  string           `json:"function"`
	Status    verdict.Status   `json:"status"`           // proved or unknown
	Cycles    int64            `json:"cycles,omitempty"` // of a call at most, where it is proved
	Open      []cycleOpen      `json:"open"`
	Functions []cycleFunctions `json:"functions"`
	Loops     []cycleLoop      `json:"loops"`
	Assumed   []string         `json:"assumed"`
}

type cycleOpen struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Reason   string `json:"reason"`
}

type cycleFunctions struct {
	Name   string `json:"name"`
	Cycles int64  `json:"cycles"` // of its longest call
	Calls  int64  `json:"calls"`  // that were followed
}

type cycleLoop struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Turns    int64  `json:"turns"` // how often it goes back at most
	By       string `json:"by"`    // followed or declared
}

// boundCycles bounds the cycles of a function of an image, or of a C file that it compiles and links.
func boundCycles(ctx context.Context, w io.Writer, file, entry, target string, timeout time.Duration, turns []string, asJSON bool,
	opts compile.Options) error {
	declared, err := turnsOf(turns)
	if err != nil {
		return err
	}
	t, err := targets.Load(target)
	if err != nil {
		return err
	}
	ctx, cancel := budget.With(ctx, timeout)
	defer cancel()
	path := file
	if !isELF(file) {
		if arch, _, _ := strings.Cut(t.Triple, "-"); arch != "avr" {
			return fmt.Errorf("cycles are known of AVRs alone: --target avr")
		}
		work, err := os.MkdirTemp("", "firmproof-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(work)
		opts.WorkDir = work
		if path, err = compile.Machine(ctx, file, t, opts, entry); err != nil {
			return userError(err)
		}
	}
	img, err := cycles.Read(path)
	if err != nil {
		return err
	}
	b, err := img.Of(ctx, entry, declared)
	if err != nil {
		return err
	}
	out := cycleBoundOf(file, entry, b)
	if asJSON {
		err = writeJSON(w, out)
	} else {
		_, err = io.WriteString(w, out.text())
	}
	if err == nil && out.Status != verdict.Proved {
		err = &exitError{code: exitUnknown}
	}
	return err
}

// turnsOf reads declared turns FILE:LINE=N.
func turnsOf(list []string) ([]cycles.Turns, error) {
	var out []cycles.Turns
	for _, s := range list {
		place, n, ok := strings.Cut(s, "=")
		colon := strings.LastIndexByte(place, ':')
		if !ok || colon <= 0 {
			return nil, fmt.Errorf("--turns %q: FILE:LINE=N", s)
		}
		line, err1 := strconv.Atoi(place[colon+1:])
		turns, err2 := strconv.ParseInt(n, 10, 32)
		if err1 != nil || err2 != nil || line < 1 || turns < 0 {
			return nil, fmt.Errorf("--turns %q: FILE:LINE=N", s)
		}
		out = append(out, cycles.Turns{File: filepath.ToSlash(place[:colon]), Line: line, Turns: turns})
	}
	return out, nil
}

func isELF(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, 4)
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == "\x7fELF"
}

func cycleBoundOf(image, function string, b *cycles.Bound) *cycleBound {
	out := &cycleBound{Version: 1, Tool: verdict.Tool{Name: "firmproof", Version: version}, Image: image, Function: function,
		Status: verdict.Proved, Cycles: b.Cycles, Open: []cycleOpen{}, Functions: []cycleFunctions{}, Loops: []cycleLoop{},
		Assumed: b.Assumed()}
	if len(b.Open) > 0 {
		out.Status, out.Cycles = verdict.Unknown, 0
	}
	for _, o := range b.Open {
		out.Open = append(out.Open, cycleOpen{o.Func, o.File, o.Line, o.Why})
	}
	for _, f := range b.Functions {
		out.Functions = append(out.Functions, cycleFunctions(f))
	}
	for _, l := range b.Loops {
		by := "followed"
		if l.Declared {
			by = "declared"
		}
		out.Loops = append(out.Loops, cycleLoop{l.Func, l.File, l.Line, l.Turns, by})
	}
	return out
}

// text is the answer for people.
func (c *cycleBound) text() string {
	var b strings.Builder
	at := func(file string, line int) string {
		if line == 0 {
			return ""
		}
		return fmt.Sprintf("%s:%d: ", file, line)
	}
	for _, l := range c.Loops {
		fmt.Fprintf(&b, "%s%s: a loop goes back %d times at most", at(l.File, l.Line), l.Function, l.Turns)
		if l.By == "declared" {
			b.WriteString(", which --turns says")
		}
		b.WriteByte('\n')
	}
	if c.Status == verdict.Proved {
		for _, f := range c.Functions {
			fmt.Fprintf(&b, "%s: %d cycles at most in a call\n", f.Name, f.Cycles)
		}
	}
	fmt.Fprintf(&b, "assumed: %s\n", strings.Join(c.Assumed, "; "))
	for _, o := range c.Open {
		fmt.Fprintf(&b, "%s%s: open: %s\n", at(o.File, o.Line), o.Function, o.Reason)
	}
	if c.Status != verdict.Proved {
		b.WriteString("MAYBE\n")
	} else {
		fmt.Fprintf(&b, "%d cycles\n", c.Cycles)
	}
	return b.String()
}
