// Package ctoken finds the ends of tokens in preprocessed C.
package ctoken

import "strings"

// Kind says what a preprocessing token is.
type Kind byte

// The kinds of tokens.
const (
	Punctuator Kind = iota
	Name            // identifier or keyword
	Number
	Text // string or character, with its prefix
)

// Next returns the kind and the length of the token that s begins with, which is no white space (C17 5.1.1.2, phases 5
// and later). Of punctuators it returns the first character.
func Next(s []byte) (kind Kind, length int) {
	c := s[0]
	switch {
	case isDigit(c) || c == '.' && len(s) > 1 && isDigit(s[1]):
		return Number, number(s)
	case IsWord(c):
		n := 1
		for n < len(s) && IsWord(s[n]) {
			n++
		}
		if n <= 2 && n < len(s) && (s[n] == '"' || s[n] == '\'') { // L"..", u8".."
			return Text, n + text(s[n:])
		}
		return Name, n
	case c == '"' || c == '\'':
		return Text, text(s)
	}
	return Punctuator, 1
}

// IsWord reports whether a name may hold a byte; the backslash is that of \u00e9.
func IsWord(c byte) bool {
	return c == '_' || c == '$' || c == '\\' || c >= 0x80 || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number returns the length of a preprocessing number (C17 6.4.8).
func number(s []byte) int {
	n := 1
	for n < len(s) && (IsWord(s[n]) || s[n] == '.' ||
		(s[n] == '+' || s[n] == '-') && strings.IndexByte("eEpP", s[n-1]) >= 0) {
		n++
	}
	return n
}

// text returns the length of a string or character, which ends with its line at the latest.
func text(s []byte) int {
	n := 1
	for n < len(s) && s[n] != s[0] && s[n] != '\n' {
		if s[n] == '\\' {
			n++
		}
		n++
	}
	return min(n+1, len(s))
}
