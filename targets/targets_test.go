package targets

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets/strict"
)

func TestNames(t *testing.T) {
	have := " " + strings.Join(Names(), " ") + " "
	for _, n := range strings.Fields(
		"host cortex-m0 cortex-m3 cortex-m4 cortex-m4f cortex-m7 cortex-m33 cortex-r5 cortex-r5-be cortex-a53 arm-linux i386 i386-none x86_64 riscv32 riscv64 avr msp430 mips32-be") {
		if !strings.Contains(have, " "+n+" ") {
			t.Errorf("no target %s", n)
		}
	}
	if Names()[0] != "host" {
		t.Error("host is not first")
	}
}

func TestUnknown(t *testing.T) {
	_, err := Load("cortexm3")
	var u *UnknownError
	if !errors.As(err, &u) || u.Nearest != "cortex-m3" {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"", "../target", "data/avr", "avr.yaml"} {
		if _, err := Load(bad); err == nil {
			t.Errorf("Load(%q) found something", bad)
		}
	}
}

func TestHost(t *testing.T) {
	h, err := host("amd64")
	if err != nil || h.Name != "host" || h.Alias != "x86_64" || h.PointerBits != 64 {
		t.Errorf("%+v %v", h, err)
	}
	if a, err := host("arm64"); err != nil || a.Alias != "aarch64" || a.CharSigned {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := host("wasm"); err == nil {
		t.Error("a wasm host was found")
	}
}

// TestPrintRoundTrip: what `firmproof targets NAME` prints is a target file.
func TestPrintRoundTrip(t *testing.T) {
	for _, name := range Names()[1:] {
		want, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := want.Print(&b); err != nil {
			t.Fatal(err)
		}
		got, err := Parse(b.Bytes())
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, b.String())
			continue
		}
		var again bytes.Buffer
		_ = got.Print(&again)
		if again.String() != b.String() {
			t.Errorf("%s changed:\n%s\n%s", name, b.String(), again.String())
		}
		if !reflect.DeepEqual(got.Memory, want.Memory) || !reflect.DeepEqual(got.Run, want.Run) ||
			!reflect.DeepEqual(got.Types, want.Types) {
			t.Errorf("%s: parts differ", name)
		}
		if want.StackSize == 0 || want.Hosted != (len(want.Memory) == 0) || want.Hosted != want.Leak {
			t.Errorf("%s: stack, memory map or leak is not as hosted=%v says", name, want.Hosted)
		}
	}
}

func TestExtends(t *testing.T) {
	got, err := Parse([]byte(
		"name: board\nextends: cortex-m3\ndefines: [STM32F1]\nstack_size: 1K\nmemory_map:\n- {name: sram, base: 0x20000000, size: 20K, access: ram}\n- {name: flash, base: 0x08000000, size: 64K, access: rom}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "board" || got.Triple != "thumbv7m-none-eabi" || got.StackSize != 1024 || len(got.Memory) != 2 ||
		got.Memory[0].Name != "flash" {
		t.Errorf("%+v", got)
	}
	if f := strings.Join(got.Flags(), " "); !strings.Contains(f, "-DSTM32F1") ||
		!strings.Contains(f, "-mcpu=cortex-m3") {
		t.Error(f)
	}
}

// TestProblems: each mistake is named with its place and what was meant.
func TestProblems(t *testing.T) {
	cases := []struct{ yaml, want string }{
		{"name: b\nextend: cortex-m3\n", "2:1: unknown key `extend`, did you mean `extends`?"},
		{"name: b\nextends: cortex-m9\n", "2:10: unknown target `cortex-m9`, did you mean `cortex-m"},
		{"name: b\n", "1:1: the document needs the key `triple`"},
		{"name: b\nextends: avr\npointer_bits: sixteen\n",
			"3:15: `pointer_bits` must be a whole number, not `sixteen`"},
		{"name: b\nextends: avr\nendian: midle\n", "3:9: `endian` cannot be `midle`, did you mean `little`?"},
		{"name: b\nextends: avr\nendian: big\n", "does not agree with the data layout"},
		{"name: b\nextends: avr\nstack_size: 0\n", "3:13: `stack_size` is 0"},
		{"name: b\nextends: avr\nmemory_map: [{name: x, base: 0xfff0, size: 0x20, access: ram}]\n",
			"ends above the target's 16-bit address space"},
		{"name: b\nextends: i386\nmemory_map: [{name: x, base: 0, size: 16, access: ram}, {name: y, base: 15, size: 2, access: ram}]\n", "`y` overlaps `x`"},
		{"name: b\nextends: i386\nmemory_map: [{name: x, base: 0, size: 0, access: ram}]\n", "has size 0"},
		{"name: b\nextends: i386\nmemory_map: [{name: x, base: 0, size: 1, access: rw}]\n",
			"`memory_map[0].access` cannot be `rw`"},
		{"name: b\nextends: i386\nmemory_map: [{name: x, base: 0xffffffffffffffff, size: 2, access: ram}]\n",
			"past the end of a 64-bit address space"},
		{"name: b\nextends: i386\nrun: {kind: qemu}\n", "`run` needs the key `machine`"},
		{"name: b\nextends: i386\ntypes: {int: {size: 4, align: 3}}\n", "power of two"},
		{"name: a b\nextends: i386\n", "cannot be the name of a target"},
		{"- 1\n", "the document must be a map, not a list"},
		{"", "the file is empty"},
		{"a: [\n", "this is no YAML"},
		{"name: b\nextends: i386\nname: c\n", "3:1: key `name` is given twice, first on line 1"},
		{"name: 010\nextends: i386\n", "`name` must be text, not the number 010, write it in quotes"},
		{"name: b\nextends: i386\nstack_size: 010\n", "must be a whole number"},
	}
	for _, c := range cases {
		_, err := Parse([]byte(c.yaml))
		var se *strict.Error
		if !errors.As(err, &se) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %s", c.yaml, err, c.want)
		}
	}
}

func TestCXXHeaderDirs(t *testing.T) {
	root := t.TempDir()
	for _, d := range []string{"c++/9/bits", "c++/12.2.1/bits", "c++/12.2.1/arm", "c++/9/arm", "c++/13"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tgt := Target{CXXHeaders: []string{root + "/none/*", root + "/c++/*:" + root + "/c++/*/arm"}}
	dirs, ok := tgt.CXXHeaderDirs()
	if want := root + "/c++/12.2.1 " + root + "/c++/12.2.1/arm"; !ok || strings.Join(dirs, " ") != want {
		t.Errorf("got %q, want the newest version that is whole, %s", dirs, want)
	}
	tgt.CXXHeaders = tgt.CXXHeaders[:1]
	if dirs, ok := tgt.CXXHeaderDirs(); ok {
		t.Errorf("got %q", dirs)
	}
}

func TestHeaderDirs(t *testing.T) {
	tgt := Target{Headers: []string{"/a:/b", "/c"}}
	for _, c := range []struct {
		exist, want string
		ok          bool
	}{{"/a /b /c", "/a /b", true}, {"/a /c", "/c", true}, {"/a", "", false}} {
		dirs, ok := tgt.headerDirs(func(d string) bool { return strings.Contains(" "+c.exist+" ", " "+d+" ") })
		if strings.Join(dirs, " ") != c.want || ok != c.ok {
			t.Errorf("%s: %v %v", c.exist, dirs, ok)
		}
	}
	if dirs, ok := (Target{Headers: []string{"/a", Freestanding}}).headerDirs(func(string) bool { return false }); len(
		dirs) != 0 || !ok {
		t.Error("freestanding is not the last resort")
	}
}
