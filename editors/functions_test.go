package editors

import (
	"fmt"
	"strings"
	"testing"
)

// TestFunctionsOf: definitions are found, with their parameters; declarations, calls, macros and what stands in comments
// and strings are none.
func TestFunctionsOf(t *testing.T) {
	text := `#define not_this(a) { \
	a }
int declared(int a);
static int t[] = { 1, 2 }, (*table[2])(void) = { 0 };
// int commented(void) { }
/* int commented(void) { } */
const char *s = "int quoted(void) { }";
static inline __attribute__((noinline)) uint8_t *plain(struct ring *r, const uint8_t data[static 4], unsigned)
{
	if (x) { call(1); }
	return 0;
}
void attribute(void) __attribute__((used)) { }
void callback(int (*cb)(int a, int b), void *arg, int m[3][4]) { }
struct s { int x; } made(void) { return (struct s){1}; }
ISR(TIMER0_vect) { }
extern "C" int last(int n) {
`
	var got []string
	for _, f := range functionsOf(text) {
		line := fmt.Sprintf("%d %s", positionIn(text, f.at).Line+1, f.name)
		for _, p := range f.params {
			line += " " + p.name
			if !strings.HasSuffix(text[:p.end], p.name) {
				t.Errorf("%s: %s ends at %q", f.name, p.name, text[:p.end])
			}
		}
		got = append(got, line)
	}
	want := "8 plain r data unsigned|13 attribute|14 callback cb arg m|15 made|17 last n"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if f := functionsOf(text)[0]; text[f.head] != '{' || text[f.list-1] != ')' || text[f.end-1] != '}' || positionIn(text, f.end).Line != 11 {
		t.Errorf("%+v", f)
	}
}

// TestPlaces: columns are bytes in reports, and units of UTF-16 in editors; lines move with what is edited above them.
func TestPlaces(t *testing.T) {
	line := "a é 𝄞 b"
	for bytes, want := range map[int]int{0: 0, 2: 2, 4: 3, 5: 4, 9: 6, 10: 7, 11: 8, 13: 10} {
		if got := character(line, bytes); got != want {
			t.Errorf("byte %d is %d, want %d", bytes, got, want)
		}
		if bytes < len(line) && byteAt(line, want) != bytes {
			t.Errorf("character %d is byte %d, want %d", want, byteAt(line, want), bytes)
		}
	}
	l := linesFrom("a\nb\nc\nd\n", "a\nx\ny\nc\nd\n")
	for old, want := range map[int]int{1: 1, 2: 0, 3: 4, 4: 5} {
		if got, ok := l.now(old); got != want || ok != (want > 0) {
			t.Errorf("line %d is %d, want %d", old, got, want)
		}
	}
}
