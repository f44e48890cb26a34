package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/firmproof/firmproof/reports/witness"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// check settles the format of the witness.
func (o *svOptions) check() error {
	switch {
	case o.witness == "" && o.format != "":
		return fmt.Errorf("--witness-format needs --witness FILE")
	case o.format == "" && filepath.Ext(o.witness) == ".graphml":
		o.format = "graphml"
	case o.format == "":
		o.format = "yaml"
	case o.format != "yaml" && o.format != "graphml":
		return fmt.Errorf("--witness-format %q: yaml or graphml", o.format)
	}
	return nil
}

// write writes the witness of the answer. Where there is none, it says so: the answer stands without it.
func (o *svOptions) write(answer string, claim *verdict.Claim, res *verdict.Result, spec string, errs io.Writer) error {
	text, err := os.ReadFile(o.file)
	if err != nil {
		return err
	}
	created, err := creationTime()
	if err != nil {
		return err
	}
	task := witness.Task{File: o.file, Text: string(text), Specification: spec, Version: version, Created: created,
		Bits: map[string]int{"ILP32": 32, "LP64": 64}[o.model]}
	var w *witness.Witness
	switch {
	case claim != nil:
		w = witness.Violation(task, claim)
	case answer == "TRUE":
		w = witness.Correctness(task, res)
	default:
		fmt.Fprintf(errs, "no witness: the answer is %s\n", answer)
		return nil
	}
	form := w.YAML
	if o.format == "graphml" {
		form = w.GraphML
	}
	out, err := form()
	if err != nil {
		fmt.Fprintln(errs, "no witness:", err)
		return nil
	}
	if err := os.WriteFile(o.witness, out, 0o644); err != nil {
		return fmt.Errorf("--witness: %w", err)
	}
	return nil
}

// creationTime is now, or the seconds since 1970 that SOURCE_DATE_EPOCH says.
func creationTime() (time.Time, error) {
	fixed := os.Getenv("SOURCE_DATE_EPOCH")
	if fixed == "" {
		return time.Now(), nil
	}
	n, err := strconv.ParseInt(fixed, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q is not a number of seconds", fixed)
	}
	return time.Unix(n, 0), nil
}
