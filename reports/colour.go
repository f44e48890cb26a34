package reports

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
)

// mostColoured is how many lines of a page are coloured: some thousands take a second.
const mostColoured = 6000

// Classes of coloured words on pages.
const (
	colourComment   = "com"
	colourDirective = "pp"
	colourKeyword   = "key"
	colourNumber    = "num"
	colourString    = "str"
	colourType      = "type"
)

// coloured matches what has a colour by itself, and words: comments, directives up to a comment, string and character
// constants, numbers (C17 6.4.8). A backslash at the end of a line lets all but numbers and words go on.
var coloured = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)(?P<com>//(?:[^\\\n]|\\.)*|/\*.*?(?:\*/|\z))|` +
		`(?P<pp>(?m:^)[ \t]*#(?:[^\\\n/]|\\.|/[^/*\n])*)|` +
		`(?P<str>(?:L|u8|u|U)?(?:"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)+'))|` +
		`(?P<num>\.?[0-9](?:[eEpP][+-]|'[0-9A-Fa-f]|[\w.])*)|` +
		`(?P<word>[A-Za-z_]\w*)`)
})

// Words of C and C++, and those of C++ alone.
const (
	keywords = `_Alignas _Alignof __asm asm _Atomic auto break case const continue __declspec default do else enum
		extern for __forceinline _Generic goto if __inline _inline inline naked _Noreturn register restrict
		restricted return sizeof static _Static_assert struct switch thread _Thread_local typedef typename
		__unaligned union volatile while`
	keywordsCXX = `alignas alignof catch class co_await co_return co_yield concept const_cast consteval constexpr
		decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept nullptr
		operator override private protected public reinterpret_cast requires static_assert static_cast
		template this thread_local throw throws try typeid using virtual`
	typeWords = `_Bool bool char _Complex double float int long short signed unsigned void wchar_t`
)

// classOfWord returns a function from words to their classes; words of C that end in _t are types.
var classOfWord = sync.OnceValue(func() func(word string, cxx bool) string {
	classes, more := map[string]string{}, map[string]string{}
	for words, class := range map[string]string{keywords: colourKeyword, typeWords: colourType} {
		for _, w := range strings.Fields(words) {
			classes[w] = class
		}
	}
	for _, w := range strings.Fields(keywordsCXX) {
		more[w] = colourKeyword
	}
	return func(word string, cxx bool) string {
		switch {
		case classes[word] != "":
			return classes[word]
		case cxx && more[word] != "":
			return more[word]
		case strings.HasSuffix(word, "_t") && word[0] >= 'a' && word[0] <= 'z':
			return colourType
		}
		return ""
	}
})

// leftOut matches the first line of what the preprocessor leaves out whatever macros say.
var leftOut = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*#[ \t]*if[ \t]+0\b`) })

// conditional matches the directives that begin, part and end what is left out.
var conditional = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(if|else|elif|endif).*$`)
})

// hued is a part of a text that has a class.
type hued struct {
	text, class string
}

// partsOf cuts a text into parts; their texts, one after the other, are the text.
func partsOf(text string, cxx bool) []hued {
	var out []hued
	re, begins := coloured(), true // a line
	for text != "" {
		m := re.FindStringSubmatchIndex(text)
		if m == nil {
			return append(out, hued{text: text})
		}
		found, class := text[m[0]:m[1]], ""
		for i, name := range re.SubexpNames() {
			if i > 0 && m[2*i] >= 0 {
				class = name
			}
		}
		switch {
		case class == "word":
			class = classOfWord()(found, cxx)
		case class == colourDirective && m[0] == 0 && !begins:
			n := strings.IndexByte(text, '#') + 1
			out, text = append(out, hued{text: text[:n]}), text[n:]
			continue
		}
		out = append(out, hued{text: text[:m[0]]}, hued{found, class})
		begins, text = strings.HasSuffix(found, "\n"), text[m[1]:]
		if class == colourDirective && leftOut().MatchString(found) {
			n := lengthLeftOut(text)
			out = append(out, hued{text[:n], colourComment})
			begins, text = true, text[n:]
		}
	}
	return out
}

// lengthLeftOut returns how many bytes of a text are in front of the directive that ends what `#if 0` leaves out.
func lengthLeftOut(text string) int {
	depth := 1
	for _, m := range conditional().FindAllStringSubmatchIndex(text, -1) {
		switch word := text[m[2]:m[3]]; {
		case word == "if":
			depth++
		case word == "endif":
			depth--
		case depth == 1:
			return m[0]
		}
		if depth == 0 {
			return m[0]
		}
	}
	return len(text)
}

// mark is a coloured part of a line: where it begins and ends, in UTF-16 units, and its class.
type mark [3]any

// marksOf colours lines of a C or C++ file, as a list for each.
func marksOf(file string, lines []string) [][]mark {
	ext := strings.ToLower(filepath.Ext(file))
	cxx := strings.HasPrefix(ext, ".c") && ext != ".c" || strings.HasPrefix(ext, ".h") && ext != ".h"
	out := make([][]mark, len(lines))
	row, at := 0, 0
	for _, p := range partsOf(strings.Join(lines, "\n"), cxx) {
		for i, text := range strings.Split(p.text, "\n") {
			if i > 0 {
				row, at = row+1, 0
			}
			n := len(utf16.Encode([]rune(text)))
			if p.class != "" && strings.TrimSpace(text) != "" {
				out[row] = marked(out[row], mark{at, at + n, p.class})
			}
			at += n
		}
	}
	return out
}

// marked is list with m, which goes on with what is in front of it where that has the same class.
func marked(list []mark, m mark) []mark {
	if n := len(list) - 1; n >= 0 && list[n][1] == m[0] && list[n][2] == m[2] {
		list[n][1] = m[1]
		return list
	}
	return append(list, m)
}
