package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/pipeline/manifest"
)

// TestAccept: the words of comments on pull requests work on the command line, and change the manifest.
func TestAccept(t *testing.T) {
	dir := writeTree(t, map[string]string{".firmproof.yml": "version: 1\nbuild: {sources: [a.c]} # all\n", "sub/x.c": ""})
	t.Chdir(filepath.Join(dir, "sub"))
	until := time.Now().Add(acceptedFor).UTC().Format(manifest.Day)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"list"}, exitOK, "accepts nothing"},
		{[]string{"accept", "memory@f#2"}, exitUsage, "it is written `firmproof accept CLAIM [until DAY] because REASON`"},
		{[]string{"accept", "memory@f#2", "because"}, exitUsage, "it is written"},
		{[]string{"accept", "memory@f#2", "until", "yesterday", "because", "x"}, exitUsage, `"yesterday" is no day in the future`},
		{[]string{"accept", "memory@f#2", "until", "2001-01-01", "because", "x"}, exitUsage, "no day in the future"},
		{[]string{"accept", "memroy@f#2", "because", "x"}, exitUsage, "is no id of a claim"},
		{[]string{"accept", "--by", "Ann", "memory@f#2", "because", "the", "lock", "is", "held"}, exitOK, "accepted until " + until},
		{[]string{"accept", "--by", "Bob", "assert@g#1", "until", "2999-01-31", "because", "a: b # c"}, exitOK, "2999-01-31"},
		{[]string{"list"}, exitOK, "memory@f#2  until " + until + "  Ann: the lock is held\n"},
		{[]string{"list"}, exitOK, "assert@g#1  until 2999-01-31  Bob: a: b # c\n"},
		{[]string{"unaccept", "memory@f#2"}, exitOK, "memory@f#2 counts again"},
		{[]string{"unaccept", "memory@f#2"}, exitUsage, "accepts no memory@f#2"},
	} {
		var out bytes.Buffer
		if code := runWith(c.args, &out, &out); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%q: exit %d: %s", c.args, code, out.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, ".firmproof.yml"))
	want := "version: 1\nbuild: {sources: [a.c]} # all\nsuppress:\n" +
		"  - {claim: 'assert@g#1', reason: 'a: b # c', by: 'Bob', until: 2999-01-31}\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}
