package reports

import (
	"io"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Names says relative to what a format names files.
type Names uint8

// The ways to name files.
const (
	AsInReport     Names = iota // relative to the folder that was checked
	FromHere                    // relative to the current folder: for people at a terminal
	FromRepository              // relative to the repository: for forges and their tools
)

// Format is a form in which `check` and its like write a report.
type Format struct {
	Name  string
	Names Names
	Write func(w io.Writer, r *verdict.Report, o TextOptions) error // o is for terminals; other forms ignore it
}

// Formats lists the formats in the order of the manual; the first one is the default.
func Formats() []Format {
	return []Format{
		{"text", FromHere, func(w io.Writer, r *verdict.Report, o TextOptions) error { Text(w, r, o); return nil }},
		{"json", AsInReport, func(w io.Writer, r *verdict.Report, _ TextOptions) error { return r.WriteJSON(w) }},
		{"sarif", FromRepository, whole(SARIF)},
		{"junit", FromRepository, whole(JUnit)},
		{"html", AsInReport, func(w io.Writer, r *verdict.Report, o TextOptions) error {
			b, err := HTML(r, o)
			if err == nil {
				_, err = w.Write(b)
			}
			return err
		}},
		{"md", FromRepository, whole(func(r *verdict.Report) ([]byte, error) {
			return []byte(Markdown(r) + "\n"),
				nil
		})},
		{"gitlab", FromRepository, whole(GitLab)},
		{"rdjson", FromRepository, whole(RDJSON)},
		{"csv", FromRepository, whole(CSV)},
		{"lcov", FromRepository, whole(LCOV)},
		{"github", FromRepository, whole(func(r *verdict.Report) ([]byte, error) { return []byte(GitHub(r)), nil })},
	}
}

// OnlyCoverage reports whether a format tells what executions come to, and nothing of claims.
func OnlyCoverage(format string) bool { return format == "lcov" }

// whole returns the Write of a format that is made in one piece.
func whole(make func(*verdict.Report) ([]byte, error)) func(io.Writer, *verdict.Report, TextOptions) error {
	return func(w io.Writer, r *verdict.Report, _ TextOptions) error {
		b, err := make(r)
		if err == nil {
			_, err = w.Write(b)
		}
		return err
	}
}

// FormatNames lists the names of the formats.
func FormatNames() []string {
	var out []string
	for _, f := range Formats() {
		out = append(out, f.Name)
	}
	return out
}

// FormatNamed finds a format by its name.
func FormatNamed(name string) (Format, bool) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
