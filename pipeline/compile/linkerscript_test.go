package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/targets"
)

const stmScript = `/* a script
   as chip vendors ship them */
ENTRY(Reset_Handler)
_Min_Stack_Size = 0x400;
MEMORY
{
  RAM (xrw)      : ORIGIN = 0x20000000, LENGTH = 20K
  FLASH (rx)     : ORIGIN = 0x8000000 + 4K, LENGTH = (64 - 4) * 1K
  CCM            : org = 0x10000000, len = 0x1000
}
_estack = ORIGIN(RAM) + LENGTH(RAM);
PROVIDE(_stack_limit = _estack - _Min_Stack_Size);
SECTIONS
{
  .isr_vector : { . = ALIGN(4); KEEP(*(.isr_vector)) } >FLASH
  .bss : {
    __bss_start__ = .;
    *(.bss) *(COMMON)
    PROVIDE_HIDDEN(__bss_end__ = .);
    _sdata = LOADADDR(.data);
  } >RAM
}
`

func TestScript(t *testing.T) {
	s, _, err := parseScript(stmScript, noInclude)
	if err != nil {
		t.Fatal(err)
	}
	want := []targets.Region{
		{Name: "FLASH", Base: 0x8001000, Size: 60 << 10, Access: targets.ROM},
		{Name: "CCM", Base: 0x10000000, Size: 0x1000, Access: targets.RAM},
		{Name: "RAM", Base: 0x20000000, Size: 20 << 10, Access: targets.RAM},
	}
	if len(s.memory) != 3 || s.memory[0] != want[0] || s.memory[1] != want[1] || s.memory[2] != want[2] {
		t.Errorf("%+v", s.memory)
	}
	values := map[string]uint64{}
	var placed []string
	for _, y := range s.symbols {
		if y.Placed {
			placed = append(placed, y.Name)
		} else {
			values[y.Name] = y.Addr
		}
	}
	if len(values) != 3 || values["_estack"] != 0x20005000 || values["_stack_limit"] != 0x20004c00 {
		t.Errorf("%x", values)
	}
	if got := strings.Join(placed, " "); got != "__bss_start__ __bss_end__ _sdata" {
		t.Errorf("placed: %s", got)
	}
}

func TestScriptErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		line       int
	}{
		{"/* x", "comment that is not closed", 1},
		{"MEMORY {\n RAM : ORIGIN = foo, LENGTH = 1\n}", "ORIGIN is not a number", 2},
		{"MEMORY {\n RAM ORIGIN = 0", "expected `:`", 2},
		{"MEMORY { RAM (rw", "not closed", 1},
		{"MEMORY { RAM : ORIGIN = 1/0, LENGTH = 1 }", "ORIGIN", 1},
		{"MEMORY {", "MEMORY is not closed", 1},
	} {
		_, line, err := parseScript(c.text, noInclude)
		if err == nil || !strings.Contains(err.Error(), c.want) || line != c.line {
			t.Errorf("%q: line %d: %v, want %s", c.text, line, err, c.want)
		}
	}
}

