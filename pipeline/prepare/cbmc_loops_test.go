package prepare

import (
	"testing"

	"github.com/firmproof/firmproof/pipeline/cbmc"
	"github.com/firmproof/firmproof/verifier/testprogram"
)

// TestCBMCLoops: do ... while (0) has a number, too, whether its end is reached or not; it can have no bound.
func TestCBMCLoops(t *testing.T) {
	m := testprogram.Compile(t, `int err;
#define FAIL() do { err = 3; } while (0)
#define LEAVE() do { FAIL(); return -1; } while (0)
#define ENSURE(c) do { if (!(c)) { LEAVE(); } } while (0)
int f(int n) {
  ENSURE(n > 0);
  for (int i = 0; i < n; i++) { ENSURE(i < 9); err++; }
  do { do { err++; } while (err < 7); if (err == 9) continue; err++; } while (0);
  while (n-- > 0) do { err--; } while (0);
  return err;
}`, "-O0")
	f := m.Func("f")
	var got []string
	for _, j := range jumpsBack(f) {
		name := ""
		if j.loop != nil {
			name = j.loop.Name
		}
		got = append(got, name)
	}
	want := []string{"", "", "", "", "", "", "f.0", "f.1", "", "", "f.2"}
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	set := cbmcLoops(m, []cbmc.LoopBound{{Func: "f", Loop: 5, K: 2}, {Func: "f", Loop: 6, K: 3},
		{Func: "f", Loop: 7, K: 4}, {Func: "f", Loop: 11, K: 5}, {Func: "g", Loop: 0, K: 6}})
	if len(set) != 2 || set["f.0"] != 3 || set["f.1"] != 4 {
		t.Errorf("bounds %v", set)
	}
}
