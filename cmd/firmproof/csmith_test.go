package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/verifier/verdict"
)

// Programs of Csmith compute a checksum of all their variables, without undefined behaviour. One global variable is
// changed by an input of one bit, so that the engine has something to decide. What gcc, clang and Arm's gcc compute for
// both inputs is what the engine has to prove, and it has to refute each other value.
//
//	FIRMPROOF_CSMITH=10m FIRMPROOF_SEED=1 go test ./cmd/firmproof -run TestCsmith -v

// csmithHeader stands for Csmith's csmith.h: a checksum that is cheap to reason about.
const csmithHeader = `#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#define STATIC static
#define UNDEFINED(v) (v)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"
#include <string.h>
extern int printf(const char *, ...);
static uint32_t crc32_context = 1;
static void crc32_gentab(void) {}
static void mix(uint32_t v) { crc32_context = (crc32_context << 5 | crc32_context >> 27) ^ v; }
static void transparent_crc(uint64_t v, char *name, int flag) { mix((uint32_t)v); mix((uint32_t)(v >> 32)); }
static void transparent_crc_bytes(char *p, int n, char *name, int flag) { for (int i = 0; i < n; i++) mix((unsigned char)p[i]); }
#ifdef WANT0
extern unsigned char __VERIFIER_nondet_uchar(void); extern void __VERIFIER_assert(int);
static uint32_t machine_bit;
#define platform_main_begin() (machine_bit = __VERIFIER_nondet_uchar() & 1)
#define platform_main_end(x, flag) do { __VERIFIER_assert((crc32_context == (machine_bit ? WANT1 : WANT0)) == EQUAL); } while (0)
#else
extern unsigned long machine_in(void); extern void machine_put(unsigned long);
static uint32_t machine_bit;
#define main program
#define platform_main_begin() (machine_bit = machine_in())
#define platform_main_end(x, flag) machine_put(crc32_context)
#endif
`

// csmithSizes are the options of programs that the engine decides in seconds.
var csmithSizes = [][]string{
	{"--max-funcs", "2", "--max-block-depth", "2", "--max-block-size", "3", "--max-expr-complexity", "4"},
	{"--max-funcs", "3", "--max-block-depth", "2", "--max-block-size", "4", "--max-expr-complexity", "6",
		"--no-unions"},
	{"--max-funcs", "4", "--max-block-depth", "3", "--max-block-size", "3", "--max-expr-complexity", "5"},
}

// csmithSample are the seeds that every run of the tests takes.
var csmithSample = []int64{2}

// TestCsmith runs seeds until the time of FIRMPROOF_CSMITH is up, or those of the sample.
func TestCsmith(t *testing.T) {
	if _, err := exec.LookPath("csmith"); err != nil {
		t.Skip("no csmith here: make setup-tests installs it")
	}
	seeds, until := csmithSeeds(t, csmithSample)
	c := &csmith{}
	for _, seed := range seeds {
		if until.IsZero() || time.Now().Before(until) {
			c.seed(t, seed)
		}
	}
	t.Log(c)
	if c.proved == 0 || c.violated == 0 {
		t.Errorf("nothing was compared: %s", c)
	}
}

// csmithSeeds returns the seeds of FIRMPROOF_SEED and those behind it, until when they are taken; or else those of a sample,
// without an end.
func csmithSeeds(t *testing.T, sample []int64) (seeds []int64, until time.Time) {
	t.Helper()
	s := os.Getenv("FIRMPROOF_CSMITH")
	if s == "" {
		return sample, time.Time{}
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	first, err := strconv.ParseInt("0"+os.Getenv("FIRMPROOF_SEED"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(100_000) {
		seeds = append(seeds, first+i)
	}
	return seeds, time.Now().Add(d)
}

// csmith counts what was compared.
type csmith struct {
	programs, noAnswer, disagree, proved, violated, open int
}

func (c *csmith) String() string {
	return fmt.Sprintf("%d programs (%d do not end, compilers disagree on %d); checksums: %d proved, %d others refuted, %d open", c.programs, c.noAnswer, c.disagree, c.proved, c.violated, c.open)
}

// seed compares the answers on one program, on the ABI of this computer and on a Cortex-M3's.
func (c *csmith) seed(t *testing.T, seed int64) {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"--seed", fmt.Sprint(seed), "--no-argc", "--concise", "--max-array-len-per-dim", "4"},
		csmithSizes[int(seed)%len(csmithSizes)]...)
	text, err := exec.Command("csmith", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "p.c")
	for name, s := range map[string]string{"p.c": withBit(string(text)), "csmith.h": csmithHeader} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.programs++
	sums, err := checksums(t, file)
	if errors.Is(err, errNoAnswer) {
		c.noAnswer++
		return
	}
	if err != nil {
		c.disagree++
		t.Logf("seed %d: %v", seed, err)
		return
	}
	for _, target := range slices.Sorted(maps.Keys(sums)) {
		c.ask(t, seed, file, target, sums[target], true)
		c.ask(t, seed, file, target, sums[target], false)
	}
}

var csmithGlobal = regexp.MustCompile(`(?m)^static (?:volatile )?u?int(?:8|16|32|64)_t (g_\d+) = `)

// withBit changes a global variable by the input, if there is one.
func withBit(text string) string {
	m := csmithGlobal.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return strings.Replace(text, "platform_main_begin();", "platform_main_begin(); "+m[1]+" ^= machine_bit;", 1)
}

// checksums gives what the machines of each target compute for the inputs 0 and 1; they have to agree.
func checksums(t *testing.T, file string) (map[string][2]string, error) {
	t.Helper()
	sums := map[string][2]string{}
	for _, m := range machines {
		if m.missing() != "" || m.target == "i386" {
			continue
		}
		var both [2]string
		for input := range both {
			out, err := m.run(t, file, input, input, "-I", filepath.Dir(file), "-isystem", "/usr/include/csmith")
			if err != nil {
				return nil, err
			}
			both[input] = strings.Join(out, " ")
		}
		if was, ok := sums[m.target]; ok && was != both {
			return nil, fmt.Errorf("%s computes %s, another compiler %s", m.name, both, was)
		}
		sums[m.target] = both
	}
	return sums, nil
}

// ask has the engine decide that the checksum is, or is not, what machines computed.
func (c *csmith) ask(t *testing.T, seed int64, file, target string, sums [2]string, equal bool) {
	t.Helper()
	_, res := asked(t, file, target, 30*time.Second, 0, "-I"+filepath.Dir(file), "-I/usr/include/csmith",
		"-DWANT0=0x"+sums[0]+"u", "-DWANT1=0x"+sums[1]+"u", fmt.Sprintf("-DEQUAL=%d", map[bool]int{true: 1}[equal]))
	asserted := false
	for i := range res.Claims {
		cl := &res.Claims[i]
		if cl.Check != verdict.Assert {
			if cl.Status == verdict.Violated {
				t.Errorf("seed %d %s: %s at %s: %s", seed, target, cl.ID, cl.Pos, cl.Message)
			}
			continue
		}
		asserted = true
		switch {
		case cl.Replay == verdict.Mismatch:
			t.Errorf("seed %d %s: replay mismatch: %s", seed, target, cl.Reason)
		case cl.Status == verdict.Proved && equal:
			c.proved++
		case cl.Status == verdict.Violated && !equal:
			c.violated++
		case cl.Status == verdict.Proved || cl.Status == verdict.Violated:
			t.Errorf("seed %d %s: that the checksum is %s: %t, is %s", seed, target, sums, equal, cl.Status)
		default:
			c.open++
		}
	}
	if !asserted {
		c.open++
	}
}
