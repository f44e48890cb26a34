package interrupt

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
	"github.com/firmproof/firmproof/verifier/frontend"
	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/weave/irbuild"
)

const interrupted = `
int shared, other;
void handler(void) { shared = 1; }
static int pure(int x) { int y = x; return y + other; }
int main(void) { int s = pure(1); for (;;) { if (s++ > 3) break; } s += shared; return s; }
`

func compile(t *testing.T, src string) *ir.Module {
	t.Helper()
	return compileFor(t, "x86_64-linux-gnu", src)
}

func compileFor(t *testing.T, target, src string) *ir.Module {
	t.Helper()
	c := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(c, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := llvmtest.Clang(t, "-O0", "-w", "--target="+target, "-S", "-emit-llvm", "-o",
		c+".ll", c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := frontend.Read(c + ".ll")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func points(f *ir.Func) int { return calls(f, irbuild.Point) }

func calls(f *ir.Func, name string) int {
	n := 0
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if k, ok := in.Callee.(*ir.Const); ok && k.Func != nil && k.Func.Name == name {
				n++
			}
		}
	}
	return n
}

// TestInterrupts: points stand before what the handler can tell: the read of shared, the jump
// back of the loop, the end; not in the handler and not before accesses of other memory.
func TestInterrupts(t *testing.T) {
	list := []Handler{{Name: "handler", Max: 2}}
	m := compile(t, interrupted+PointSource(list))
	woven, err := Interrupts(&Program{Module: m, Entries: []string{"main"}}, list)
	if err != nil || len(woven.Assumptions) != 3 {
		t.Fatalf("%v, %v", woven, err)
	}
	if err := ir.Check(m); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]int{"main": 3, "pure": 0, "handler": 0, irbuild.Point: 0} {
		if got := points(m.Func(name)); got != want {
			t.Errorf("%s: %d points, want %d", name, got, want)
		}
	}
	// through a pointer, the handler may touch anything that is not local
	m = compile(t, strings.Replace(interrupted, "{ shared = 1; }", "{ static int *p; *p = 1; }", 1)+PointSource(list))
	if _, err := Interrupts(&Program{Module: m, Entries: []string{"main"}}, list); err != nil || points(m.Func("pure")) != 1 {
		t.Errorf("%v, %d points in pure", err, points(m.Func("pure")))
	}
}

// TestTorn: what is wider than a step is torn, in every form, and the result is well formed.
func TestTorn(t *testing.T) {
	const src = `
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
size_t strlen(const char *);
struct s { char c; int i; void *p; double d; } a, b;
int word;
long wide;
char byte, text[8];
float f;
int *pointer;
_Atomic int atomic;
void handler(void) { a.c = byte = text[0] = 1; a.i = a.d = word = wide = f = 2; atomic = 2; pointer = &word; b = a; }
static int take(struct s x) { return x.i; }
struct s give(void) { return a; }
int byte_(void) { return byte; }
int atomic_(void) { return atomic; }
int word_(void) { return word; }
long wide_(void) { return wide; }
float float_(void) { return f; }
int *pointer_(void) { return pointer; }
void set(int *p) { pointer = p; }
void copy(void) { b = a; }
void move(int n) { memmove(text, text + 1, n); }
void fill(int n) { for (int i = 0; i < n; i++) { if (i & 1) continue; memset(text, i, n); } }
int call(int n) { return n > 1 ? take(a) : take(give()); }
size_t length(void) { return strlen(text); }
`
	list := []Handler{{Name: "handler", Max: 2}}
	for target, whole := range map[string]string{"avr": "byte_", "msp430": "byte_ atomic_ word_ pointer_ set",
		"thumbv7m-none-eabi": "byte_ atomic_ word_ wide_ float_ pointer_ set",
		"mips":               "byte_ atomic_ word_ wide_ float_ pointer_ set call",
		"x86_64-linux-gnu":   "byte_ atomic_ word_ wide_ float_ pointer_ set"} {
		m := compileFor(t, target, src+PointSource(list))
		if _, err := Interrupts(&Program{Module: m}, list); err != nil {
			t.Fatal(err)
		}
		if err := ir.Check(m); err != nil {
			t.Errorf("%s: %v", target, err)
		}
		for _, f := range m.Funcs {
			if f.IsDecl() || strings.HasPrefix(f.Name, irbuild.PointPrefix) || f.Name == "handler" || f.Name == "take" {
				continue
			}
			want := !slices.Contains(strings.Fields(whole), f.Name)
			if got := calls(f, Tears) > 0; got != want {
				t.Errorf("%s: %s is torn: %v", target, f.Name, got)
			}
		}
	}
}

func TestInterruptsErrors(t *testing.T) {
	var unknown *ir.UnknownError
	m := compile(t, interrupted)
	_, err := Interrupts(&Program{Module: m, Known: []string{"pure", "handler"}}, []Handler{{Name: "handlr", Max: 1}})
	if !errors.As(err, &unknown) || unknown.Nearest != "handler" {
		t.Errorf("%v", err)
	}
	if _, err := Interrupts(&Program{Module: m}, []Handler{{Name: "pure", Max: 1}}); err == nil || !strings.Contains(err.Error(),
		"parameters") {
		t.Errorf("%v", err)
	}
	_, err = Interrupts(&Program{Module: m}, []Handler{{Name: "handler", Max: 1}})
	if err == nil || !strings.Contains(err.Error(), irbuild.Point) {
		t.Errorf("%v", err)
	}
}
