package compile

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"

	"github.com/firmproof/firmproof/pipeline/files"
	"github.com/firmproof/firmproof/targets/llvm"
)

var headRE = regexp.MustCompile(`^(define|declare) ([^@]*)@("[^"]*"|[\w.$-]+)\(`)

// headsOf yields the lines of LLVM text that define or declare a function: where each begins, and what headRE finds.
func headsOf(text []byte) iter.Seq2[int, [][]byte] {
	return func(yield func(int, [][]byte) bool) {
		at := 0
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte("de")) {
				if m := headRE.FindSubmatch(line); m != nil && !yield(at, m) {
					return
				}
			}
			at += len(line)
		}
	}
}

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

// internalWord stands before the result of a static function.
var internalWord = []byte("internal ")

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
		for _, m := range headsOf(text) {
			if !bytes.Contains(m[2], internalWord) {
				taken[llvm.Name(m[3])] = true
			}
		}
	}
	for i, text := range texts {
		var out []byte
		done := 0
		for at, m := range headsOf(text) {
			name := llvm.Name(m[3])
			if taken[name] || !bytes.Contains(m[2], internalWord) || !l.opts.KeepAll && !wanted[name] {
				continue
			}
			taken[name] = true
			word := at + bytes.Index(text[at:], internalWord)
			out = append(out, text[done:word]...)
			done = word + len(internalWord)
		}
		if done == 0 && !changed {
			continue
		}
		out = append(out, text[done:]...)
		paths[i] = filepath.Join(l.opts.WorkDir, exposed(i))
		if err := files.Write(paths[i], out, 0o644); err != nil {
			return nil, &InfraError{"link", err}
		}
	}
	return paths, nil
}
