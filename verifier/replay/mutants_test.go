package replay_test

import (
	"fmt"
	"testing"

	"github.com/firmproof/firmproof/verifier/bits"
	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestMutants: inputs that are changed from those that went farthest come where any inputs do not, and the same ones
// each time.
func TestMutants(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) {
  int n = nondet_int(), a = nondet_int(), b = nondet_int(), c = nondet_int();
  if (n != 7341) return 0;
  if (a != n + 1) return 1;
  if (b != 99120) return 2;
  CHECK(c != b);
  return 3;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	fails := func(keep bool) int {
		s := replay.NewMutants(nil, m)
		for n := range 5_000 {
			rec := &input.Recorder{Source: s.Next()}
			out, err := interp.Run(t.Context(), m, p.Execution(1000), rec)
			if err != nil {
				t.Fatal(err)
			}
			if out.Kind == interp.Violation {
				return n
			}
			if keep {
				s.Tell(rec.Inputs, out)
			}
		}
		return -1
	}
	first := fails(true)
	if again := fails(true); first < 0 || again != first {
		t.Errorf("found by number %d, then by %d", first, again)
	}
	if n := fails(false); n >= 0 {
		t.Errorf("found by number %d of any inputs: the program is too easy", n)
	}
}

// TestMutantsMeet: an input becomes what the program compares it with, where that is computed.
func TestMutantsMeet(t *testing.T) {
	m := testprogram.Compile(t, `int main(void) {
  unsigned a = nondet_uint(), b = nondet_uint(), c = nondet_uint();
  if (b != a * 2654435761u + 40503u) return 0;
  if (c != (b ^ (b >> 7)) + 77u) return 1;
  CHECK(a == b);
  return 2;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	fails := func(meet bool) bool {
		s := replay.NewMutants(nil, m)
		for range 20_000 {
			rec := &input.Recorder{Source: s.Next()}
			opts := p.Execution(1000)
			if meet {
				opts.Differ = s.Differ
			}
			out, err := interp.Run(t.Context(), m, opts, rec)
			if err != nil {
				t.Fatal(err)
			}
			if out.Kind == interp.Violation {
				return true
			}
			s.Tell(rec.Inputs, out)
		}
		return false
	}
	if !fails(true) {
		t.Error("not found")
	}
	if fails(false) {
		t.Error("found without: the program is too easy")
	}
}

// TestMutantsSamples: a sample stands in a block as a whole, and the number that says how large that is says how long
// it is.
func TestMutantsSamples(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned n = nondet_uint(), h = 2166136261u, i;
  if (n > 64) return 0;
  unsigned char *p = malloc(n);
  if (!p) return 0;
  firmproof_havoc(p, n);
  if (n != 6) return 0;
  for (i = 0; i < n; i++) h = (h ^ p[i]) * 16777619u;
  CHECK(h != 0x96e382a7u);
  return 1;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	fails := func(samples ...string) bool {
		var texts [][]byte
		for _, s := range samples {
			texts = append(texts, []byte(s))
		}
		return failsWithin(t, 200, replay.NewMutants(texts, m), m, p)
	}
	if !fails("other", "sample") {
		t.Error("the sample is not tried")
	}
	if fails() || fails("other", "simple") {
		t.Error("found without the sample: the program is too easy")
	}
}

// TestMutantsSamplesCut: a sample that ends early is tried, too.
func TestMutantsSamplesCut(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned n = nondet_uint(), h = 2166136261u, i;
  if (n > 64) return 0;
  unsigned char *p = malloc(n);
  if (!p) return 0;
  firmproof_havoc(p, n);
  if (n < 6) return 0;
  for (i = 0; i < 6; i++) h = (h ^ p[i]) * 16777619u;
  if (h != 0x96e382a7u) return 0;
  CHECK(n >= 16);
  return 1;
}`, "-O1")
	p := testprogram.Problem(m, "main", verdict.Assert)
	s := replay.NewMutants([][]byte{[]byte("sample, and more"), []byte("sample, and others"), []byte("samples of 3 kinds")}, m)
	if !failsWithin(t, 100, s, m, p) {
		t.Error("the sample is not cut")
	}
}

// TestMutantsShift: a text gets a longer number in the middle, and what stands behind that is still there.
func TestMutantsShift(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned char p[40] = {0};
  unsigned i = 0, n = 0;
  firmproof_havoc(p, 39);
  while (p[i] == 'x') i++;
  while (p[i] >= '0' && p[i] <= '9') i++, n++;
  if (i - n != 2 || p[i] != ';' || p[i + 1] != 'k' || p[i + 2] != 'e' || p[i + 3] != 'y') return 0;
  CHECK(n < 9);
  CHECK(n > 2);
  return 1;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	found := failingLines(t, 20_000, 1000, 2, replay.NewMutants([][]byte{[]byte("xx1234;key")}, m), m, p)
	if len(found) != 2 {
		t.Errorf("fails at lines %v: a number is to become longer, and shorter", found)
	}
}

// TestMutantsBeside: where an execution came near, each end of a text is tried, and in each place each number that is said
// to be worth it.
func TestMutantsBeside(t *testing.T) {
	for what, condition := range map[string]string{
		"an end":   "n * 2654435761u != 7 * 2654435761u",
		"a number": "w[5] * 2654435761u != 305419896u * 2654435761u",
	} {
		m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned n = nondet_uint(), w[8], i;
  if (n > 64) return 0;
  unsigned char *p = malloc(n);
  if (!p) return 0;
  firmproof_havoc(p, n);
  firmproof_havoc(w, sizeof w);
  if (n < 5 || p[0] != '{' || p[1] != 'a' || p[2] != ' ' || p[3] != 's') return 0;
  CHECK(`+condition+`);
  return 1;
}`, "-O1")
		p := testprogram.Problem(m, "main", verdict.Assert)
		fails := func(near replay.Near) bool {
			s := replay.NewMutants([][]byte{[]byte("{a sample of the project")}, m)
			s.Prefer(near)
			return failsWithin(t, 2000, s, m, p)
		}
		near := replay.Near{Blocks: map[*ir.Block]bool{}, Numbers: []bits.Vec{bits.New(32, 305419896)}}
		for _, b := range m.Func("main").Blocks {
			near.Blocks[b] = true
		}
		if !fails(near) {
			t.Errorf("%s: not found", what)
		}
		if what == "a number" && fails(replay.Near{}) {
			t.Errorf("%s: found without: the program is too easy", what)
		}
	}
}

// TestMutantsStretch: where an execution came near, a text gets many of a byte at each place.
func TestMutantsStretch(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned char p[200] = {0};
  unsigned i = 0, n = 0;
  firmproof_havoc(p, 199);
  while (p[i] == ' ') i++;
  if (p[i++] != '[') return 0;
  while (p[i] == 'k') i++, n++;
  CHECK(p[i] != ']' || i - n < 150);
  CHECK(p[i] != ']' || n < 150);
  return 1;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	found := func(near replay.Near) int {
		s := replay.NewMutants([][]byte{[]byte("[k]"), []byte("[other]")}, m)
		s.Prefer(near)
		return len(failingLines(t, 1_000, 10_000, 2, s, m, p))
	}
	near := replay.Near{Blocks: map[*ir.Block]bool{}}
	for _, b := range m.Func("main").Blocks {
		near.Blocks[b] = true
	}
	if n := found(near); n != 2 {
		t.Errorf("%d of 2 are found", n)
	}
	if n := found(replay.Near{}); n != 0 {
		t.Errorf("%d are found without: the program is too easy", n)
	}
}

// TestMutantsStretchLong: so does a long text, of which there are more places than executions.
func TestMutantsStretchLong(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned char p[200] = {0};
  unsigned i = 0, n = 0;
  firmproof_havoc(p, 199);
  while (p[i] && p[i] != ':') i++;
  if (p[i] != ':') return 0;
  while (p[++i] == '0') n++;
  CHECK(n < 60);
  return 1;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	near := replay.Near{Blocks: map[*ir.Block]bool{}}
	for _, b := range m.Func("main").Blocks {
		near.Blocks[b] = true
	}
	s := replay.NewMutants([][]byte{[]byte("a sample which has its mark behind what a line of text takes:01")}, m)
	s.Prefer(near)
	if !failsWithin(t, 3_000, s, m, p) {
		t.Error("not found")
	}
}

// TestMutantsNumbersFirst: numbers are tried before the words of blocks, whatever was asked for first.
func TestMutantsNumbersFirst(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned a[16], b[16], c[16], n;
  firmproof_havoc(a, sizeof a);
  firmproof_havoc(b, sizeof b);
  firmproof_havoc(c, sizeof c);
  n = nondet_uint();
  CHECK(n * 2654435761u != 305419896u * 2654435761u);
  return a[0] ^ b[0] ^ c[0];
}`, "-O1")
	p := testprogram.Problem(m, "main", verdict.Assert)
	near := replay.Near{Blocks: map[*ir.Block]bool{}}
	for k := range uint64(12) {
		near.Numbers = append(near.Numbers, bits.New(32, 305419885+k))
	}
	for _, b := range m.Func("main").Blocks {
		near.Blocks[b] = true
	}
	s := replay.NewMutants(nil, m)
	s.Prefer(near)
	if !failsWithin(t, 50, s, m, p) {
		t.Error("not found")
	}
}

