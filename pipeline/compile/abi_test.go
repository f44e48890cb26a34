package compile

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/llvm/llvmtest"
)

// vendorCalls are compilers with their targets, whose ABI the targets have without further flags.
var vendorCalls = []struct{ tool, flags, target string }{
	{"arm-none-eabi-gcc", "-mcpu=cortex-m0 -mthumb", "cortex-m0"},
	{"arm-none-eabi-gcc", "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16", "cortex-m4f"},
	{"arm-none-eabi-gcc", "-mcpu=cortex-r5 -mbig-endian", "cortex-r5-be"},
	{"avr-gcc", "-mmcu=atmega328p", "avr"},
	{"riscv64-unknown-elf-gcc", "-march=rv32imac -mabi=ilp32", "riscv32"},
	{"riscv64-unknown-elf-gcc", "-march=rv64imac -mabi=lp64", "riscv64"},
}

// TestVendors asks the vendors' compilers: nothing that a program can see differs on the targets that are theirs.
func TestVendors(t *testing.T) {
	for _, c := range vendorCalls {
		t.Run(c.tool+" "+c.target, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.tool); err != nil {
				t.Skipf("%s is not installed", c.tool)
			}
			b := builderFor(t, c.target)
			s := unitSpec{file: "a.c", tool: append([]string{c.tool}, strings.Fields(c.flags)...)}
			got, err := b.compareABI(context.Background(), &s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.fault != "" || slices.ContainsFunc(got.flags, func(f string) bool {
				return !strings.HasPrefix(f, "-std=") && !strings.Contains(f, "__WINT_") // avr-gcc 14 has another wint_t than 5.4
			}) {
				t.Errorf("flags %q, fault %s", got.flags, got.fault)
			}
		})
	}
}

