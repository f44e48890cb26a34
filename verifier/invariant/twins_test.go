package invariant

import (
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/testprogram"
)

// Numbers that go together are found to be equal, also where one has fewer bits; where one turn tells them apart, that is
// not proved.
func TestTwins(t *testing.T) {
	for _, c := range []struct{ program, was, mistake string }{
		{`int main(void) { unsigned char n = nondet_uchar(), i = 0; unsigned j = 0; while (i < n) { i++; j++; }
			CHECK(i == j); return 0; }`, "j++", "j += 1 + (i == 200)"},
		{`int main(void) { unsigned x = nondet_uint(), y = x; while (nondet_int()) { x = x * 5 + 1; y = y + 4 * y + 1; }
			CHECK(x == y); return 0; }`, "4 * y + 1", "4 * y + (y != 77)"},
	} {
		if _, ids := provedWithin(t, c.program, time.Minute); len(ids) == 0 {
			t.Errorf("not proved: %s", c.program)
		}
		wrong := strings.Replace(c.program, c.was, c.mistake, 1)
		if detail, ids := provedWithin(t, wrong, testprogram.Sample(2*time.Second, time.Second)); len(ids) > 0 {
			t.Errorf("what is wrong is proved: %v", detail)
		}
	}
}
