package prepare

import (
	"fmt"
	"testing"
)

func TestPrototypes(t *testing.T) {
	const text = `#define f(a) f(a, 0)
#ifdef __cplusplus
extern "C" {
#endif
int f(int drive, const uint8_t *data, unsigned n) __attribute__((nonnull));
int f(int, uint8_t const buf[4], void *to); // f(const char *)
static int other(void) { return f(1, p, 2); }
void g(const char *const *list, char *const s, const handle h, void (*call)(const char *));
#ifdef __cplusplus
}
#endif
`
	for name, want := range map[string]string{"f": "[[false true false] [false true false]]",
		"g": "[[false false false false]]", "h": "[]"} {
		if got := fmt.Sprint(prototypes([]byte(text), name)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
