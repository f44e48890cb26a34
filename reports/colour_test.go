package reports

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// TestColours: words of C have their class wherever they stand, comments go over lines, and places count as scripts do.
func TestColours(t *testing.T) {
	lines := []string{"#include <stdio.h>", "/* é𝄞", "end */ static int x = 0x10; // more", `char *s = "a b";`,
		"\treturn 'c' + sizeof(x);"}
	var got []string
	for i, list := range marksOf("a.c", lines) {
		for _, m := range list {
			got = append(got, fmt.Sprintf("%d:%d-%d %s", i+1, m[0], m[1], m[2]))
		}
	}
	want := "1:0-18 pp, 2:0-6 com, 3:0-6 com, 3:7-13 key, 3:14-17 type, 3:22-26 num, 3:28-35 com, 4:0-4 type, 4:10-15 str, 5:1-7 key, 5:8-11 str, 5:14-20 key"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if marksOf("a.cpp", []string{"class a;"})[0] == nil {
		t.Error("C++ has no colours")
	}
}

// TestColoursInPlaces: what stands in comments, constants, directives and what is left out has no colour of its own.
func TestColoursInPlaces(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"a.c", "a #if 0\nint b;", "a #<key:if> <num:0>\n<type:int> b;"},
		{"a.c", "#if 0\nint 'b\n#if 1\n#endif\n#else\nint c;\n#endif",
			"<pp:#if 0><com:\nint 'b\n#if 1\n#endif\n><pp:#else>\n<type:int> c;\n<pp:#endif>"},
		{"a.c", "#define A \\\n  \"b\" // c \\\n d\ne", "<pp:#define A \\\n  \"b\" ><com:// c \\\n d>\ne"},
		{"a.c", `"/*" '"' L'\'' 0x1fULL 1.5e-3f .5 // "`,
			`<str:"/*"> <str:'"'> <str:L'\''> <num:0x1fULL> <num:1.5e-3f> <num:.5> <com:// ">`},
		{"a.c", "uint8_t class; /* no end", "<type:uint8_t> class; <com:/* no end>"},
		{"a.cc", "class a : public b {};", "<key:class> a : <key:public> b {};"},
		{"a.c", "'", "'"},
	} {
		var got, whole strings.Builder
		for _, p := range partsOf(test.text, strings.HasSuffix(test.file, "cc")) {
			whole.WriteString(p.text)
			if p.class == "" {
				got.WriteString(p.text)
			} else {
				fmt.Fprintf(&got, "<%s:%s>", p.class, p.text)
			}
		}
		if got.String() != test.want {
			t.Errorf("%q:\ngot  %q\nwant %q", test.text, got.String(), test.want)
		}
		if whole.String() != test.text {
			t.Errorf("%q: the parts are %q", test.text, whole.String())
		}
	}
}

// TestColoursAsOthers: comments, constants and keywords of real code are those that another lexer finds.
func TestColoursAsOthers(t *testing.T) {
	files, err := filepath.Glob("../examples/*/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	kinds := map[chroma.TokenType]string{chroma.Comment: colourComment, chroma.LiteralString: colourString,
		chroma.LiteralNumber: colourNumber, chroma.Keyword: colourKeyword}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		ours := make([]string, 0, len(data)) // the class of each byte
		for _, p := range partsOf(string(data), false) {
			for range len(p.text) {
				ours = append(ours, p.class)
			}
		}
		tokens, err := lexers.Get("C").Tokenise(nil, string(data))
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for token := tokens(); token != chroma.EOF; token = tokens() {
			class := kinds[token.Type]
			if class == "" {
				class = kinds[token.Type.SubCategory()]
			}
			if class == "" && token.Type.Category() != chroma.Comment {
				class = kinds[token.Type.Category()]
			}
			if token.Type == chroma.KeywordType {
				class = colourType
			}
			if text := strings.TrimSpace(token.Value); class != "" && text != "" && ours[at] != class &&
				ours[at] != colourDirective {
				t.Errorf("%s: %q is %q, not %q", file, text, ours[at], class)
			}
			at += len(token.Value)
		}
	}
}
