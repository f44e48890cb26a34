package reports

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// GitLab renders the violations as GitLab's Code Quality reads them, one entry for a place.
func GitLab(r *verdict.Report) ([]byte, error) {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	out := []issue{}
	for _, s := range Violations(r.Results) {
		if !s.Counts() || !inPath(s.Pos.File) {
			continue
		}
		c := s.Shown().Claim
		severity := "major"
		if s.Check.Of().Severity >= 7 {
			severity = "critical"
		}
		out = append(out, issue{Description: fmt.Sprintf("%s (%s on %s)", line(c.Message), listed(s.Entries(), 3),
			listed(s.Targets(), 4)), CheckName: string(s.Check), Fingerprint: siteFingerprint(&s), Severity: severity,
			Location: location{s.Pos.File, lines{max(1, s.Pos.Line)}}})
	}
	for _, v := range emptyResults(r) {
		sum := sha256.Sum256([]byte("vacuous\x00" + v.entry + "\x00" + v.target))
		out = append(out, issue{Description: fmt.Sprintf("%s (%s on %s)", v.says, v.entry, v.target),
			CheckName: "vacuous", Fingerprint: hex.EncodeToString(sum[:16]), Severity: "major",
			Location: location{v.at.File, lines{max(1, v.at.Line)}}})
	}
	return indented(out)
}

// siteFingerprint identifies a place of a violation over edits elsewhere: by check, function and claims, by no line.
func siteFingerprint(s *Site) string {
	ids := names(s.Claims, func(c SiteClaim) string { return c.Claim.ID })
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(append([]string{string(s.Check), s.Pos.Function}, ids...), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// emptyResult is a vacuous result: the sentence about it, and its place.
type emptyResult struct {
	entry, target, says string
	at                  verdict.Pos
}

// emptyResults lists the vacuous results that have a place in the project.
func emptyResults(r *verdict.Report) []emptyResult {
	var out []emptyResult
	for i := range r.Results {
		res := &r.Results[i]
		if res.Vacuous == nil {
			continue
		}
		if at := vacuousAt(res); at != nil {
			reason := *res.Vacuous
			reason.Pos = nil
			out = append(out, emptyResult{line(res.Entry), line(res.Target), plain(reason.String()), *at})
		}
	}
	return out
}

// vacuousAt returns the place of a vacuous result: the assumption that nothing passes, else the entry's first claim, else
// its head; nil where none is in the project.
func vacuousAt(res *verdict.Result) *verdict.Pos {
	if at := res.Vacuous.Pos; at != nil && inPath(at.File) {
		return at
	}
	for i := range res.Claims {
		if at := &res.Claims[i].Pos; inPath(at.File) {
			return at
		}
	}
	if res.At != nil && inPath(res.At.File) {
		return res.At
	}
	return nil
}

// RDJSON renders violations, and places that leave claims unknown, in reviewdog's Diagnostic Format.
func RDJSON(r *verdict.Report) ([]byte, error) {
	type position struct {
		Line   int `json:"line"`
		Column int `json:"column,omitempty"`
	}
	type textRange struct {
		Start position `json:"start"`
	}
	type location struct {
		Path  string     `json:"path"`
		Range *textRange `json:"range,omitempty"`
	}
	type code struct {
		Value string `json:"value"`
	}
	type diagnostic struct {
		Message  string   `json:"message"`
		Location location `json:"location"`
		Severity string   `json:"severity"`
		Code     code     `json:"code"`
	}
	at := func(p verdict.Pos) location {
		l := location{Path: p.File}
		if p.Line > 0 {
			l.Range = &textRange{position{p.Line, p.Column}}
		}
		return l
	}
	list := []diagnostic{}
	for _, s := range Violations(r.Results) {
		if s.Counts() && inPath(s.Pos.File) {
			c := s.Shown().Claim
			list = append(list, diagnostic{fmt.Sprintf("%s\nIn %s on %s; claim %s.", plain(c.Message),
				listed(s.Entries(), 3),
				listed(s.Targets(), 4), line(c.ID)), at(s.Pos), "ERROR", code{string(s.Check)}})
		}
	}
	for _, o := range Obstacles(r.Results) {
		if o.Reason.Pos != nil && inPath(o.Reason.Pos.File) {
			reason := o.Reason
			reason.Pos = nil
			list = append(list, diagnostic{plain(reason.String() + "\nLeaves open " + o.Leaves() + "."),
				at(*o.Reason.Pos),
				"INFO", code{"unknown"}})
		}
	}
	for _, v := range emptyResults(r) {
		list = append(list, diagnostic{fmt.Sprintf("%s\nIn %s on %s.", v.says, v.entry, v.target), at(v.at), "WARNING",
			code{"vacuous"}})
	}
	return indented(struct {
		Source      map[string]string `json:"source"`
		Severity    string            `json:"severity"`
		Diagnostics []diagnostic      `json:"diagnostics"`
	}{map[string]string{"name": "firmproof"}, "ERROR", list})
}

// CSV renders every claim as a row, and a row for each verification without an answer as a whole.
func CSV(r *verdict.Report) ([]byte, error) {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	_ = w.Write([]string{"target", "entry", "claim", "check", "status", "file", "line", "column", "function", "message",
		"reason", "replay", "accepted", "baseline", "assumptions"}) // a buffer takes all
	row := func(cells ...string) {
		for i, c := range cells {
			if c = line(c); c != "" && strings.ContainsRune("=+-@", rune(c[0])) {
				c = "'" + c // no formula to a spreadsheet
			}
			cells[i] = c
		}
		_ = w.Write(cells)
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Reason != nil {
			row(res.Target, res.Entry, "", "", verdict.Unknown.String(), "", "", "", "", "", res.Reason.String(), "",
				"", "", "")
		}
		if res.Vacuous != nil {
			row(res.Target, res.Entry, "", "", "vacuous", "", "", "", "", "", res.Vacuous.String(), "", "", "", "")
		}
		for j := range res.Claims {
			c := &res.Claims[j]
			row(res.Target, res.Entry, c.ID, string(c.Check), c.Status.String(), c.Pos.File, count(c.Pos.Line),
				count(c.Pos.Column), c.Pos.Function, c.Message, c.Reason.String(), string(c.Replay), c.Accepted.String(),
				string(c.Baseline), strings.Join(verdict.TextsOf(res.RestsOn(c)), "; "))
		}
	}
	w.Flush()
	return buf.Bytes(), w.Error()
}

// count is a number, or nothing for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func indented(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(v)
	return buf.Bytes(), err
}
