package main

import (
	"strings"
	"testing"
)

// TestSimulationByBoth: an input that one commit fails with and the other handles is a finding, even where by itself it
// would rest on what a generated harness made up.
func TestSimulationByBoth(t *testing.T) {
	for what, c := range map[string]struct{ good, bad, says string }{
		"a count of elements": {
			"void fill(int *count, int max, int *out, unsigned k) {\n  *count = 0;\n  while (k--) {\n" +
				"    if (*count == max) return;\n    out[*count] = 1;\n    ++*count;\n  }\n}\n",
			"void fill(int *count, int max, int *out, unsigned k) {\n  *count = 0;\n  while (k--) {\n" +
				"    out[*count] = 1;\n    ++*count;\n  }\n}\n", "the change handles it, and does the same otherwise"},
		"a long text": {
			"unsigned size(const char *s) {\n  char copy[20] = {0};\n  unsigned n = 0;\n" +
				"  for (; n < 20 && s[n]; n++) copy[n] = s[n];\n  return n + !copy[0];\n}\n",
			"unsigned size(const char *s) {\n  char copy[20] = {0};\n  unsigned n = 0;\n" +
				"  for (; s[n]; n++) copy[n] = s[n];\n  return n + !copy[0];\n}\n", "s leads to a string of at most 21 characters"},
		"behind a member whose block is a guess": {
			"struct out {\n  int *at;\n};\nstatic const int t[40] = {1};\nint put(struct out *o, unsigned k) {\n" +
				"  o->at[5] = 1;\n  return k < 40 ? t[k] : 0;\n}\n",
			"struct out {\n  int *at;\n};\nstatic const int t[40] = {1};\nint put(struct out *o, unsigned k) {\n" +
				"  o->at[5] = 1;\n  return k <= 40 ? t[k] : 0;\n}\n", "o.at leads to 4096 bytes"},
		"a great count": {
			"unsigned sum(const unsigned char *p, int n) {\n  unsigned all = 0;\n  int i;\n" +
				"  for (i = 0; i < n; i++) all += p[i];\n  return all;\n}\n",
			"unsigned sum(const unsigned char *p, int n) {\n  unsigned all = 0;\n  signed char i;\n" +
				"  for (i = 0; i < n; i++) all += p[i];\n  return all;\n}\n", "n is 0..1024"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := changesFolder(t, map[string]string{"a.c": c.good}, map[string]string{"a.c": c.bad},
				map[string]string{"a.c": c.good})
			code, out := simulate(dir, "main~2..main~1")
			if wantAll(t, out, "1 new, 0 fixed, 0 known", c.says); code != exitViolated {
				t.Errorf("exit %d: %s", code, out)
			}
			code, out = simulate(dir, "main~1..main")
			if wantAll(t, out, "0 new, 1 fixed, 0 known"); code == exitViolated || strings.Contains(out, "violated") {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfEntry: an entry that is asked for by name is searched like any, with longer inputs, too.
func TestSimulationOfEntry(t *testing.T) {
	t.Parallel()
	const good = "struct out {\n  int *at;\n};\nstatic const int t[40] = {1};\nint put(struct out *o, unsigned k) {\n" +
		"  o->at[5] = 1;\n  return k < 40 ? t[k] : 0;\n}\n"
	dir := changesFolder(t, map[string]string{"a.c": good}, map[string]string{"a.c": strings.Replace(good, "k < 40", "k <= 40", 1)},
		map[string]string{"a.c": good})
	newThenFixed(t, dir, []string{"--entry", "any call of put"}, "o.at leads to 4096 bytes")
}

// TestSimulationOfReaders: what a function reads line by line from a callback ends some time, so that executions come to
// what a line of more than fifty blanks does.
func TestSimulationOfReaders(t *testing.T) {
	t.Parallel()
	const good = `#include <string.h>
typedef char *(*reader)(char *, int, void *);
int parse(reader read, void *from) {
  char line[100], last[50] = "";
  int names = 0;
  while (read(line, sizeof line, from)) {
    char *name = line, *end;
    while (*name == ' ') name++;
    if (!*name || *name == '#' || !(end = strchr(name, '='))) continue;
    *end = 0;
    @
    last[49] = 0;
    names += last[0] == 'k';
  }
  return names;
}
`
	dir := changesFolder(t, map[string]string{"a.c": strings.Replace(good, "@", "strncpy(last, name, sizeof last - 1);", 1),
		"test_parse.c": "const char *texts[] = {\"key = value\\n\", \"# a comment\\n\", \"  other = 1\\n\"};\n"},
		map[string]string{"a.c": strings.Replace(good, "@", "memcpy(last, name, sizeof last - 1);", 1)},
		map[string]string{"a.c": strings.Replace(good, "@", "strncpy(last, name, sizeof last - 1);", 1)})
	newThenFixed(t, dir, nil)
}

// TestSimulationByBothOfGuesses: what a change accesses anew, of a block whose size is a guess, is no finding: the other
// commit says nothing of it. Nor is what both do in other words.
func TestSimulationByBothOfGuesses(t *testing.T) {
	for what, c := range map[string]struct{ from, to string }{
		"another block": {
			"static void put(int *p, int *at) {\n  int i = (*at)++ & 255;\n  p[i] = 1;\n}\n" +
				"void both(int *a, int *b, int *at, int k) {\n  *at = 0;\n  put(a, at);\n}\n",
			"static void put(int *p, int *at) {\n  int i = (*at)++ & 255;\n  p[i] = 1;\n}\n" +
				"void both(int *a, int *b, int *at, int k) {\n  *at = 0;\n  put(a, at);\n" +
				"  for (; k > 1; k--) put(b, at);\n}\n"},
		"made-up contents": {
			"struct mode {\n  unsigned at, more;\n};\nint table[8];\nvoid set(struct mode *m) {\n  m->at = 3;\n}\n" +
				"int get(struct mode *m, unsigned i) {\n  return table[i & 7];\n}\n",
			"struct mode {\n  unsigned at, more;\n};\nint table[8];\nvoid set(struct mode *m) {\n  m->at = 3;\n}\n" +
				"int get(struct mode *m, unsigned i) {\n  return table[i & 7] + table[m->at];\n}\n"},
		"contents of another type": {
			"struct path {\n  char at[60];\n  int len;\n  int more[4];\n};\nvoid load(struct path *p);\nvoid set(struct path *p, int n) {\n  load(p);\n  p->len = n & 31;\n}\n" +
				"void cut(struct path *p) {\n  p->at[p->len] = 0;\n}\n",
			"struct path {\n  char at[60];\n  unsigned long len;\n  int more[4];\n};\nvoid load(struct path *p);\nvoid set(struct path *p, int n) {\n  load(p);\n  p->len = n & 31;\n}\n" +
				"void cut(struct path *p) {\n  p->at[p->len] = 0;\n}\n"},
		"a place that the other does not come to": {
			"struct mode {\n  unsigned at, more;\n  int *p;\n};\nint table[8];\nvoid set(struct mode *m) {\n  m->at = 3;\n}\n" +
				"int get(struct mode *m, unsigned i) {\n  m->p[5] = 1;\n  if (i < 9 || 1) return table[i & 7];\n  return table[m->at];\n}\n",
			"struct mode {\n  unsigned at, more;\n  int *p;\n};\nint table[8];\nvoid set(struct mode *m) {\n  m->at = 3;\n}\n" +
				"int get(struct mode *m, unsigned i) {\n  m->p[5] = 1;\n  if (i < 9) return table[i & 7];\n  return table[m->at];\n}\n"},
		"the end of the program in front of it": {
			"#include <stdlib.h>\n" +
				"struct mode {\n  unsigned at, more;\n  int *p;\n};\nint table[8];\nvoid set(struct mode *m) {\n  m->at = 3;\n}\n" +
				"static void last(unsigned i) {\n  if (i > 8 || 1) exit(0);\n}\n" +
				"int get(struct mode *m, unsigned i) {\n  m->p[5] = 1;\n  last(i);\n  return table[m->at];\n}\n",
			"#include <stdlib.h>\n" +
				"struct mode {\n  unsigned at, more;\n  int *p;\n};\nint table[8];\nvoid set(struct mode *m) {\n  m->at = 3;\n}\n" +
				"static void last(unsigned i) {\n  if (i > 8) exit(0);\n}\n" +
				"int get(struct mode *m, unsigned i) {\n  m->p[5] = 1;\n  last(i);\n  return table[m->at];\n}\n"},
		"the same in other words": {
			"void fill(int *count, int max, int *out, unsigned k) {\n  *count = 0;\n  while (k--) {\n" +
				"    if (*count == max) return;\n    out[*count] = 1;\n    ++*count;\n  }\n}\n",
			"void fill(int *count, int max, int *out, unsigned k) {\n  int n = 0;\n  for (; k; k--) {\n" +
				"    *count = n;\n    if (n == max) return;\n    out[n++] = 1;\n  }\n  *count = n;\n}\n"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := changesFolder(t, map[string]string{"a.c": c.from}, map[string]string{"a.c": c.to})
			if code, out := simulate(dir, "main~1..main"); code == exitViolated || strings.Contains(out, " new") {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfConstructors: what both commits are called with begins with a constructor, which gives a structure back.
func TestSimulationOfConstructors(t *testing.T) {
	const good = "#include <stdlib.h>\nstruct q {\n  unsigned char *buf;\n  unsigned short size, head;\n};\n" +
		"struct q *q_new(unsigned short n) {\n  struct q *q = malloc(sizeof *q);\n  if (!q) return 0;\n" +
		"  q->buf = malloc(n);\n  if (!q->buf) {\n    free(q);\n    return 0;\n  }\n  q->size = n;\n  q->head = 0;\n" +
		"  return q;\n}\nvoid q_put(struct q *q, unsigned char c) {\n  if (q->head < q->size) q->buf[q->head++] = c;\n}\n"
	bad := strings.Replace(good, "q->head < q->size", "q->head <= q->size", 1)
	dir := changesFolder(t, map[string]string{"a.c": good}, map[string]string{"a.c": bad}, map[string]string{"a.c": good})
	code, out := simulate(dir, "main~2..main~1")
	if wantAll(t, out, "1 new, 0 fixed, 0 known", "q_new(n = "); code != exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out = simulate(dir, "main~1..main")
	if wantAll(t, out, "0 new, 1 fixed, 0 known"); code == exitViolated {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationOfCounts: what one commit compares an index with says in both how much a pointer leads to.
func TestSimulationOfCounts(t *testing.T) {
	const good = "int all(const int *p, unsigned last, unsigned at) {\n  int s = 0;\n" +
		"  for (unsigned i = at; i < last; i++) s ^= p[i];\n  return s;\n}\n"
	for what, c := range map[string]struct{ other, counts string }{
		"without a bound": {strings.Replace(good, "i < last", "s < 9", 1), "1 new, 0 fixed, 0 known"},
		"another bound":   {strings.Replace(good, "i < last", "i < last && s < 9", 1), ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := changesFolder(t, map[string]string{"a.c": good}, map[string]string{"a.c": c.other},
				map[string]string{"a.c": good})
			code, out := shortly(dir, "main~2..main~1")
			if !strings.Contains(out, c.counts) || (c.counts != "") != (code == exitViolated) {
				t.Errorf("exit %d: %s", code, out)
			}
			code, out = shortly(dir, "main~1..main")
			if (c.counts != "") != strings.Contains(out, "0 new, 1 fixed, 0 known") || code == exitViolated {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfLengths: where one commit keeps within a block that a length further on counts, on all inputs, the other
// one has to, too, at the same place. What it accesses elsewhere, or of a block that nothing counts, is no finding.
func TestSimulationOfLengths(t *testing.T) {
	const clear = "void copy(char *d, const char *s, unsigned n) {\n  while (n && *s) {\n    *d++ = *s++;\n    n--;\n  }\n" +
		"  while (n-- > 0u) {\n    *d++ = 0;\n  }\n}\n"
	const set = "void set(int *p, unsigned i) {\n  i &= 31;\n  p[i] = 1;\n}\n"
	for what, c := range map[string]struct {
		was, from, to string
		found         bool
	}{
		"one more":    {clear, "n-- > 0u", "n-- + 1 > 0u", true},
		"fewer":       {clear, "n-- > 0u", "n-- > 1u", false},
		"elsewhere":   {clear, "    *d++ = 0;\n  }\n", "    *d++ = 0;\n  }\n  *d = 0;\n", false},
		"not counted": {set, "31", "2047", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			out := thereAndBack(t, c.was, c.from, c.to, c.found)
			if c.found && !strings.Contains(out, "d leads to as many elements as n says") {
				t.Error(out)
			}
		})
	}
}

// TestSimulationOfWalks: a walk over an array of structures, whose length nothing says, is executed for both commits with
// more than the one that a pointer leads to as a rule.
func TestSimulationOfWalks(t *testing.T) {
	const index = "struct item {\n  unsigned kind, value;\n};\nstatic unsigned seen[3];\n" +
		"unsigned walk(const struct item *p) {\n  unsigned n = 0;\n  for (; p[n].kind; n++) {\n" +
		"    if (n >= 3) return 3;\n    seen[n] = p[n].value;\n  }\n  return n;\n}\n"
	moves := strings.NewReplacer("p[n].kind; n++", "p->kind; p++, n++", "p[n].value", "p->value").Replace(index)
	pointers := strings.Replace(index, "value;", "value;\n  const char *name;", 1)
	for what, c := range map[string]struct {
		good, from, to string
		found          bool
	}{
		"by an index":     {index, "    if (n >= 3) return 3;\n", "", true},
		"moved on":        {moves, "    if (n >= 3) return 3;\n", "", true},
		"with pointers":   {pointers, "n >= 3", "n >= 4", true},
		"a further bound": {index, "n >= 3", "n >= 2 && n", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			out := thereAndBack(t, c.good, c.from, c.to, c.found)
			if what == "moved on" && !strings.Contains(out, " bytes: a guess, since nothing says how many") {
				t.Error(out)
			}
		})
	}
}

// TestSimulationOfGuessingCallers: a caller that proves a claim only for the size that its harness guessed does not take
// back what a call of the function shows.
func TestSimulationOfGuessingCallers(t *testing.T) {
	for what, c := range map[string]struct {
		caller string
		found  bool
	}{
		"a guess": {"int all(void *pool) {\n  unsigned char *p = pool;\n  return part(p, p[0] & 31);\n}\n", true},
		"an array": {"int all(unsigned at) {\n  static unsigned char pool[64];\n  pool[at & 31] = 9;\n" +
			"  return part(pool, pool[0] & 31);\n}\n", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			const good = "static int part(const unsigned char *p, unsigned n) {\n  return n ? p[n - 1] : 0;\n}\n"
			bad := strings.Replace(good, "n - 1", "n", 1)
			dir := changesFolder(t, map[string]string{"a.c": good + c.caller}, map[string]string{"a.c": bad + c.caller},
				map[string]string{"a.c": good + c.caller})
			code, out := shortly(dir, "main~2..main~1")
			if c.found != strings.Contains(out, "1 new, 0 fixed, 0 known") || c.found != (code == exitViolated) {
				t.Errorf("exit %d: %s", code, out)
			}
			code, out = shortly(dir, "main~1..main")
			if c.found != strings.Contains(out, "0 new, 1 fixed, 0 known") || code == exitViolated {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestSimulationOfHandles: calls that make the state of a handle, of which a pointer leads to any function that changes
// what the handle holds, are executed for both commits.
func TestSimulationOfHandles(t *testing.T) {
	const text = `struct net {
  int sock;
  struct net *next;
  int (*read)(struct net *, unsigned char *, int *);
};
struct client {
  struct net *ip;
  int total, got;
  unsigned char buf[8];
};
int poll(struct client *c) {
  c->ip->read(c->ip, c->buf, &c->got);
  c->total++;
  return c->got;
}
`
	dir := changesFolder(t, map[string]string{"a.c": text},
		map[string]string{"a.c": strings.Replace(text, "total++", "total += 2", 1)})
	code, out := simulate(dir, "main~1..main")
	if wantAll(t, out, "any call of poll", "c.total is -2147483648..2147483645"); code != exitOK {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestSimulationOfAnother: a violation that is no finding, since it goes past a block whose size is a guess, or depends on
// made-up contents, does not hide another one of its claim.
func TestSimulationOfAnother(t *testing.T) {
	const list = "struct c {\n  int *list;\n  unsigned at, n;\n};\nint set(struct c *c, int *list, unsigned n) {\n" +
		"  if (!list || !n) return 0;\n  c->list = list;\n  c->n = n;\n  c->at = 0;\n  return 1;\n}\n" +
		"void next(struct c *c) {\n  c->at = (c->at + 1) % c->n;\n}\n" +
		"int get(struct c *c) {\n  if (!c->list) return 0;\n  return c->list[c->at];\n}\n"
	const table = "struct c {\n  unsigned at;\n};\nstatic const int steps[4] = {1, 2, 3, 4};\n" +
		"void seek(struct c *c, unsigned at) {\n  c->at = at & 3;\n}\n" +
		"int get(struct c *c, unsigned more) {\n  if (more > 3) return 0;\n  return steps[c->at & ~3u | more];\n}\n"
	for what, c := range map[string]struct{ good, bad string }{
		"null beside a guessed end": {list, strings.Replace(list, "  if (!c->list) return 0;\n", "", 1)},
		"a number of the caller beside one of the program": {table,
			strings.Replace(table, "  if (more > 3) return 0;\n", "", 1)},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := changesFolder(t, map[string]string{"a.c": c.good}, map[string]string{"a.c": c.bad},
				map[string]string{"a.c": c.good})
			newThenFixed(t, dir, nil)
		})
	}
}

// thereAndBack makes a change in a.c and takes it back. Where it brings a finding, that is new and then fixed; else neither
// is. It returns what is said of the change.
func thereAndBack(t *testing.T, good, from, to string, found bool) string {
	t.Helper()
	dir := changesFolder(t, map[string]string{"a.c": good}, map[string]string{"a.c": strings.Replace(good, from, to, 1)},
		map[string]string{"a.c": good})
	code, there := shortly(dir, "main~2..main~1")
	if found != strings.Contains(there, "1 new, 0 fixed, 0 known") || found != (code == exitViolated) {
		t.Errorf("exit %d: %s", code, there)
	}
	code, back := shortly(dir, "main~1..main")
	if found != strings.Contains(back, "0 new, 1 fixed, 0 known") || code == exitViolated {
		t.Errorf("exit %d: %s", code, back)
	}
	return there
}

// TestSimulationOfFurtherNull: a null pointer beside further arguments is a finding whatever these are; one that is read
// from them is one only because the other commit handles it, as their caller sees to them.
func TestSimulationOfFurtherNull(t *testing.T) {
	const good = "#include <stdarg.h>\nint print(char *out, const char *f, va_list a) {\n  if (!out) return 0;\n" +
		"  for (; *f; f++) *out = *f == '%' ? (char)va_arg(a, int) : *f;\n  return 1;\n}\n"
	for what, c := range map[string]struct {
		good, bad string
		relative  bool
	}{
		"a parameter": {good, strings.Replace(good, "  if (!out) return 0;\n", "", 1), false},
		"an argument": {strings.Replace(good, "*out = *f == '%' ? (char)va_arg(a, int) : *f;",
			"{ char *s = va_arg(a, char *); if (s) *out = *s; }", 1), strings.Replace(good,
			"*out = *f == '%' ? (char)va_arg(a, int) : *f;", "{ char *s = va_arg(a, char *); *out = *s; }", 1), true},
	} {
		t.Run(what, func(t *testing.T) {
			dir := changesFolder(t, map[string]string{"a.c": c.good}, map[string]string{"a.c": c.bad})
			code, out := shortly(dir, "main~1..main")
			if code != exitViolated || !strings.Contains(out, " new, 0 fixed, 0 known") || strings.Contains(out,
				"the code before the change handles it, and does the same otherwise") != c.relative {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}
