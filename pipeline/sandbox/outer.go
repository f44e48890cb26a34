package sandbox

import (
	"path/filepath"
	"strconv"
)

// outerArgs returns the command line of the user's own sandbox up to the second stage:
//
//	COMMAND --dir DIR --memory BYTES --processes N --read DIR... --write DIR... -- PROGRAM ARGUMENT...
//
// It has to run PROGRAM in the folder DIR, with the environment that it has itself, the
// named folders under the same names and no network, to end with its exit status, and to
// take it along when it is killed. Only what is written to --write folders counts.
func (s *Sandbox) outerArgs(spec Spec) []string {
	a := append([]string(nil), s.outer...)
	a = append(a, "--dir", spec.Dir, "--memory", strconv.FormatInt(spec.Limits.Memory, 10),
		"--processes", strconv.Itoa(spec.Limits.Procs), "--read", filepath.Dir(s.program))
	for _, d := range spec.Read {
		a = append(a, "--read", d)
	}
	for _, d := range spec.Write {
		a = append(a, "--write", d)
	}
	return append(a, "--")
}