// TestMutantsEnd: what goes on until an input is another one ends, and is not gone on from as a whole.
func TestMutantsEnd(t *testing.T) {
	m := testprogram.Compile(t, `void firmproof_havoc(void *, unsigned long);
int main(void) {
  unsigned char line[64];
  while (!nondet_uint()) {
    firmproof_havoc(line, sizeof line);
  }
  return 1;
}`, "-O0")
	p := testprogram.Problem(m, "main", verdict.Assert)
	near := replay.Near{Blocks: map[*ir.Block]bool{}}
	for _, b := range m.Func("main").Blocks {
		near.Blocks[b] = true
	}
	var samples [][]byte
	for n := range 200 {
		samples = append(samples, fmt.Appendf(nil, "sample %d", n))
	}
	s := replay.NewMutants(samples, m)
	s.Prefer(near)
	ended, endless := 0, 0
	for range 300 {
		rec := &input.Recorder{Source: s.Next()}
		out, err := interp.Run(t.Context(), m, p.Execution(20_000), rec)
		switch {
		case err != nil:
			t.Fatal(err)
		case out.Kind == interp.StepLimit:
			endless++
		default:
			ended++
		}
		s.Tell(rec.Inputs, out)
	}
	if endless > 10 {
		t.Errorf("%d executions end, %d do not", ended, endless)
	}
}

// failsWithin reports whether one of so many inputs violates a claim.
func failsWithin(t *testing.T, runs int, s *replay.Mutants, m *ir.Module, p *problem.Problem) bool {
	t.Helper()
	return len(failingLines(t, runs, 1000, 1, s, m, p)) > 0
}

// failingLines returns the lines in which so many inputs, of so many steps each, violate claims, until they are enough.
func failingLines(t *testing.T, runs int, steps int64, enough int, s *replay.Mutants, m *ir.Module,
	p *problem.Problem) map[int]bool {
	t.Helper()
	lines := map[int]bool{}
	for n := 0; n < runs && len(lines) < enough; n++ {
		rec := &input.Recorder{Source: s.Next()}
		out, err := interp.Run(t.Context(), m, p.Execution(steps), rec)
		if err != nil {
			t.Fatal(err)
		}
		if out.Kind == interp.Violation {
			lines[out.Pos.Line] = true
		}
		s.Tell(rec.Inputs, out)
	}
	return lines
}
