package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// racing is a program with a race in some lines, and its twin without: of «a|b» the first has a, the other b.
type racing struct {
	name   string
	target string
	source string
	yml    string           // more of `interrupts`
	raced  map[int][]string // by line: what messages say
}

// racings are programs that handlers interrupt.
var racings = []racing{
	{name: "counter of four bytes", target: "avr", source: `
volatile uint32_t ticks, seen;
void tick(void) { ticks++; }
int main(void) { __asm volatile("sei"); «|cli();» seen = ticks; «|sei();» return 0; }`,
		raced: map[int][]string{4: {"`ticks` is read in bytes, and tick writes it between them", "main.c:3"}}},
	{name: "counter of eight bytes", target: "cortex-m3", source: `
volatile uint64_t ticks, seen;
void tick(void) { ticks++; }
int main(void) { «|mask();» seen = ticks; «|open();» return 0; }`,
		raced: map[int][]string{4: {"`ticks` is read in parts of 4 bytes, and tick writes it between them", "main.c:3"}}},
	{name: "a word is one step of its core", target: "cortex-m3", source: `
volatile «uint64_t|uint32_t» ticks, seen;
void tick(void) { ticks++; }
int main(void) { seen = ticks; return 0; }`,
		raced: map[int][]string{4: {"`ticks` is read in parts"}}},
	{name: "a byte is one step of its core", target: "avr", source: `
volatile «uint16_t|uint8_t» ticks, seen;
void tick(void) { ticks++; }
int main(void) { __asm volatile("sei"); seen = ticks; return 0; }`,
		raced: map[int][]string{4: {"`ticks` is read in bytes"}}},
	{name: "a number that never leaves its low byte", target: "avr", source: `
volatile int flag, seen;
void tick(void) { flag = «256|1»; }
int main(void) { __asm volatile("sei"); seen = flag; flag = 0; return 0; }`,
		raced: map[int][]string{4: {"`flag` is read in bytes", "`flag` is written in bytes"}}},
	{name: "a write that a handler reads", target: "avr", source: `
volatile uint16_t limit, seen;
void tick(void) { seen = limit; }
int main(void) { __asm volatile("sei"); «|cli();» limit = 500; «|sei();» return 0; }`,
		raced: map[int][]string{4: {"`limit` is written in bytes, and tick uses it between them", "main.c:3"}}},
	{name: "a write that a handler only writes", target: "cortex-m3", source: `
volatile uint64_t limit;
void tick(void) { limit = 7; }
int main(void) { «|mask();» limit = 1ull << 40; «|open();» return 0; }`,
		raced: map[int][]string{4: {"`limit` is written in parts of 4 bytes"}}},
	{name: "flags", target: "cortex-m3", source: `
volatile uint8_t flags;
void tick(void) { flags |= 1; }
int main(void) { «|mask();» flags |= 2; «|open();» return 0; }`,
		raced: map[int][]string{4: {"tick writes `flags` between this write and the read", "main.c:3"}}},
	{name: "flags that one side changes", target: "avr", source: `
volatile uint8_t flags, seen;
void tick(void) { «flags = 1|seen = flags»; }
int main(void) { __asm volatile("sei"); flags |= 2; return 0; }`,
		raced: map[int][]string{4: {"tick writes `flags` between"}}},
	{name: "bit-fields of one byte", target: "cortex-m3", source: `
struct { volatile uint8_t a : 1, «|: 0;uint8_t» b : 1; } bits;
void tick(void) { bits.a = 1; }
int main(void) { bits.b = 1; return 0; }`,
		raced: map[int][]string{4: {"tick writes `bits.b` between"}}},
	{name: "through a local in another block", target: "cortex-m3", source: `
volatile uint32_t n;
void tick(void) { n++; }
int main(int argc, char **argv) { uint32_t t = n; if (argc > 1) { t += 2; } else { t += 1; } n = «t|2»; return 0; }`,
		raced: map[int][]string{4: {"tick writes `n` between"}}},
	{name: "what is written was not read", target: "cortex-m3", source: `
volatile uint32_t n, seen;
void tick(void) { n++; }
int main(void) { uint32_t t = n; seen = t; «|t = 5;» n = t; return 0; }`,
		raced: map[int][]string{4: {"tick writes `n` between"}}},
	{name: "through a function", target: "cortex-m3", source: `
volatile uint32_t n;
static uint32_t next(uint32_t x) { return (x + 1) % 8; }
void tick(void) { «n|(void)n; uint32_t x» = 3; }
int main(void) { n = next(n); return 0; }`,
		raced: map[int][]string{5: {"tick writes `n` between", "main.c:4"}}},
	{name: "atomic", target: "cortex-m3", source: `
«volatile|_Atomic» uint32_t n;
void tick(void) { n++; }
int main(void) { n += 1; return 0; }`,
		raced: map[int][]string{4: {"tick writes `n` between"}}},
	{name: "not volatile", target: "avr", source: `
«|volatile» uint8_t done;
void tick(void) { done = 1; }
int main(void) { __asm volatile("sei"); for (int i = 0; i < 3 && !done; i++) { } return 0; }`,
		raced: map[int][]string{4: {"`done` is not volatile, and tick writes it", "main.c:3"}}},
	{name: "not volatile, and masked", target: "cortex-m3", source: `
uint8_t done;
void tick(void) { done = 1; }
int main(void) { «|mask();» uint8_t d = done; «|open();» return d; }`,
		raced: map[int][]string{4: {"`done` is not volatile"}}},
	{name: "before interrupts are let in", target: "avr", source: `
volatile uint16_t limit;
void tick(void) { limit++; }
int main(void) { «sei();|» limit = 500; «|sei();» return 0; }`,
		raced: map[int][]string{4: {"`limit` is written in bytes"}}},
	{name: "a structure", target: "cortex-m3", source: `
struct s { uint32_t a, b; } shared; volatile uint32_t sum;
void tick(void) { shared.a++; shared.b++; }
int main(void) { «|mask();» struct s c = shared; «|open();» sum = c.a + c.b; return 0; }`,
		raced: map[int][]string{4: {"`shared` is read in parts of 4 bytes"}}},
	{name: "elements of a ring", target: "avr", source: `
volatile uint16_t ring[4], seen; volatile uint8_t head, tail;
void tick(void) { ring[head] = 0x1234; head = (head + 1) & 3; }
int main(void) { __asm volatile("sei"); «|if (tail != head)» { seen = ring[tail]; } return 0; }`,
		raced: map[int][]string{4: {"`ring` is read in bytes, and tick writes it between them"}}},
	{name: "through a pointer", target: "cortex-m3", source: `
struct s { volatile uint32_t n; } one, two;
void tick(void) { one.n++; }
static void add(struct s *p) { p->n += 2; }
int main(void) { add(&«one|two»); return 0; }`,
		raced: map[int][]string{4: {"tick writes `*p.n` between", "main.c:3"}}},
	{name: "what is written goes where only the write says", target: "cortex-m3", source: `
volatile uint8_t ring[4], head, tail;
void tick(void) { ring[head & 3] = 1; }
static uint8_t take(volatile uint8_t *c) { *c = ring[tail & 3]; return *c; }
int main(void) { volatile uint8_t c; return take(«&ring[0]|&c»); }`,
		raced: map[int][]string{4: {"tick writes `*c` between", "main.c:3"}}},
	{name: "a register", target: "avr", source: `
#define PORT (*(volatile uint8_t *)0x65)
void tick(void) { PORT |= «1|0»; }
int main(void) { __asm volatile("sei"); «|cli();» PORT |= 2; «|sei();» return 0; }`,
		raced: map[int][]string{4: {"tick writes what is at 0x65 between"}}},
	{name: "a register that one instruction changes", target: "avr", source: `
#define PORT (*(volatile uint8_t *)«0x65|0x25»)
void tick(void) { PORT |= 1; }
int main(void) { __asm volatile("sei"); PORT |= 2; return 0; }`,
		raced: map[int][]string{4: {"tick writes what is at 0x65 between"}}},
	{name: "handlers of two priorities", target: "cortex-m3", source: `
volatile uint32_t n;
void tick(void) { n++; }
void urgent(void) { n += 2; }
int main(void) { return 0; }`, yml: "\n  - {handler: urgent«, preempts: [tick]|»}",
		raced: map[int][]string{3: {"urgent writes `n` between", "main.c:4"}}},
	{name: "a function of both", target: "cortex-m3", source: `
volatile uint32_t n;
static void add(void) { «|mask();» n++; «|open();» }
void tick(void) { add(); }
int main(void) { add(); return 0; }`,
		raced: map[int][]string{3: {"tick writes `n` between", "main.c:3"}}},
}