func builderFor(t *testing.T, target string) *builder {
	t.Helper()
	b, err := newBuilder(t.TempDir(), load(t, target), Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAdoptABI holds a stand-in for a vendor's compiler against a target: clang with flags that the call does
// not show.
func TestAdoptABI(t *testing.T) {
	tool := llvmtest.Tools(t).Clang
	clang := "exec " + tool + " --target=thumbv7m-none-eabi -mcpu=cortex-m3 "
	for _, c := range []struct{ name, script, target, args, flag, note, fault string }{
		{name: "enums of clang", script: clang + `"$@"`, target: "cortex-m3", flag: "-fno-short-enums"},
		{name: "types of clang", script: clang + `-fshort-enums "$@"`, target: "cortex-m3",
			flag: "-D__UINT_FAST8_TYPE__=unsigned char"},
		{name: "char", script: clang + `-fsigned-char "$@"`, target: "cortex-m3", flag: "-fsigned-char"},
		{name: "wchar_t", script: clang + `-fshort-wchar "$@"`, target: "cortex-m3", flag: "-fwchar-type=short"},
		{name: "bit-fields of Windows", script: clang + `-mms-bitfields "$@"`, target: "cortex-m3",
			flag: "-mms-bitfields"},
		{name: "packed", script: clang + `-fpack-struct=2 "$@"`, target: "cortex-m3", flag: "-fpack-struct=2"},
		{name: "double", script: "exec " + tool + ` --target=i386-linux-gnu -march=pentium4 -malign-double "$@"`,
			target: "i386",
			flag:   "-malign-double"},
		{name: "standard", script: clang + `-std=gnu89 "$@"`, target: "cortex-m3", flag: "-std=gnu89"},
		{name: "the call says so too", script: clang + `-fshort-enums "$@"`, target: "cortex-m3",
			args: "-fshort-enums"},
		{name: "x87", script: `case $* in *-E*) echo "#define __i386__ 1"; echo "#define __FLT_EVAL_METHOD__ 2";; esac
exec ` + tool + ` --target=i386-linux-gnu "$@"`, target: "i386", flag: "-fassociative-math", note: "any value"},
		{name: "old ABI", script: clang + `-mabi=apcs-gnu "$@"`, target: "cortex-m3",
			fault: "the alignment of long long in a structure is 4 there and 8 here"},
		{name: "another machine", script: clang + `"$@"`, target: "x86_64",
			note: "compiles for arm with 32-bit pointers, target x86_64"},
		{name: "another processor", script: clang + `-mcpu=cortex-m0 "$@"`, target: "cortex-m4",
			note: "__ARM_ARCH is 6 there and 7 here"},
		{name: "mute", script: "exit 1", target: "cortex-m3", note: "taken to be that of arm-none-eabi-gcc"},
		{name: "mute and layout", script: "exit 1", target: "cortex-m3", args: "-mstructure-size-boundary=32",
			fault: "-mstructure-size-boundary=32 changes the layout of data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tool := filepath.Join(dir, "vendor-gcc")
			if err := os.WriteFile(tool, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			b := builderFor(t, c.target)
			s := unitSpec{file: "a.c", tool: append([]string{tool}, strings.Fields(c.args)...),
				cflags: strings.Fields(c.args)}
			if c.fault != "" { // clang has no such flag
				s.cflags = nil
			}
			b.specs = []unitSpec{s}
			err := b.adoptABI(context.Background())
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("error %v, want %s", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			flags := b.specs[0].abi
			if c.flag != "" && !slices.Contains(flags, c.flag) || !strings.Contains(strings.Join(b.img.Notes, "\n"),
				c.note) {
				t.Errorf("flags %q, notes %q, want %s, %s", flags, b.img.Notes, c.flag, c.note)
			}
			if c.args != "" && slices.Contains(flags, "-fno-short-enums") {
				t.Errorf("flags %q undo those of the call", flags)
			}
		})
	}
}

// TestForeignCompilers: what is neither GCC nor clang, and has flags of its own, is refused with what to do.
func TestForeignCompilers(t *testing.T) {
	for _, tool := range []string{"iccarm", "/opt/keil/armcc", "cl430", "xc8-cc", "IarBuild/iccavr.exe"} {
		_, err := translate(".", []string{tool, "--enum_is_int", "a.c"})
		if err == nil || !strings.Contains(err.Error(), "record a build with GCC or clang") {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// TestWideConstants: by -fsingle-precision-constant, constants that clang may take for others than GCC are refused.
func TestWideConstants(t *testing.T) {
	r := Request{File: "a.c", CFlags: []string{singleConstants}}
	for text, want := range map[string]int{"double d = 0.1;": 1, "float f = 0.1f + 0.5 + 1.0e3 + 2. + .25;": 0,
		`char *s = "0.1"; char c = '.'; int x1e9 = 0x1e + 1;`: 0, "double d = 0x1p-3 + 1e40 + 3.3e-1;": 2,
		"long double l = 0.1L;": 0, "# 7 \"b.h\"\n\ndouble d[] = {.3,1e-1};": 2} {
		if got := r.wideConstants([]byte(text)); len(got) != want {
			t.Errorf("%s: %v", text, got)
		} else if strings.HasPrefix(text, "#") && (got[0].File != "b.h" || got[0].Line != 8) {
			t.Errorf("%v", got[0])
		}
	}
	if got := (&Request{}).wideConstants([]byte("0.1")); got != nil {
		t.Error(got)
	}
}

// TestTranslateRefuses: a flag that changes what C means is kept, or refused with a sentence; no other is lost in silence.
func TestTranslateRefuses(t *testing.T) {
	for _, c := range []struct{ flag, kept, note, fault string }{
		{flag: "-fshort-enums", kept: "-fshort-enums"},
		{flag: "-ffast-math", kept: "-ffast-math"},
		{flag: "-fno-math-errno", kept: "-fno-math-errno"},
		{flag: "-funsigned-bitfields", kept: "-funsigned-bitfields"},
		{flag: "-mmcu=attiny85", kept: "-mmcu=attiny85"},
		{flag: "-fexec-charset=latin1", fault: "characters are UTF-8 here"},
		{flag: "-fexec-charset=UTF-8"},
		{flag: "-finstrument-functions", note: "__cyg_profile_func_enter"},
		{flag: "-Wp,-DX=1", kept: "-DX=1"}, {flag: "-Wp,-MD,x.d"},
		{flag: "-mcpu=cortex-m3"}, {flag: "-Os"}, {flag: "-ftree-vectorize"},
		{flag: "-mfrobnicate", note: "not known to matter: -mfrobnicate"},
	} {
		got, err := translate(".", []string{"gcc", "-O2", c.flag, "-c", "a.c"})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error %v", c.flag, err)
			}
			continue
		}
		if err != nil || strings.Join(got.flags, " ") != c.kept || !strings.Contains(strings.Join(got.notes, "\n"),
			c.note) ||
			(c.note == "") != (len(got.notes) == 0) {
			t.Errorf("%s: flags %q, notes %q, %v", c.flag, got.flags, got.notes, err)
		}
	}
}

// TestABIAskedOnce: units whose calls differ only in what no layout depends on have the same answers.
func TestABIAskedOnce(t *testing.T) {
	asked := func(calls ...string) int {
		dir := t.TempDir()
		tool, log := filepath.Join(dir, "vendor-gcc"), filepath.Join(dir, "log")
		script := "#!/bin/sh\necho asked >>" + log + "\nexec " + llvmtest.Tools(t).Clang + " --target=thumbv7m-none-eabi \"$@\"\n"
		if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		b := builderFor(t, "cortex-m3")
		for _, c := range calls {
			b.specs = append(b.specs, unitSpec{tool: append([]string{tool}, strings.Fields(c)...)})
		}
		if err := b.adoptABI(context.Background()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "asked")
	}
	one := asked("-mthumb -c a.c -o a.o")
	if n := asked("-mthumb -c a.c -o a.o", "-DX=1 -mthumb -MF b.d -c b.c -o b.o"); n != one {
		t.Errorf("asked %d times about two units of one ABI, %d times about one", n, one)
	}
	if n := asked("-mthumb -c a.c -o a.o", "-mthumb -fshort-enums -c b.c -o b.o"); n != 2*one {
		t.Errorf("asked %d times about two ABIs, %d times about one", n, one)
	}
}
