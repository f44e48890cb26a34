package ctoken

import (
	"strings"
	"testing"
)

// TestNext cuts lines into their tokens.
func TestNext(t *testing.T) {
	kinds := map[Kind]string{Punctuator: "p", Name: "n", Number: "d", Text: "t"}
	for line, want := range map[string]string{
		`a+b->c`:              "n:a p:+ n:b p:- p:> n:c",
		`1e+5-0x1p-3f+.5.x`:   "d:1e+5 p:- d:0x1p-3f p:+ d:.5.x",
		`"a\"b" 'c' L"d" x"e`: `t:"a\"b" t:'c' t:L"d" t:x"e`,
		`abc"d"...`:           `n:abc t:"d" p:. p:. p:.`,
		`\u00e9a$1 é @`:       `n:\u00e9a$1 n:é p:@`,
	} {
		var got []string
		for s := []byte(line); len(s) > 0; {
			if s[0] == ' ' {
				s = s[1:]
				continue
			}
			kind, n := Next(s)
			got = append(got, kinds[kind]+":"+string(s[:n]))
			s = s[n:]
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s\n got %s\nwant %s", line, s, want)
		}
	}
}

// TestIsWord: what is beside letters and digits in ASCII ends a word (C17 6.4.2).
func TestIsWord(t *testing.T) {
	for c, want := range map[byte]bool{'a': true, 'z': true, 'A': true, 'Z': true, '0': true, '9': true, '_': true,
		'$': true, '\\': true, 0x80: true, 0xff: true, '{': false, '`': false, '[': false, '@': false, '/': false,
		':': false, 0x7f: false, '#': false, '%': false} {
		if got := IsWord(c); got != want {
			t.Errorf("%q: %v, want %v", c, got, want)
		}
	}
}
