package main

import (
	"strings"
	"testing"
)

// contentsHead are structures that the program fills in part, so that a harness makes up what is in them.
const contentsHead = "struct msg {\n  unsigned mode, len;\n  int more[4];\n};\nvoid load(struct msg *m);\n" +
	"void set(struct msg *m, unsigned n) {\n  load(m);\n  m->len = n & 31;\n  m->mode = n & 3;\n}\n"

// TestSimulationOfContents: a check of contents that a change takes away is missed, although the harness made them up: the
// other commit keeps the claim whatever they are.
func TestSimulationOfContents(t *testing.T) {
	for what, c := range map[string]struct{ good, bad string }{
		"in front of a block": {"int text(const struct msg *m, char *out, unsigned size) {\n" +
			"  if (m->len >= size) return 0;\n  out[m->len] = 0;\n  return 1;\n}\n", "m->len > size"},
		"under another condition": {"int text(const struct msg *m, char *out, unsigned size) {\n  if (m->mode != 2) return 1;\n" +
			"  if (m->len >= size) return 0;\n  out[m->len] = 0;\n  return 1;\n}\n", "m->len > size"},
		"in front of an assertion": {"#include \"firmproof.h\"\nstatic int put(unsigned n) {\n  firmproof_assert(n >= 4, \"n\");\n  return 7;\n}\n" +
			"int text(const struct msg *m, unsigned size) {\n  if (m->len < 4) return 0;\n  return put(m->len);\n}\n", "m->len < 3"},
		"of a variable": {"static int t[8];\nint text(const struct msg *m, unsigned size) {\n" +
			"  if (m->len >= 8) return 0;\n  return t[m->len];\n}\n", "m->len >= 9"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			good := contentsHead + c.good
			bad := strings.NewReplacer("m->len >= size", c.bad, "m->len >= 8", c.bad, "m->len < 4", c.bad).Replace(good)
			dir := changesFolder(t, map[string]string{"a.c": good}, map[string]string{"a.c": bad}, map[string]string{"a.c": good})
			newThenFixed(t, dir, nil, "the change handles it")
		})
	}
}

// TestSimulationOfContentsWhole: so is a check that a change takes away whole. The answer of the later commit is that it
// holds for the range of contents that the check let through, which nobody made sure of.
func TestSimulationOfContentsWhole(t *testing.T) {
	for what, c := range map[string]struct {
		good, check string
	}{
		"around a read":       {"static int t[8];\nint text(const struct msg *m) {\n  if (m->len < 8) return t[m->len];\n  return 0;\n}\n", "if (m->len < 8) "},
		"in front of a write": {"void text(struct msg *m) {\n  if (m->len > 3) return;\n  m->more[m->len] = 0;\n}\n", "  if (m->len > 3) return;\n"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, contentsHead+c.good, c.check, "", true)
		})
	}
}