// choices are where a program differs from its twin.
var choices = regexp.MustCompile(`«(.*?)\|(.*?)»`)

// TestRaces: the check `race` finds the races of racings, with both places, in executions that are replayed, and none
// in their twins.
func TestRaces(t *testing.T) {
	for _, r := range racings {
		t.Run(strings.ReplaceAll(r.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			for _, mended := range []bool{false, true} {
				r.check(t, mended)
			}
		})
	}
}

func (r *racing) check(t *testing.T, mended bool) {
	t.Helper()
	masks := `#define cli() __asm volatile("cli" ::: "memory")
#define sei() __asm volatile("sei" ::: "memory")
#define mask() __asm volatile("cpsid i" ::: "memory")
#define open() __asm volatile("cpsie i" ::: "memory")
typedef __UINT8_TYPE__ uint8_t; typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t; typedef __UINT64_TYPE__ uint64_t;
`
	half := func(s string) string {
		return choices.ReplaceAllString(s, map[bool]string{false: "$1", true: "$2"}[mended])
	}
	dir := writeTree(t, map[string]string{"shared.h": masks, "main.c": "#include \"shared.h\"" + half(r.source) + "\n",
		".firmproof.yml": fmt.Sprintf("version: 1\ntargets: [%s]\nbuild: {sources: [main.c]}\ninterrupts:\n"+
			"  - {handler: tick}%s\nharnesses: [{entry: main, checks: [race], unwind: 5}]\n", r.target, half(r.yml))})
	_, rep, errs := checkJSON(t, dir)
	if len(rep.Results) != 1 {
		t.Fatalf("%d results\n%s", len(rep.Results), errs)
	}
	for _, w := range rep.Results[0].Warnings {
		if strings.Contains(w, "please report") {
			t.Errorf("mended %v: %s", mended, w)
		}
	}
	said := map[int][]string{}
	for _, c := range rep.Results[0].Claims {
		switch {
		case c.Status == verdict.Unknown, c.Check != verdict.Race && c.Status == verdict.Violated:
			t.Errorf("mended %v: %s at line %d is %s: %v", mended, c.ID, c.Pos.Line, c.Status, c.Reason)
		case c.Status == verdict.Violated && (c.Replay != verdict.Confirmed || len(c.Trace) == 0):
			t.Errorf("mended %v: line %d: replay %v, %d steps", mended, c.Pos.Line, c.Replay, len(c.Trace))
		case c.Status == verdict.Violated:
			said[c.Pos.Line] = append(said[c.Pos.Line], c.Message)
		}
	}
	if mended {
		if len(said) > 0 {
			t.Errorf("mended: %v", said)
		}
		return
	}
	for line, messages := range said {
		if r.raced[line] == nil {
			t.Errorf("line %d: %q", line, messages)
		}
	}
	for line, parts := range r.raced {
		for _, p := range parts {
			if !slices.ContainsFunc(said[line], func(m string) bool { return strings.Contains(m, p) }) {
				t.Errorf("line %d: %q, want %q", line, said[line], p)
			}
		}
	}
}
