package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/prepare"
)

func harnessCommand() *cobra.Command {
	var req prepare.Request
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "harness FUNCTION [FILE.c|FOLDER]...",
		Short: "Write a harness for a function, to be edited",
		Example: `  firmproof harness ring_push
  firmproof harness ring_push src/ring.c -I include -o proofs/ring.c`,
		Long: `Write a harness in C for a function of a project (a folder with .firmproof.yml, default the current one) or of C files: it
calls the function with any arguments, as a generated harness does. It includes the file that defines the function, so that static
functions and types of that file are there. A harness file that is there already gets one more function.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Paths = args[1:]
			h, err := prepare.HarnessFor(cmd.Context(), req, args[0])
			if err != nil {
				return userError(err)
			}
			root := "."
			if len(req.Paths) > 0 {
				if st, err := os.Stat(req.Paths[0]); err == nil && st.IsDir() {
					root = req.Paths[0]
				}
			}
			if out == "-" {
				_, err := fmt.Fprint(cmd.OutOrStdout(), h.Text)
				return err
			}
			file := out
			if file == "" {
				file = filepath.Join(root, "proofs", filepath.Base(h.Of))
			}
			if err := writeHarness(file, root, h); err != nil {
				return userError(err)
			}
			shown, err := filepath.Rel(root, file)
			if err != nil {
				shown = file
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(harnessWritten{File: filepath.ToSlash(shown), Entry: h.Entry})
			}
			fmt.Fprintf(cmd.OutOrStdout(), `wrote %s
  run it:            firmproof check %s --entry %s
  or in a manifest:  harnesses: [{entry: %s, file: %s}]
`, file, file, h.Entry, h.Entry, filepath.ToSlash(shown))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "output", "o", "",
		"`file` for the harness, - for the terminal (default proofs/ and the name of the function's file)")
	f.BoolVar(&asJSON, "json", false, "say what was written as JSON")
	f.StringArrayVar(&req.Targets, "target", nil, "target to build for (default: the manifest's first, else host)")
	sourceFlags(f, &req.Include, &req.Defines)
	f.StringArrayVar(&req.CFlags, "cflags", nil, "further compiler flags for plain C files")
	return cmd
}

// harnessWritten is what `harness --json` says.
type harnessWritten struct {
	File  string `json:"file"` // relative to the project
	Entry string `json:"entry"`
}

// writeHarness adds a harness to a file, which includes the file of the function.
func writeHarness(file, root string, h *prepare.Harness) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(old)
	if strings.Contains(text, " "+h.Entry+"(") {
		return fmt.Errorf("%s has a function %s already", file, h.Entry)
	}
	if text == "" {
		of := h.Of
		if !filepath.IsAbs(of) {
			of = filepath.Join(root, of)
		}
		if of, err = relative(filepath.Dir(file), of); err != nil {
			return err
		}
		text = fmt.Sprintf("#include \"firmproof.h\"\n#include <stdlib.h>\n#include %q\n", filepath.ToSlash(of))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text+"\n"+h.Text), 0o644)
}

// relative returns the path of file as seen from dir.
func relative(dir, file string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}
