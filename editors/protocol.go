package editors

import (
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Types of the protocol (LSP 3.17), with its field names. Lines and columns count from 0, columns in units of UTF-16.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}
	related struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	diagnostic struct {
		Range    textRange `json:"range"`
		Severity int       `json:"severity"` // as the constants below
		Code     string    `json:"code,omitempty"`
		Source   string    `json:"source"`
		Message  string    `json:"message"`
		Related  []related `json:"relatedInformation,omitempty"`
		Data     *fixData  `json:"data,omitempty"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	editorCommand struct {
		Title     string   `json:"title"`
		Command   string   `json:"command"`
		Arguments []string `json:"arguments,omitempty"`
	}
	codeLens struct {
		Range   textRange     `json:"range"`
		Command editorCommand `json:"command"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
		Command     *editorCommand `json:"command,omitempty"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup    `json:"contents"`
		Range    textRange `json:"range"`
	}
	inlayHint struct {
		Position    position    `json:"position"`
		Label       []labelPart `json:"label"`
		Tooltip     *markup     `json:"tooltip,omitempty"`
		PaddingLeft bool        `json:"paddingLeft,omitempty"`
	}
	labelPart struct {
		Value   string         `json:"value"`
		Tooltip string         `json:"tooltip,omitempty"`
		Command *editorCommand `json:"command,omitempty"`
	}
)

// Severities of diagnostics, and types of messages.
const (
	severityError = iota + 1
	severityWarning
	severityInformation
)

// documentParams are those of most requests.
type documentParams struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"` // of didOpen
	} `json:"textDocument"`
	Position position  `json:"position"`
	Range    textRange `json:"range"`
}

// pathOf returns the file that a URI names; empty if it is none of this machine.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}

func uriOf(file string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

// lineOf returns a line of a text, from 0, without its end.
func lineOf(text string, n int) string {
	for ; n > 0; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}

// character is a place in a line, in units of UTF-16, of one in bytes, both from 0.
func character(line string, bytes int) int {
	if bytes > len(line) {
		return bytes - len(line) + character(line, len(line))
	}
	n := 0
	for _, r := range line[:max(0, bytes)] {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// byteAt is the place in bytes of one in units of UTF-16.
func byteAt(line string, character int) int {
	at := 0
	for at < len(line) && character > 0 {
		r, n := utf8.DecodeRuneInString(line[at:])
		at, character = at+n, character-max(1, utf16.RuneLen(r))
	}
	return at
}

// positionIn is the place of a byte in a text.
func positionIn(text string, at int) position {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	return position{strings.Count(text[:begin], "\n"), character(line, at-begin)}
}
