package compile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScriptInProject(t *testing.T) {
	script, err := os.ReadFile("linkerscript/testdata/stm.ld")
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, map[string]string{"a.c": "int main(void) { return 0; }\n", "app.ld": string(script)})
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
