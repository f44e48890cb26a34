package verdict

import (
	"strings"
	"testing"
)

// TestText: UTF-8 stays, other bytes are told, and no character is cut in two.
func TestText(t *testing.T) {
	for _, c := range []struct{ in, text, literal string }{
		{"größe – 日本", "größe – 日本", `"größe – 日本"`},
		{"a\xc3", `a\xc3`, `"a\303"`},
		{"a\"\\\n\x1b7\u202e", "a\"\\\n\x1b7\u202e", `"a\"\\\n\0337\342\200\256"`},
		{"", "", `""`},
	} {
		if got := Text([]byte(c.in), 100); got != c.text {
			t.Errorf("Text(%q) = %q", c.in, got)
		}
		if got := Literal([]byte(c.in)); got != c.literal {
			t.Errorf("Literal(%q) = %s", c.in, got)
		}
	}
	long := strings.Repeat("ä", 20)
	if got := Text([]byte(long), 5); got != "ää…" {
		t.Errorf("cut: %q", got)
	}
	if got := ShortLiteral([]byte(long), 5); got != `"ää"...` {
		t.Errorf("cut: %q", got)
	}
	if got := ShortLiteral([]byte("\x80\x80\x80\x80\x80\x80\x80"), 5); got != `"\200\200\200\200\200"...` {
		t.Errorf("cut: %q", got)
	}
	if !Readable([]byte("ä\n")) || Readable([]byte("\xe4")) || Readable([]byte("a\x00")) {
		t.Error("Readable")
	}
}
