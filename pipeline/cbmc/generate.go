package cbmc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/pipeline/compile"
)

// litani stands for the job runner of the starter kit: it runs the command of a job
// now, and keeps what it prints in a folder instead of the file that is named.
const litani = `#!/bin/sh
out=/dev/stdout
while [ $# -gt 0 ]; do
	case "$1" in
	--command) command=$2; shift 2 ;;
	--stdout-file) out=$FIRMPROOF_OUT/$(basename "$2"); shift 2 ;;
	*) shift ;;
	esac
done
eval "$command" >"$out"
`

// generated makes the sources that the makefile has rules for and that are not there
// (a copy of a source without "static", for one). What a rule writes otherwise than by
// a job's output fails: the source tree is not written to.
func (p *Proof) generate(ctx context.Context, runner compile.Runner, tmp, printer string) error {
	for _, f := range append(slices.Clone(p.Project), p.Sources...) {
		if _, err := os.Stat(f); err == nil {
			continue
		}
		out := filepath.Join(tmp, fmt.Sprintf("out-%d", len(p.Generated)))
		if err := os.Mkdir(out, 0o777); err != nil {
			return err
		}
		if err := os.Chmod(out, 0o777); err != nil { // another user may run make
			return err
		}
		script := filepath.Join(tmp, "litani.sh")
		if err := os.WriteFile(script, []byte(litani), 0o755); err != nil {
			return err
		}
		res, err := runner.Run(ctx, compile.Cmd{Argv: []string{"env", "FIRMPROOF_OUT=" + out, "make", "-s",
			"--no-print-directory", "-f", printer, "LITANI=sh " + script, f},
			Dir: p.Dir, Read: []string{tmp, sourceTree(p.Dir)}, Write: []string{out}})
		if err != nil {
			return fmt.Errorf("%s: make: %w", p.Dir, err)
		}
		data, err := os.ReadFile(filepath.Join(out, filepath.Base(f)))
		if res.ExitCode != 0 || err != nil {
			return fmt.Errorf("%s is not there, and make does not give it: %s", f,
				strings.TrimSpace(string(res.Stderr)))
		}
		if p.Generated == nil {
			p.Generated = map[string][]byte{}
		}
		p.Generated[f] = data
	}
	return nil
}

// writeGenerated puts generated sources into the folder of the build, with the names that retyped gives; it gives
// where each is.
func (p *Proof) writeGenerated(work string, retyped retyping) (map[string]string, error) {
	at := map[string]string{}
	for _, f := range append(slices.Clone(p.Project), p.Sources...) {
		data, ok := p.Generated[f]
		if !ok {
			continue
		}
		dir := filepath.Join(work, fmt.Sprintf("generated-%d", len(at)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		at[f] = filepath.Join(dir, filepath.Base(f))
		head := fmt.Sprintf("#line 1 \"%s\"\n", strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f))
		if err := os.WriteFile(at[f], append([]byte(head), renameFrom(data, retyped.at[f])...), 0o644); err != nil {
			return nil, err
		}
	}
	return at, nil
}
