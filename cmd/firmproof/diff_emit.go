package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// tests writes a C program for each difference that one can show, into the folder that was asked for.
func (d *difference) tests(out *verdict.Comparisons) error {
	if d.emit == "" {
		return nil
	}
	if err := os.MkdirAll(d.emit, 0o755); err != nil {
		return err
	}
	for i := range out.Comparisons {
		c := &out.Comparisons[i]
		for k := range c.Differences {
			text := reports.DifferenceTest(c, &c.Differences[k])
			if text == "" {
				continue
			}
			name := fmt.Sprintf("differs_%s_%d.c", c.Function, k+1)
			if len(out.Comparisons) > 1 && c.Target != out.Comparisons[0].Target {
				name = fmt.Sprintf("differs_%s_%d_%s.c", c.Function, k+1, c.Target)
			}
			if err := os.WriteFile(filepath.Join(d.emit, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
