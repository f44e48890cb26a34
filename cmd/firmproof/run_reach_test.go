package main

import (
	"strings"
	"testing"
)

// TestSimulationOfReach: what one commit accesses at most is what a pointer leads to in both, unless the program is known to
// pass more.
func TestSimulationOfReach(t *testing.T) {
	t.Parallel()
	const sum = "unsigned sum(const unsigned char *p) {\n  unsigned s = 0;\n  for (int i = 0; i < 6; i++) s += p[i];\n  return s;\n}\n"
	const digits = "int digits(unsigned n, unsigned char *out) {\n  unsigned k = 0;\n" +
		"  for (; n; n /= 10) {\n    if (k >= 4) return -1;\n    out[k++] = n % 10;\n  }\n  return (int)k;\n}\n"
	const part = "#include <string.h>\nstruct day { int at[4]; };\nstruct week { struct day days[7]; };\nstatic struct week now;\n" +
		"void set(unsigned k, const struct day *d) {\n  if (k < 7) memcpy(&now.days[k], d, sizeof *d);\n}\n"
	for what, c := range map[string]struct {
		good, from, to string
		found          bool
	}{
		"a turn more":                 {sum, "i < 6", "i <= 6", true},
		"a turn more, and a caller":   {sum + "static unsigned char in[8];\nunsigned all(void) {\n  return sum(in);\n}\n", "i < 6", "i <= 6", false},
		"a turn less":                 {sum, "i < 6", "i < 6 && p[i]", false},
		"another way to say so":       {sum, "int i = 0; i < 6; i++", "unsigned i = 0; i != 6; ++i", false},
		"a place further":             {"int get(const int *p) {\n  return p[0] ^ p[1];\n}\n", "p[1]", "p[2]", false},
		"a bound further off":         {sum, "i < 6", "i < 12", false},
		"a check that is gone":        {digits, "    if (k >= 4) return -1;\n", "", true},
		"a check that is less":        {digits, "k >= 4", "k >= 5", true},
		"a structure, and an array":   {part, "sizeof *d", "sizeof now", true},
		"a structure by its size":     {strings.Replace(part, "&now.days[k]", "&now", 1), "sizeof *d", "sizeof now", true},
		"a limit by another constant": {"#define N 6\n" + strings.Replace(sum, "i < 6", "i < N", 1), "N 6", "N 8", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, c.good, c.from, c.to, c.found)
		})
	}
}

// TestSimulationOfCopies: a length counts what it stands behind, and no string in front of that.
func TestSimulationOfCopies(t *testing.T) {
	t.Parallel()
	const copies = "int upper(const char *s, unsigned char *out, unsigned cap) {\n  unsigned n = 0;\n  while (s[0]) {\n" +
		"    if (n >= cap) return -1;\n    out[n++] = (unsigned char)(s[0] & 0x5f);\n    s += 1;\n  }\n  return (int)n;\n}\n"
	thereAndBack(t, copies, "n >= cap", "n > cap", true)
}

// TestSimulationOfSetPointers: a variable that leads to what the program was given is null, or set, where the function asks.
func TestSimulationOfSetPointers(t *testing.T) {
	t.Parallel()
	const driver = "struct h {\n  unsigned n;\n  int buf[8];\n};\nstatic struct h *cur;\nvoid init(struct h *x) {\n  x->n = 0;\n  cur = x;\n}\n" +
		"int push(int v) {\n  if (!cur || cur->n >= 8) return -1;\n  cur->buf[cur->n++] = v;\n  return 0;\n}\n"
	const timers = "struct timer {\n  struct timer *next;\n  unsigned due;\n};\nstatic struct timer *list;\n" +
		"void add(struct timer *t) {\n  struct timer **p = &list;\n  while (*p && (*p)->due <= t->due) p = &(*p)->next;\n  t->next = *p;\n  *p = t;\n}\n" +
		"void poll(unsigned now) {\n  while (list && list->due <= now) {\n    list = list->next;\n  }\n}\n"
	for what, c := range map[string]struct {
		good, from, to string
		found          bool
	}{
		"null":           {driver, "!cur || ", "", true},
		"an element":     {driver, "cur->n >= 8", "cur->n > 8", true},
		"the same":       {driver, "cur->n >= 8", "7 < cur->n", false},
		"in other words": {timers, "list && list->due <= now", "list != 0 && now >= list->due", false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, c.good, c.from, c.to, c.found)
		})
	}
	t.Run("of a list", func(t *testing.T) {
		t.Parallel()
		bad := strings.Replace(timers, "list && list->due", "list->due", 1)
		code, out := shortly(changesFolder(t, map[string]string{"a.c": timers}, map[string]string{"a.c": bad}), "main~1..main")
		if wantAll(t, out, "1 new, 0 fixed", "read through a null pointer"); code != exitViolated {
			t.Errorf("exit %d: %s", code, out)
		}
	})
}

