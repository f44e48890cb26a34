package invariant

import (
	"context"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// elementPrograms have an assertion about elements of arrays; each has a twin with a mistake that few inputs show.
var elementPrograms = []struct{ name, right, wrong string }{
	{"compared with a flag",
		`int a[900], b[900]; int main(void) { int same = 1; for (int i = 0; i < 900; i++) { a[i] = nondet_int(); b[i]
		= nondet_int(); } for (int i = 0; i < 900; i++) if (a[i] != b[i]) same = 0; if (same) for (int i = 0; i <
		900; i++) CHECK(a[i] == b[i]); }`,
		`int a[900], b[900]; int main(void) { int same = 1; for (int i = 0; i < 900; i++) { a[i] = nondet_int(); b[i]
		= nondet_int(); } for (int i = 0; i < 900; i++) if (a[i] != b[i]) same = i == 7; if (same) for (int i = 0; i
		< 900; i++) CHECK(a[i] == b[i]); }`},
	{"the two largest",
		`int a[900]; int main(void) { for (int i = 0; i < 900; i++) a[i] = nondet_int(); int hi = a[0], lo = a[1]; if
		(hi < lo) { hi = a[1]; lo = a[0]; } for (int i = 2; i < 900; i++) if (a[i] >= hi) { lo = hi; hi = a[i]; }
		else if (a[i] > lo) lo = a[i]; for (int i = 0; i < 900; i++) CHECK(a[i] <= lo || a[i] == hi); }`,
		`int a[900]; int main(void) { for (int i = 0; i < 900; i++) a[i] = nondet_int(); int hi = a[0], lo = a[1]; if
		(hi < lo) { hi = a[1]; lo = a[0]; } for (int i = 2; i < 900; i++) if (a[i] > hi + 1) { lo = hi; hi = a[i]; }
		else if (a[i] > lo) lo = a[i]; for (int i = 0; i < 900; i++) CHECK(a[i] <= lo || a[i] == hi + 1); }`},
	{"every second",
		`int a[900]; int main(void) { for (int i = 0; i < 450; i++) { a[2 * i] = 5; a[2 * i + 1] = 6; } for (int i =
		0; i < 450; i++) CHECK(a[2 * i] == 5); }`,
		`int a[900]; int main(void) { for (int i = 0; i < 450; i++) { a[2 * i] = 5; a[i + 1] = 6; } for (int i = 0; i
		< 450; i++) CHECK(a[2 * i] == 5); }`},
	{"from both ends",
		`int a[900], b[900]; int main(void) { for (int i = 0; i < 900; i++) a[i] = nondet_int(); for (int i = 0; i <
		450; i++) { b[900 - (i + 1)] = a[900 - (i + 1)]; b[i] = a[i]; } for (int i = 0; i < 900; i++) CHECK(b[i] ==
		a[i]); }`,
		`int a[900], b[900]; int main(void) { for (int i = 0; i < 900; i++) a[i] = nondet_int(); for (int i = 0; i <
		450; i++) { b[900 - (i + 1)] = a[900 - (i + 1)]; if (i != 449) b[i] = a[i]; } for (int i = 0; i < 900; i++)
		CHECK(b[i] == a[i]); }`},
	{"from the element before",
		`int a[900]; int main(void) { a[0] = 3; for (int i = 1; i < 900; i++) a[i] = a[i - 1] + 2; for (int i = 0; i
		< 900; i++) CHECK(a[i] == 2 * i + 3); }`,
		`int a[900]; int main(void) { a[0] = 3; for (int i = 1; i < 900; i++) a[i] = a[i - 1] + 2 + (i == 800); for
		(int i = 0; i < 900; i++) CHECK(a[i] == 2 * i + 3); }`},
	{"sums of elements",
		`int a[900], b[900], c[900]; int main(void) { for (int i = 0; i < 900; i++) { a[i] = nondet_int(); b[i] =
		nondet_int(); } for (int i = 0; i < 900; i++) c[i] = a[i] ^ b[i]; for (int i = 0; i < 900; i++) CHECK(c[i] ==
		(a[i] ^ b[i])); }`,
		`int a[900], b[900], c[900]; int main(void) { for (int i = 0; i < 900; i++) { a[i] = nondet_int(); b[i] =
		nondet_int(); } for (int i = 0; i < 900; i++) { c[i] = a[i] ^ b[i]; a[i] &= ~(i & 512); } for (int i = 0; i <
		900; i++) CHECK(c[i] == (a[i] ^ b[i])); }`},
	{"even and odd",
		`int a[900]; int main(void) { for (int i = 0; i < 900; i++) if (i % 2 == 0) a[i] = i / 2; else a[i] = -1; for
		(int i = 0; i < 900; i++) CHECK(i % 2 ? a[i] == -1 : a[i] == i / 2); }`,
		`int a[900]; int main(void) { for (int i = 0; i < 900; i++) if (i % 2 == 0) a[i] = i / 2; else a[i] = -1;
		a[nondet_uint() % 900] = -1; for (int i = 0; i < 900; i++) CHECK(i % 2 ? a[i] == -1 : a[i] == i / 2); }`},
	{"not from the start",
		`int a[900]; int main(void) { int j = nondet_uchar(); for (int i = 1; i < 900; i++) { int k = nondet_uchar();
		a[i] = i + j + k; } for (int i = 1; i < 900; i++) CHECK(a[i] >= i); }`,
		`int a[900]; int main(void) { int j = nondet_uchar(); for (int i = 1; i < 900; i++) { int k = nondet_uchar();
		a[i] = i + j - (k == 255); } for (int i = 1; i < 900; i++) CHECK(a[i] >= i); }`},
	{"where it was found",
		`int a[900]; int main(void) { unsigned at = 0, n = nondet_uint() % 900; int key = nondet_int(); for (unsigned
		i = 0; i < n; i++) a[i] = nondet_int(); while (at < n && a[at] != key) at++; for (unsigned i = 0; i < at; i++)
		CHECK(a[i] != key); }`,
		`int a[900]; int main(void) { unsigned at = 0, n = nondet_uint() % 900; int key = nondet_int(); for (unsigned
		i = 0; i < n; i++) a[i] = nondet_int(); while (at < n && a[at] != key) at += 2; for (unsigned i = 0; i < at
		&& i < n; i++) CHECK(a[i] != key); }`},
}

func TestElements(t *testing.T) {
	for i, c := range elementPrograms {
		if !testprogram.Every(i, 1) {
			continue
		}
		if _, ids := provedWithin(t, c.right, time.Minute); len(ids) == 0 {
			t.Errorf("%s: not proved", c.name)
		}
		if detail, ids := provedWithin(t, c.wrong, testprogram.Sample(4*time.Second, time.Second)); len(ids) > 0 {
			t.Errorf("%s: what is wrong is proved: %v", c.name, detail)
		}
	}
}

// provedWithin lists the assertions of a program that are proved.
func provedWithin(t *testing.T, src string, limit time.Duration) (detail, ids []string) {
	t.Helper()
	p := induct(testprogram.Within(t, limit), volatileMemory(testprogram.Compile(t, src, "-O0"), verdict.Assert), true)
	if p == nil {
		return nil, nil
	}
	for _, c := range p.Claims {
		if p.Holds[c.ID] && c.Check == verdict.Assert {
			ids = append(ids, c.ID)
		}
	}
	return p.Certificate.Detail, ids
}

// TestElementsOfRandomPrograms: what is proved of the elements that random loops write is violated by no execution.
func TestElementsOfRandomPrograms(t *testing.T) {
	seeds := testprogram.Sample(60, 6)
	proved, wrong := 0, 0
	for seed := range seeds {
		src := randomElements(rand.New(rand.NewSource(int64(seed))))
		_, ids := provedWithin(t, src, 3*time.Second)
		m := testprogram.Compile(t, src, "-O0")
		p := volatileMemory(m, verdict.Assert)
		violated := false
		for run := range uint64(60) {
			out, err := interp.Run(context.Background(), m, p.Execution(100_000),
				&input.Recorder{Source: replay.NewTried(run, []int64{0, 1, 2, 3, 5, 7})})
			if err != nil {
				t.Fatal(err)
			}
			violated = violated || out.Kind == interp.Violation
		}
		if violated {
			wrong++
		}
		if len(ids) > 0 {
			if proved++; violated {
				t.Errorf("seed %d: %v is proved, and violated:\n%s", seed, ids, src)
			}
		}
	}
	t.Logf("%d of %d proved, %d violated", proved, seeds, wrong)
	if proved == 0 || wrong < seeds/8 {
		t.Errorf("only %d of %d proved, %d violated", proved, seeds, wrong)
	}
}

// randomElements is a program whose loop writes elements, and reads them in an assertion that holds of what is written
// in each turn. One thing or none is changed.
func randomElements(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.Intn(len(of))] }
	values := [][2]string{{"3", "== 3"}, {"v", "== v"}, {"i", "== i"}, {"b[i]", "== b[i]"}, {"b[i] & 3", "<= 3"},
		{"2 * i + 1", "== 2 * i + 1"}, {"b[i] + v", ">= b[i]"}, {"b[i] > v ? v : b[i]", "<= v"}, {"i / 2", "<= i"}}
	value := values[r.Intn(len(values))]
	begin, end, step, guard, more, check := "0", "n", "1", "", "", "a[i] "+value[1]
	switch r.Intn(10) {
	case 0:
		begin = "1"
	case 1:
		end = "n - 1"
	case 2:
		step = "2"
	case 3:
		guard = pick("if (b[i] > 2) ", "if (i % 2) ", "if (i != 5) ")
	case 4:
		more = pick("a[v] = v;", "b[v] = 0;", "v++;", "if (n > 6) a[6] = 9;")
	case 5:
		check = pick("a[i] != 7", "a[i] <= v", "a[i] <= 4", "a[n - 1 - i] "+value[1])
	}
	return fmt.Sprintf(`int a[300], b[300]; int main(void) { int n = 1 + (nondet_uint() & 7), v = nondet_uint() & 7;
for (int i = 0; i < n; i++) b[i] = nondet_int() & 7;
for (int i = %s; i < %s; i += %s) %sa[i] = %s;
%s
for (int i = %s; i < n; i++) CHECK(%s);
return 0; }
`, begin, end, step, guard, value[0], more, pick("0", "0", "0", "1"), check)
}
