package verifier

import (
	"context"
	"testing"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/testprogram"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestBoundedAddresses: a pointer that is only read where it was written is no address of unknown origin, with
// bounds of the user's as without: no object is looked for behind it.
func TestBoundedAddresses(t *testing.T) {
	const src = `struct item { unsigned char type, length; const unsigned char *value; };
static unsigned char table[64], others[64][16];
static int next(const unsigned char *p, unsigned n, unsigned *at, struct item *out) {
  if (n - *at < 2) return 0;
  out->type = p[(*at)++]; unsigned l = p[(*at)++];
  if (l > n - *at) return 0;
  out->length = l; out->value = p + *at; *at += l; return 1; }
int main(void) {
  unsigned char p[6]; for (int i = 0; i < 6; i++) p[i] = nondet_uchar();
  unsigned at = 0, sum = 0; struct item it;
  while (next(p, 6, &at, &it)) if (it.length == 2) sum += it.value[0] + it.value[1];
  CHECK(table[sum & 63] == others[sum & 63][sum & 15]); return 0; }`
	m := testprogram.Compile(t, src, "-O0")
	terms := func(unwind int) int64 {
		res := Run(context.Background(), m, Plan{Entry: "main", Unwind: unwind, Checks: verdict.DefaultChecks(),
			Semantics: ir.Semantics{Regions: []ir.Region{{Name: "ram", Base: 0x10000, Size: 1 << 20,
				Access: ir.AccessReadWrite}}}})
		if res.Status != verdict.Proved {
			t.Errorf("with a bound of %d: %s", unwind, res.Status)
		}
		for _, s := range res.Stages {
			if s.Name == "encode" {
				return s.Counts["terms"]
			}
		}
		return 0
	}
	if bounded := terms(8); bounded == 0 || bounded > 3500 {
		t.Errorf("%d terms", bounded)
	}
}
