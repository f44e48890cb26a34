package editors

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// acceptedFor is how long an acceptance holds, as `firmproof accept` has it.
const acceptedFor = 90 * 24 * time.Hour

// reasonToWrite stands where the user is to say why a finding is accepted.
const reasonToWrite = "say why"

// manifestEdit is a change of a project's manifest.
type manifestEdit struct {
	file     string
	old, new string
}

// editOf changes the text of a project's manifest, as it is edited. ok is false where that is written in a way that it
// cannot be changed in. s.mu is to be held.
func (s *Server) editOf(dir string, change func(file string, text []byte) ([]byte, error)) (e manifestEdit, err error) {
	file, err := manifest.Find(dir)
	if err != nil {
		return e, err
	}
	if _, err := os.Stat(file); err != nil {
		return e, err
	}
	e = manifestEdit{file: file, old: s.textOf(file)}
	text, err := change(file, []byte(e.old))
	e.new = string(text)
	return e, err
}

// workspaceEdit is the edit as few lines as it changes.
func (e *manifestEdit) workspaceEdit() *workspaceEdit {
	l := linesFrom(e.old, e.new)
	if e.old == e.new {
		return &workspaceEdit{map[string][]textEdit{}}
	}
	was, now := strings.SplitAfter(e.old, "\n"), strings.SplitAfter(e.new, "\n")
	from, to := l.before, l.before+l.changed
	text := strings.Join(now[min(from, len(now)):min(to+l.by, len(now))], "")
	begin, end := position{from, 0}, position{to, 0}
	if to >= len(was) { // the last line has no end
		last := strings.TrimSuffix(was[len(was)-1], "\n")
		end = position{len(was) - 1, character(last, len(last))}
	}
	if from >= len(was) {
		begin = end
	}
	return &workspaceEdit{map[string][]textEdit{uriOf(e.file): {{textRange{begin, end}, text}}}}
}

// shown is where a piece of the new text stands, which the user is to look at; the beginning, if it is not there.
func (e *manifestEdit) shown(piece string) textRange {
	i := strings.Index(e.new, piece)
	if i < 0 {
		return textRange{}
	}
	return textRange{positionIn(e.new, i), positionIn(e.new, i+len(piece))}
}

// fix is a quick fix: an edit of the manifest, and what of it is to be looked at.
type fix struct {
	title string
	edit  func(file string, text []byte) ([]byte, error)
	look  string
}

// fixes are those of a diagnostic.
func (f *fixData) fixes() []fix {
	var out []fix
	for _, a := range f.Assume {
		if a.Calls {
			out = append(out, stubFix(a.Place, a.Text))
			continue
		}
		out = append(out, fix{fmt.Sprintf("Assume %s: %s", a.Place, a.Text), func(file string, text []byte) ([]byte, error) {
			return manifest.AssumeIn(file, text, a.Place, a.Text)
		}, a.Text})
	}
	if f.Stub != "" {
		out = append(out, stubFix(f.Stub, "nondet"), stubFix(f.Stub, "havoc"))
	}
	if f.Loop != "" && !strings.HasPrefix(f.Entry, AnyCall) {
		out = append(out, fix{fmt.Sprintf("Follow loop %s for %d turns", f.Loop, f.Turns),
			func(file string, text []byte) ([]byte, error) {
				return manifest.UnwindIn(file, text, f.Entry, f.Loop, f.Turns)
			}, fmt.Sprint(f.Turns)})
	}
	if f.Claim != "" {
		out = append(out, fix{"Accept " + f.Claim + " (say why)", func(file string, text []byte) ([]byte, error) {
			return manifest.AcceptIn(file, text, manifest.Suppression{Claim: f.Claim, Reason: reasonToWrite,
				Until: time.Now().Add(acceptedFor).UTC().Truncate(24 * time.Hour)})
		}, reasonToWrite})
	}
	return out
}

// stubWords say what stubs do.
var stubWords = map[string]string{"nondet": "gives any result and touches nothing",
	"havoc": "gives any result and changes what its arguments lead to"}

func stubFix(function, kind string) fix {
	return fix{fmt.Sprintf("Stub %s: %s %s", function, kind, stubWords[kind]), func(file string, text []byte) ([]byte, error) {
		return manifest.StubIn(file, text, function, kind)
	}, kind}
}
