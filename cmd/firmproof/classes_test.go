package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// nameless matches a path with a member in it that has no name.
var nameless = regexp.MustCompile(`[A-Za-z_]\.\.`)

// TestClasses: what a class inherits is part of its objects: they are as large, and as aligned, as the base demands; and
// constructors run before the calls that are looked for.
func TestClasses(t *testing.T) {
	cases := []struct{ name, file, text, violated string }{
		{"a base with virtual functions", "src.cpp", `class Stream { public: virtual int read() = 0; };
class Loop : public Stream {
	uint8_t b[16]; uint8_t h = 0, t = 0;
public:
	bool write(uint8_t c) { uint8_t n = (h + 1) & 15; if (n == t) return false; b[h & 15] = c; h = n; return true; }
	int read() override { if (h == t) return -1; uint8_t c = b[t & 15]; t = (t + 1) & 15; return c; }
};
static Loop loop;
extern "C" bool put(uint8_t c) { return loop.write(c); }
extern "C" int get() { return loop.read(); }`, ""},
		{"a base with members", "src.cpp", `struct Base { uint32_t n; };
struct Port : Base { uint8_t pins[4]; static const int count = 4; };
extern "C" int pin(const Port *p) { return p->pins[p->n & 7]; }`, "array index 4 out of bounds"},
		{"a constructor", "src.cpp", `class Ring {
	uint8_t b[8]; uint8_t w = 0;
public:
	void put(uint8_t c) { b[w++] = c; if (w > 8) w = 0; }
};
static Ring r;
extern "C" void rx(uint8_t c) { r.put(c); }`, "array index 8 out of bounds of `r.b` (8 elements) (calls: rx 9 times"},
		{"a structure without members", "src.c", `struct lock {};
static unsigned n;
void take(struct lock *l) { (void)l; n++; }
unsigned get(struct lock *l) { (void)l; return n & 3; }`, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{c.file: "#include <stdint.h>\n" + c.text + "\n"})
			code, rep, errs := checkJSON(t, filepath.Join(dir, c.file), "--timeout", "20s")
			found := ""
			for _, r := range rep.Results {
				for _, claim := range r.Claims {
					if claim.Status == verdict.Violated {
						found += claim.Message + "\n"
					}
				}
				for _, a := range r.Assumptions {
					if nameless.MatchString(a.Text) {
						t.Errorf("a member without a name is named: %s", a.Text)
					}
				}
			}
			if code == exitInternal || len(rep.Results) == 0 || (c.violated == "") != (found == "") ||
				!strings.Contains(found, c.violated) {
				t.Errorf("exit status %d, %d results, violated: %q, want %q\n%s", code, len(rep.Results), found, c.violated, errs)
			}
		})
	}
}
