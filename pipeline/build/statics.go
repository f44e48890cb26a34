package build

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/firmproof/firmproof/pipeline/files"
)

var globalRE = regexp.MustCompile(`(?m)^(define|declare) ([^@\n]*)@("[^"\n]*"|[\w.$-]+)\(`)

// unitTexts reads the units, prepared where the options say so.
func (l *linker) unitTexts() ([][]byte, error) {
	texts := make([][]byte, len(l.img.Units))
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
		texts[i] = text
	}
	return texts, nil
}

// exposed names the file of unit i's changed text.
func exposed(i int) string { return fmt.Sprintf("exposed-%d.ll", i) }

// wanted returns the symbols that must stay.
func (l *linker) wanted() []string { return append(append([]string(nil), l.entries...), l.keep...) }

// exposeStatics gives the static functions that must stay an external name before
// the units are linked: llvm-link drops an internal function that nothing calls. The
// first unit that has one of the name wins; a name that any unit uses externally is
// left alone, for it would be bound to the wrong function. It returns the paths to
// link; changed says that the texts are not those of the units' files.
func (l *linker) exposeStatics(texts [][]byte, changed bool) ([]string, error) {
	wanted := map[string]bool{}
	for _, n := range l.wanted() {
		wanted[n] = true
	}
	paths := make([]string, len(texts))
	taken := map[string]bool{}
	for i, text := range texts {
		paths[i] = l.img.Units[i].IRPath
		for _, m := range globalRE.FindAllSubmatch(text, -1) {
			if !strings.Contains(string(m[2]), "internal ") {
				taken[string(m[3])] = true
			}
		}
	}
	for i, text := range texts {
		shown := false
		out := globalRE.ReplaceAllFunc(text, func(line []byte) []byte {
			m := globalRE.FindSubmatch(line)
			name := string(m[3])
			if taken[name] || !strings.Contains(string(m[2]), "internal ") || !l.opts.KeepAll && !wanted[name] {
				return line
			}
			taken[name], shown = true, true
			return []byte(strings.Replace(string(line), "internal ", "", 1))
		})
		if !shown && !changed {
			continue
		}
		paths[i] = filepath.Join(l.opts.WorkDir, exposed(i))
		if err := files.Write(paths[i], out, 0o644); err != nil {
			return nil, &InfraError{"link", err}
		}
	}
	return paths, nil
}