// TestSimulationOfContentsTurnedAway: a check of contents that a change takes away is missed where the place behind it is
// another, too: the other commit takes the decision with which it turns these contents away.
func TestSimulationOfContentsTurnedAway(t *testing.T) {
	const body = "int text(const struct msg *m, int n) {\n  const int t[@] = {1};\n  if (m->mode == 3) return 9 / n;\n  @@\n}\n"
	text := func(elements, rest string) map[string]string {
		return map[string]string{"a.c": contentsHead + strings.NewReplacer("@@", rest, "@", elements).Replace(body)}
	}
	for what, c := range map[string]struct{ rest, says string }{
		"of them":           {"if (m->len < 8) return t[m->len];\n  return -1;", "1 new, 0 fixed"},
		"of another member": {"if (m->mode == 2) return -1;\n  return t[1];", "neutral"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			code, out := shortly(changesFolder(t, text("8", c.rest), text("9", "return t[m->len];")), "main~1..main")
			if wantAll(t, out, c.says); strings.Contains(out, "the change handles it") != (code == exitViolated) {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfContentsKept: what the other commit fails with, too, for other contents, or does not come to, says
// nothing of contents that nobody knows.
func TestSimulationOfContentsKept(t *testing.T) {
	for what, c := range map[string]struct{ from, to string }{
		"a check of something else": {"if (m->mode != 2) return 1;", "if (m->mode == 0) return 1;"},
		"a check that moved":        {"if (m->mode != 2) return 1;", "if (!m->more[0] || m->mode != 2) return 1;"},
		"a new access":              {"if (m->mode != 2 || 1) return 1;", "if (m->mode != 2) return 1;"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			const body = "static char out[8];\nint text(const struct msg *m) {\n  @\n  out[m->len] = 0;\n  return 1;\n}\n"
			dir := changesFolder(t, map[string]string{"a.c": contentsHead + strings.Replace(body, "@", c.from, 1)},
				map[string]string{"a.c": contentsHead + strings.Replace(body, "@", c.to, 1)})
			if code, out := shortly(dir, "main~1..main"); code == exitViolated || strings.Contains(out, "1 new") {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfNullMembers: what a function does where a member is null that it asks about is looked at in both
// commits; a null pointer that it reads itself is no new finding by that.
func TestSimulationOfNullMembers(t *testing.T) {
	const text = "struct out {\n  unsigned char *ring, *dest, *end;\n  unsigned n;\n};\n" +
		"void put(struct out *o, unsigned char c) {\n  if (o->ring) {\n    o->n = c;\n    return;\n  }\n" +
		"  if (o->dest >= o->end) return;\n  *o->dest++ = c;\n}\n"
	for what, c := range map[string]struct {
		was, is string
		found   bool
	}{
		"a bound":         {"  if (o->dest >= o->end) return;\n", "", true},
		"another bound":   {"o->dest >= o->end", "o->end <= o->dest", false},
		"a pointer":       {"  *o->dest++ = c;\n", "  if (o->n == 3) o->ring[0] = c;\n", false},
		"a further write": {"return;\n  }\n", "return;\n  }\n  o->n = 0;\n", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			out := thereAndBack(t, text, c.was, c.is, c.found)
			if c.found != strings.Contains(out, "o.ring may be null") {
				t.Error(out)
			}
		})
	}
}

// TestSimulationOfEnumerators: a number of an enumeration is one of its enumerators, unless a commit asks whether it is.
func TestSimulationOfEnumerators(t *testing.T) {
	const head = "enum method { GET, PUT, POST };\nstruct request { enum method method; int more; };\n" +
		"static const char *const names[] = {\"get\", \"put\", \"post\"};\n"
	for what, c := range map[string]struct {
		good, from, to string
		found          bool
	}{
		"an argument": {"const char *name(enum method m) {\n  return (unsigned)m < sizeof names / sizeof names[0] ? names[m] : \"none\";\n}\n",
			"(unsigned)m < sizeof names / sizeof names[0] ? names[m] : \"none\"", "names[m]", true},
		"a member": {"const char *name(const struct request *r) {\n  if (r->method >= 3) return \"none\";\n  return names[r->method];\n}\n",
			"  if (r->method >= 3) return \"none\";\n", "", true},
		"one of several": {"const char *name(enum method m) {\n  if (m > GET) return \"other\";\n  return names[m];\n}\n",
			"  if (m > GET) return \"other\";\n", "", false},
		"in an assertion": {"#include <assert.h>\nconst char *name(enum method m) {\n  assert(m < 3);\n  return names[m];\n}\n",
			"  assert(m < 3);\n", "", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, head+c.good, c.from, c.to, c.found)
		})
	}
}

// TestSimulationOfInterface: what a function of a library no longer asks was for callers elsewhere, whatever those in the
// program pass; the same in a program that is whole, and of a static function, is no finding.
func TestSimulationOfInterface(t *testing.T) {
	const good = "struct link { unsigned id; unsigned short size; };\n" +
		"@int send(struct link *link, unsigned short size) {\n  if (!link) return -1;\n  if (size > link->size) return -2;\n  return 0;\n}\n" +
		"int reply(struct link *link, unsigned short size) {\n  link->id++;\n  return send(link, size);\n}\n"
	for what, c := range map[string]struct {
		text  string
		found bool
	}{
		"of a library":       {strings.Replace(good, "@", "", 1), true},
		"a static function":  {strings.Replace(good, "@", "static ", 1), false},
		"of a whole program": {strings.Replace(good, "@", "", 1) + "int main(void) {\n  struct link l = {1, 2};\n  return reply(&l, 2);\n}\n", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, c.text, "  if (!link) return -1;\n", "", c.found)
		})
	}
}
