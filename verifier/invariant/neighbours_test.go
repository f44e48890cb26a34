package invariant

import (
	"context"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/input"
	"github.com/firmproof/firmproof/verifier/interp"
	"github.com/firmproof/firmproof/verifier/replay"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// insertionSort sorts, and asserts that neighbours are in order.
const insertionSort = `int a[900]; int main(void) { int n = nondet_int(); if (n < 1 || n > 900) return 0;
for (int i = 0; i < n; i++) a[i] = nondet_int();
for (int j = 1; j < n; j++) { int key = a[j]; int i = j - 1; while (i >= 0 && a[i] > key) { a[i + 1] = a[i]; i--; }
a[i + 1] = key; }
for (int k = 1; k < n; k++) CHECK(a[k - 1] <= a[k]); return 0; }`

// sortPrograms assert that an array is sorted, or need it; each has a twin with a mistake that few inputs show.
var sortPrograms = []struct{ name, right, was, mistake string }{
	{"unsigned bytes", strings.NewReplacer("int a[", "unsigned char a[", "int key",
		"unsigned char key").Replace(insertionSort), "a[i + 1] = key", "a[i + 1] = key - (key == 255)"},
	{"rising on the way", `int a[900]; int main(void) { int n = nondet_int(); if (n < 1 || n > 900) return 0; int x =
nondet_uchar(); for (int i = 0; i < n; i++) { a[i] = x; x += 3; } for (int k = 0; k + 1 < n; k++)
CHECK(a[k] < a[k + 1]); return 0; }`,
		"x += 3", "x += i != 700"},
}

func TestNeighbours(t *testing.T) {
	for _, c := range sortPrograms {
		if _, ids := provedWithin(t, c.right, 2*time.Minute); len(ids) == 0 {
			t.Errorf("%s: not proved", c.name)
		}
		wrong := strings.Replace(c.right, c.was, c.mistake, 1)
		if wrong == c.right {
			t.Errorf("%s: no mistake in it", c.name)
		}
		if detail, ids := provedWithin(t, wrong, testprogram.Sample(2*time.Second, time.Second)); len(ids) > 0 {
			t.Errorf("%s: what is wrong is proved: %v", c.name, detail)
		}
	}
}

// TestNeighboursOfRandomPrograms: of an insertion sort with changes, what is proved is violated by no execution.
func TestNeighboursOfRandomPrograms(t *testing.T) {
	seeds := testprogram.Sample(24, 2)
	changes := [][2]string{{"a[i] > key", "a[i] >= key"}, {"a[i] > key", "a[i] < key"}, {"a[i] > key", "key < a[i] - 1"},
		{"i >= 0", "i > 0"}, {"i >= 0", "i >= 1"}, {"j < n", "j + 1 < n"}, {"int j = 1", "int j = 2"},
		{"int j = 1", "int j = 0"},
		{"a[i + 1] = key", "a[i + 1] = key + 1"}, {"a[i + 1] = a[i]; i--", "i--; a[i + 1] = a[i]"}, {"k = 1", "k = 2"},
		{"k < n", "k < n - 1"}, {"a[k - 1] <= a[k]", "a[k - 1] < a[k]"}, {"a[k - 1] <= a[k]", "a[k] <= a[k - 1]"},
		{"n > 900", "n > 6"}, {"a[i] = nondet_int()", "a[i] = nondet_int() & 3"}, {"a[i] = nondet_int()", "a[i] = n - i"}}
	proved, wrong := 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		src := insertionSort
		for range 1 + r.Intn(2) {
			c := changes[r.Intn(len(changes))]
			src = strings.Replace(src, c[0], c[1], 1)
		}
		_, ids := provedWithin(t, src, 4*time.Second)
		m := testprogram.Compile(t, src, "-O0")
		p := volatileMemory(m, verdict.Assert)
		violated := false
		for run := range uint64(100) {
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
	if t.Logf("%d of %d proved, %d violated", proved, seeds, wrong); wrong == 0 {
		t.Error("no change violates the assertion")
	}
}