func TestScriptInProject(t *testing.T) {
	dir := tree(t, map[string]string{"a.c": "int main(void) { return 0; }\n", "app.ld": stmScript})
	m := parse(t, "build: {sources: [a.c], linker_script: app.ld}\nmemory_map: [{name: shared, base: 0x20004000, size: 4K, access: volatile}]\n")
	img, err := Project(context.Background(), dir, m, load(t, "cortex-m3"), Options{WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range img.Memory {
		got = append(got, r.Name+"/"+r.Access.String())
	}
	if s := strings.Join(got,
		" "); s != "FLASH/rom CCM/ram RAM/ram shared/volatile peripherals/volatile ppb/volatile" ||
		img.Memory[2].Size != 16<<10 || len(img.Symbols) != 6 {
		t.Errorf("%s %+v", s, img.Memory)
	}
	if img, err = Project(context.Background(), dir, m, load(t, "x86_64"),
		Options{WorkDir: t.TempDir()}); err != nil || len(img.Memory) != 1 || len(img.Symbols) != 0 {
		t.Errorf("hosted: %v", err)
	}
}

func FuzzScript(f *testing.F) {
	f.Add(stmScript)
	f.Add("MEMORY{a(rx!w):o=0,l=~0}b=((((1))))<<70;")
	f.Fuzz(func(t *testing.T, s string) {
		sc, line, err := parseScript(s, noInclude)
		if err != nil && line < 1 {
			t.Fatalf("line %d for %v", line, err)
		}
		for _, r := range sc.memory {
			if r.Size == 0 || r.Access == targets.InvalidAccess {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func noInclude(name string) (string, error) { return "", errors.New("no such file") }

// TestScriptInclude: INCLUDE is followed where it stands, quoted words are no command,
// and a script that includes itself is an error on its line.
func TestScriptInclude(t *testing.T) {
	files := map[string]string{"boards/memory.ld": "FLASH (rx) : ORIGIN = 0x1000, LENGTH = 1K\n",
		"sizes.ld": "_heap = 0x40;\n/* INCLUDE x */\n", "self.ld": "INCLUDE self.ld\n"}
	include := func(name string) (string, error) {
		if text, ok := files[name]; ok {
			return text, nil
		}
		return "", errors.New("INCLUDE " + name + ": no such file")
	}
	s, _, err := parseScript(
		"MEMORY {\n INCLUDE boards/memory.ld\n RAM (rw) : ORIGIN = 0x8000, LENGTH = 2K }\nINCLUDE \"sizes.ld\";\n_end = _heap + ORIGIN(FLASH);\n", include)
	if err != nil || len(s.memory) != 2 || s.memory[0].Name != "FLASH" || s.memory[0].Access != targets.ROM ||
		len(s.symbols) != 2 || s.symbols[1].Addr != 0x1040 {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{"\nINCLUDE none.ld\n": "none.ld: no such file",
		"\nINCLUDE self.ld\n": "include itself"} {
		if _, line, err := parseScript(text, include); err == nil || line != 2 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: line %d, %v", text, line, err)
		}
	}
}

// TestNaked: a function with the attribute naked may hold C, as for GCC.
func TestNaked(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.c": "void run(int);\n__attribute__((naked)) void reset(void) { __asm volatile(\"nop\"); run(1); }\nint main(void) { return 0; }\n"})
	img, err := Files(context.Background(), []string{filepath.Join(dir, "a.c")}, load(t, "cortex-m3"),
		Options{WorkDir: t.TempDir(), Entries: []string{"main", "reset"}})
	if err != nil {
		t.Fatal(err)
	}
	if ir := read(t, img.IRPath); !strings.Contains(ir, "call void @run(i32 noundef 1)") {
		t.Errorf("no call in\n%s", ir)
	}
}

// TestStatusClobber: assembly that says to change the flags of floating point, as that of old CMSIS, compiles, at the
// places of the source; another string of that text is left alone.
func TestStatusClobber(t *testing.T) {
	dir := tree(t, map[string]string{"a.c": `#define SET __asm volatile
void set(unsigned v) { SET("VMSR fpscr, %0" : : "r" (v) : "vfpcc", "memory"); }
const char *name(void) { return *"x" ? "vfpcc" : "no"; }
int main(void) { return 1 << name()[0]; }
`})
	img, err := Files(context.Background(), []string{filepath.Join(dir, "a.c")}, load(t, "cortex-m4f"),
		Options{WorkDir: t.TempDir(), Entries: []string{"main", "set"}})
	if err != nil {
		t.Fatal(err)
	}
	ir := read(t, img.IRPath)
	for _, want := range []string{"~{cc},~{memory}", `c"vfpcc\00"`, "!DILocation(line: 4, column: 27",
		`!DIFile(filename: "` + filepath.Join(dir, "a.c")} {
		if !strings.Contains(ir, want) {
			t.Errorf("no %s in\n%s", want, ir)
		}
	}
}

// TestScriptOfAVR: of a script for AVR, the data count, without the linker's offset, and devices stay where they are.
func TestScriptOfAVR(t *testing.T) {
	dir := t.TempDir()
	const script = "MEMORY {\n text (rx) : ORIGIN = 0, LENGTH = 8K\n data (rw!x) : ORIGIN = 0x800060, LENGTH = 0x200\n" +
		" eeprom (rw!x) : ORIGIN = 0x810000, LENGTH = 64K\n}\nSECTIONS { }\n"
	if err := os.WriteFile(filepath.Join(dir, "a.ld"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	tgt := load(t, "avr")
	b := &builder{dir: dir, img: &Image{Target: tgt, Memory: tgt.Memory}}
	if err := b.linkerScript("a.ld"); err != nil {
		t.Fatal(err)
	}
	var ram uint64
	for _, r := range b.img.Memory {
		if r.Name == "data" {
			ram += r.Size
			if r.Base < 0x60 || r.Base+r.Size > 0x260 {
				t.Errorf("%+v", r)
			}
		}
		if r.Name == "text" || r.Name == "eeprom" {
			t.Errorf("%+v is no data", r)
		}
	}
	if ram == 0 || len(b.img.Memory) < 2 {
		t.Errorf("%+v", b.img.Memory)
	}
}
