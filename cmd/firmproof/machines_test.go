package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/firmproof/firmproof/targets/llvm"
)

// machine builds and runs C programs with a vendor's compiler: machine_put(unsigned long) prints a number, and
// machine_in() gives the input.
type machine struct {
	name, target string // target is the one of firmproof's with the same ABI
	compile      []string
	emulate      []string // what runs the program, whose name is the last argument
	driver       string
}

// machines are those of this computer, and a Cortex-M3 with Arm's compiler.
var machines = []machine{
	{"gcc -O0", "x86_64", []string{"gcc", "-O0"}, nil, nativePut},
	{"gcc -O2", "x86_64", []string{"gcc", "-O2"}, nil, nativePut},
	{"clang -O1", "x86_64", []string{taken(), "-O1"}, nil, nativePut},
	{"gcc -m32 -O1 with SSE", "i386", []string{"gcc", "-m32", "-O1", "-msse2", "-mfpmath=sse"}, []string{"qemu-i386"}, nativePut},
	{"arm-none-eabi-gcc -O0", "cortex-m3", append(armCompile, "-O0"), armEmulate, armPut},
	{"arm-none-eabi-gcc -O2", "cortex-m3", append(armCompile, "-O2"), armEmulate, armPut},
}

// taken is the clang that firmproof takes.
func taken() string {
	tools, err := llvm.Find()
	if err != nil {
		return "clang" // which is missing, and said so
	}
	return tools.Clang
}

var (
	armCompile = []string{"arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-nostartfiles", "--specs=nosys.specs",
		"-ffunction-sections", "-Wl,--gc-sections"}
	armEmulate = []string{"qemu-system-arm", "-M", "mps2-an385", "-display", "none", "-monitor", "none", "-serial",
		"none", "-semihosting-config", "enable=on,target=native", "-kernel"}
)

const nativePut = `#include <stdio.h>
static int current = FIRST;
unsigned long machine_in(void) { return current; }
void machine_put(unsigned long v) { printf("%lx\n", v & 0xffffffff); }
int program(void);
int main(void) { do program(); while (++current <= LAST); puts("end"); return 0; }
`

// armPut starts from the vector table and prints by semihosting: operation 4 writes a string, 0x18 ends.
const armPut = `
static int current = FIRST;
unsigned long machine_in(void) { return current; }
static void call(int op, const void *arg) {
  register int r0 __asm__("r0") = op; register const void *r1 __asm__("r1") = arg;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}
void machine_put(unsigned long v) {
  char text[12]; char *p = text + sizeof text;
  *--p = 0; *--p = '\n';
  do *--p = "0123456789abcdef"[v & 15]; while (v >>= 4);
  call(4, p);
}
int program(void);
void start(void) { do program(); while (++current <= LAST); call(4, "end\n"); call(0x18, (void *)0x20026); for (;;) { } }
static void fault(void) { call(4, "fault\n"); call(0x18, (void *)0x20024); for (;;) { } }
__attribute__((section(".vectors"), used)) static void *const vectors[8] = {(void *)0x20400000, start, fault, fault, fault, fault, fault, fault};
`

// armScript puts all of a program behind the vectors: the emulator's memory at 0 can be written.
const armScript = `ENTRY(start)
SECTIONS { . = 0; .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } .data : { *(.data*) } .bss : { *(.bss*) *(COMMON) } end = .; }
`

// errNoAnswer says that a program did not come to its end in time.
var errNoAnswer = errors.New("no answer from the machine")

// missing names what the machine needs and this computer has not.
func (m *machine) missing() string {
	for _, tools := range [][]string{m.compile, m.emulate} {
		if len(tools) > 0 {
			if _, err := exec.LookPath(tools[0]); err != nil {
				return tools[0]
			}
		}
	}
	return ""
}

// run gives what a program prints for the inputs from first to last, in one process: its file defines program().
func (m *machine) run(t *testing.T, file string, first, last int, flags ...string) ([]string, error) {
	t.Helper()
	dir := t.TempDir()
	driver, image := filepath.Join(dir, "driver.c"), filepath.Join(dir, "image")
	if err := os.WriteFile(driver, fmt.Appendf(nil, "#define FIRST %d\n#define LAST %d\n%s", first, last, m.driver),
		0o600); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{}, m.compile[1:]...), "-std=gnu11", "-w", "-fno-strict-aliasing",
		"-ffp-contract=off")
	args = append(append(args, flags...), driver, file, "-o", image, "-lm")
	if m.driver == armPut {
		script := filepath.Join(dir, "image.ld")
		if err := os.WriteFile(script, []byte(armScript), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-T", script)
	}
	if out, err := exec.Command(m.compile[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", m.name, err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	argv := append(append([]string{}, m.emulate...), image)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	lines := strings.Fields(string(out))
	if ctx.Err() != nil {
		return nil, errNoAnswer
	}
	if len(lines) == 0 || lines[len(lines)-1] != "end" {
		return nil, fmt.Errorf("%s: %v: %s", m.name, err, out)
	}
	return lines[:len(lines)-1], nil
}