// TestSimulationOfCounters: a member that is only counted on begins as zero.
func TestSimulationOfCounters(t *testing.T) {
	t.Parallel()
	const average = "struct avg {\n  unsigned sum;\n  unsigned char n;\n};\nvoid add(struct avg *a, unsigned v) {\n" +
		"  if (a->n < 8) a->n++;\n  a->sum += v & 0xffff;\n}\nunsigned get(const struct avg *a) {\n  return a->n ? a->sum / a->n : 0;\n}\n"
	thereAndBack(t, average, "a->n ? a->sum / a->n : 0", "a->sum / a->n", true)
}

// TestSimulationOfEnds: where one commit takes a pointer for the end of what another leads to, the other has to keep in front
// of it, too. Where both go on when they have come there, it leads to the last element.
func TestSimulationOfEnds(t *testing.T) {
	t.Parallel()
	const sum = "unsigned sum(const unsigned char *p, const unsigned char *q) {\n  unsigned s = 0;\n  for (; p < q; p++) s += *p;\n" +
		"  return s;\n}\n"
	const first = "int first(const unsigned char *p, const unsigned char *to) {\n  if (p >= to) return -1;\n  return *p++;\n}\n"
	const two = "int two(const unsigned char *p, const unsigned char *limit) {\n  if (p > limit) return -1;\n  int n = *p++;\n" +
		"  if (p > limit) return -1;\n  return n + *p;\n}\n"
	for what, c := range map[string]struct {
		good, from, to string
		found          bool
	}{
		"one further":      {sum, "p < q", "p <= q", true},
		"by name":          {strings.ReplaceAll(strings.Replace(sum, "*q", "*limit", 1), "< q", "< limit"), "p < limit", "p <= limit", true},
		"nothing is asked": {first, "  if (p >= to) return -1;\n", "", true},
		"the last element": {two, "n + *p", "n - *p", false},
		"past the last":    {two, "n + *p", "n + p[1]", true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			thereAndBack(t, c.good, c.from, c.to, c.found)
		})
	}
}

// TestSimulationOfMisaligned: that an address is no multiple of what an access needs is so however much a pointer leads to,
// so that a limit which a change hands on brings no finding.
func TestSimulationOfMisaligned(t *testing.T) {
	t.Parallel()
	const bad = "unsigned char *skip(unsigned char *p) {\n  unsigned char kind = *p++;\n  if (kind & 32) p++;\n  if (kind >> 6 == 1) {\n" +
		"    unsigned n = *(unsigned *)p;\n    p += 4 + (n & 255);\n  }\n  return p;\n}\n"
	good := strings.NewReplacer("*p)", "*p, unsigned char *plimit)", "  unsigned char kind", "  if (p > plimit) return 0;\n  unsigned char kind",
		"    unsigned n", "    if (p + sizeof(int) - 1 > plimit) return 0;\n    unsigned n").Replace(bad)
	dir := changesFolder(t, map[string]string{"a.c": bad}, map[string]string{"a.c": good}, map[string]string{"a.c": bad})
	for _, rng := range []string{"main~2..main~1", "main~1..main"} {
		code, out := shortly(dir, rng)
		if wantAll(t, out, "0 new, 0 fixed, 1 known", "misaligned read: offset "); code == exitViolated {
			t.Errorf("exit %d: %s", code, out)
		}
	}
}
