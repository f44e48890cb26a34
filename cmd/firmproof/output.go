package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// outputs are pairs of --format and -o: formats[i] goes to files[i]; without a
// file, to standard output.
type outputs struct {
	formats []string
	files   []string
	quiet   bool
	verbose bool
}

// check says what is wrong with the flags.
func (o *outputs) check() error {
	if len(o.formats) == 0 {
		o.formats = reports.FormatNames()[:1]
	}
	for _, f := range o.formats {
		if _, known := reports.FormatNamed(f); !known {
			names := reports.FormatNames()
			return fmt.Errorf("unknown --format %q, did you mean %q? (known: %s)", f, verdict.Nearest(f, names),
				strings.Join(names, ", "))
		}
	}
	if len(o.files) > len(o.formats) {
		return fmt.Errorf("%d output files for %d formats: give --format and -o in pairs", len(o.files), len(o.formats))
	}
	return nil
}

// write renders the report in every format asked for.
func (o *outputs) write(stdout io.Writer, r *verdict.Report) error {
	for i, f := range o.formats {
		if i >= len(o.files) || o.files[i] == "-" {
			if err := o.render(stdout, f, r, isTerminal(stdout)); err != nil {
				return err
			}
			continue
		}
		var buf bytes.Buffer
		if err := o.render(&buf, f, r, false); err != nil {
			return err
		}
		if err := os.WriteFile(o.files[i], buf.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

func (o *outputs) render(w io.Writer, format string, r *verdict.Report, color bool) error {
	f, known := reports.FormatNamed(format)
	if !known {
		return fmt.Errorf("unknown --format %q", format)
	}
	return f.Write(w, r, reports.TextOptions{Color: color && os.Getenv("NO_COLOR") == "", Verbose: o.verbose,
		Quiet: o.quiet})
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// exitCode is the contract of `check`: violated 1, unknown 3 unless only violations count.
func exitCode(s verdict.Status, failOn string) int {
	switch s {
	case verdict.Violated:
		return exitViolated
	case verdict.Unknown:
		if failOn == "violation" {
			return exitOK
		}
		return exitUnknown
	}
	return exitOK
}
