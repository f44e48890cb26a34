package reports

import "github.com/firmproof/firmproof/verifier/verdict"

// Markdown is the text of a check run as one document, for job summaries and files.
func Markdown(r *verdict.Report) string {
	p := CheckRun(r.Results, PageOptions{})
	return "# firmproof: " + p.Title + "\n\n" + p.Summary + "\n\n" + p.Text
}
