package bot

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzWebhook: a payload of an event that we know is reduced or refused; what is kept of it reads as the same event.
func FuzzWebhook(f *testing.F) {
	for _, r := range eventTable() {
		f.Add(r.name, "application/json", []byte(`{"action":"opened","installation":{"id":1,"account":{"login":"a"}},"repository":{"id":2,"full_name":"a/b","private":true},
"pull_request":{"number":3,"head":{"sha":"x","repo":null},"base":{"ref":"main"}},"comment":{"id":4,"body":"/firmproof help"},"issue":{"number":3},"sender":{"login":"s"}}`))
	}
	f.Add("push", "application/x-www-form-urlencoded", []byte("payload=%7B%22ref%22%3A%22x%22%7D"))
	f.Fuzz(func(t *testing.T, name, contentType string, body []byte) {
		if known(name) == "other" {
			return
		}
		e, err := decodeBody(name, contentType, body)
		if err != nil {
			return
		}
		kept, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again Event
		if err := json.Unmarshal(kept, &again); err != nil {
			t.Fatalf("%v: %s", err, kept)
		}
		if twice, err := json.Marshal(&again); err != nil || string(twice) != string(kept) {
			t.Fatalf("%s then %s %v", kept, twice, err)
		}
	})
}

// FuzzComment: commands are single lines, and what is wrong with one is said in text that mentions nobody.
func FuzzComment(f *testing.F) {
	f.Add("thanks\n/firmproof rerun x86_64\n> /firmproof approve\n```\n/firmproof cancel\n```\n")
	f.Add("/firmproof suppress memory@f#1 because @acme/security said <b>so</b>")
	f.Add("/firmproof `@x` | <img> \u202e")
	f.Fuzz(func(t *testing.T, body string) {
		for _, c := range parseCommands(body) {
			if strings.ContainsAny(c.line, "\n\r") || c.verb == "" || !strings.HasPrefix(c.line, prefix) {
				t.Fatalf("%+v", c)
			}
			if p := c.problem(); strings.Contains(p, "<img") && !strings.Contains(p, "`") {
				t.Fatal(p)
			}
		}
	})
}
