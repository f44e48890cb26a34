package main

import (
	"path/filepath"
	"testing"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// TestAlignedAsTypes: what a pointer leads to is aligned as its type is (C17 6.3.2.3p7): no more, by which an access as
// something larger is misaligned, and no less.
func TestAlignedAsTypes(t *testing.T) {
	file := filepath.Join(writeTree(t, map[string]string{"src.c": `#include <stddef.h>
#include <stdint.h>
struct head { uint16_t id; uint32_t at; };
struct __attribute__((packed)) packed { uint8_t t; uint32_t l; };
struct wide { int x; } __attribute__((aligned(64)));
struct member { char c; _Alignas(32) int x; };
union word { uint8_t b[8]; uint32_t w[2]; };
struct buf { uint8_t *d; size_t len; };
typedef uint32_t any_u32 __attribute__((aligned(1)));
typedef uint8_t four __attribute__((aligned(4)));
typedef int vec __attribute__((vector_size(16)));

uint32_t bytes(const uint8_t *p, size_t n) { return n < 4 ? 0 : *(const uint32_t *)p; }
uint32_t words(const uint16_t *p, size_t n) { return n < 2 ? 0 : *(const uint32_t *)p; }
uint32_t cast(const uint8_t *p, size_t n) { return n < sizeof(struct head) ? 0 : ((const struct head *)p)->at; }
uint16_t in_member(struct buf *b) { return b->len < 2 ? 0 : *(uint16_t *)b->d; }
int branch(const char *p) { return ((uintptr_t)p & 3) == 0 ? 1 : 10 / (int)((uintptr_t)p & 1); }

uint32_t moved(const uint8_t *p) { while (*p++) ; return *(const uint32_t *)p; }
uint32_t moved_nothing(const void *p) { const uint8_t *q = p; while (*q++) ; return *(const uint32_t *)q; }
uint32_t nothing(const void *p) { return *(const uint32_t *)p; }

uint32_t as_any(const uint8_t *p, size_t n) { return n < 4 ? 0 : *(const any_u32 *)p; }
uint32_t as_packed(const uint8_t *p, size_t n) { return n < 5 ? 0 : ((const struct packed *)p)->l; }
uint32_t whole(const struct head *p) { return p->at; }
uint32_t of_packed(const struct packed *p) { return p->l; }
uint32_t of_union(const union word *p) { return p->w[1]; }
uint32_t of_four(const four *p, size_t n) { return n < 4 ? 0 : *(const uint32_t *)p; }
int of_wide(struct wide *p) { return p->x; }
int of_member(struct member *p) { return p->x; }
vec of_vec(vec *a, vec *b) { return *a + *b; }
double of_double(const double *p, size_t n) { return n < 2 ? 0 : p[1]; }
char *of_pointers(char **p, size_t n) { return n < 2 ? 0 : p[1]; }
`}), "src.c")
	for _, target := range []string{"x86_64", "i386", "cortex-m3", "msp430"} {
		red := map[string]bool{"bytes": true, "words": target != "msp430", "cast": true, "in_member": true, "branch": true,
			"moved": true}
		_, rep, errs := checkJSON(t, file, "--target", target)
		if len(rep.Results) != 19 {
			t.Fatalf("%s: %d results\n%s", target, len(rep.Results), errs)
		}
		for _, r := range rep.Results {
			f := r.Entry[len("any call of "):]
			ok := r.Status == verdict.Proved || r.Status == verdict.Bounded || r.Status == verdict.Conditional
			if f == "moved_nothing" { // how much it leads to is a guess, and how that is aligned
				if r.Status != verdict.Unknown {
					t.Errorf("%s: %s is %s", target, f, r.Status)
				}
				continue
			}
			if red[f] != (r.Status == verdict.Violated) || !red[f] && !ok || f == "nothing" && r.Status != verdict.Conditional {
				t.Errorf("%s: %s is %s", target, f, r.Status)
			}
		}
	}
	_, rep, errs := checkJSON(t, file, "--target", "cortex-m3", "--function", "bytes", "--assume", "bytes.p=aligned to 4 bytes")
	if len(rep.Results) != 1 || rep.Results[0].Status != verdict.Bounded {
		t.Errorf("aligned by assume: %+v\n%s", rep.Results, errs)
	}
}
