package build

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var globalRE = regexp.MustCompile(`(?m)^(define|declare) ([^@\n]*)@("[^"\n]*"|[\w.$-]+)\(`)

// exposeStatics gives the static functions that must stay an external name before
// the units are linked: llvm-link drops an internal function that nothing calls. The
// first unit that has one of the name wins; a name that any unit uses externally is
// left alone, for it would be bound to the wrong function. It returns the paths to link.
func (l *linker) exposeStatics() ([]string, error) {
	wanted := map[string]bool{}
	for _, n := range append(append([]string(nil), l.entries...), l.keep...) {
		wanted[n] = true
	}
	paths := make([]string, len(l.img.Units))
	texts := make([][]byte, len(l.img.Units))
	taken := map[string]bool{}
	for i, u := range l.img.Units {
		text, err := os.ReadFile(u.IRPath)
		if err != nil {
			return nil, &InfraError{"link", err}
		}
		if l.opts.Prepare != nil {
			if text = l.opts.Prepare(u.Given, text); text == nil {
				return nil, &InfraError{"link", fmt.Errorf("%s: no text left", u.File)}
			}
		}
		paths[i], texts[i] = u.IRPath, text
		for _, m := range globalRE.FindAllSubmatch(text, -1) {
			if !strings.Contains(string(m[2]), "internal ") {
				taken[string(m[3])] = true
			}
		}
	}
	for i, text := range texts {
		changed := false
		out := globalRE.ReplaceAllFunc(text, func(line []byte) []byte {
			m := globalRE.FindSubmatch(line)
			name := string(m[3])
			if taken[name] || !strings.Contains(string(m[2]), "internal ") || !l.opts.KeepAll && !wanted[name] {
				return line
			}
			taken[name], changed = true, true
			return []byte(strings.Replace(string(line), "internal ", "", 1))
		})
		if !changed && l.opts.Prepare == nil {
			continue
		}
		paths[i] = filepath.Join(l.opts.WorkDir, fmt.Sprintf("exposed-%d.ll", i))
		if err := writeAtomic(paths[i], out); err != nil {
			return nil, &InfraError{"link", err}
		}
	}
	return paths, nil
}
