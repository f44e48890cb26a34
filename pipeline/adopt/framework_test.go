package adopt

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree writes files below a folder and looks at it.
func tree(t *testing.T, files map[string]string) *Survey {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Look(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFrameworks: which target a tree is for, and which command of its framework is asked for; libraries have none, and
// examples alone say nothing.
func TestFrameworks(t *testing.T) {
	const component = "idf_component_register(SRCS a.c)\n"
	for name, c := range map[string]struct {
		files         map[string]string
		target, asked string
	}{
		"project of ESP-IDF below": {map[string]string{
			"app/CMakeLists.txt":      "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\n",
			"app/main/CMakeLists.txt": component}, "riscv32", "idf.py -C app build"},
		"component of ESP-IDF": {map[string]string{"CMakeLists.txt": component}, "riscv32",
			"a library for ESP-IDF (CMakeLists.txt)"},
		"Zephyr": {map[string]string{"CMakeLists.txt": "find_package(Zephyr REQUIRED)\n"}, "cortex-m3",
			"west build -b native_sim ."},
		"library of Zephyr": {map[string]string{"lib/CMakeLists.txt": "zephyr_library()\n"}, "cortex-m3",
			"a library for Zephyr"},
		"sketch": {map[string]string{"blink/blink.ino": ""}, "cortex-m0", "arduino-cli compile blink"},
		"library of Arduino": {map[string]string{"library.properties": "name=x\narchitectures=*\n"}, "cortex-m0",
			"a library for Arduino"},
		"library for AVR": {map[string]string{"library.properties": "name=x\narchitectures=avr\n"}, "avr",
			"a library for Arduino"},
		"board of a sketch": {map[string]string{"b/b.ino": "", "b/sketch.yaml": "default_fqbn: arduino:avr:uno\n"}, "avr",
			"compile b"},
		"a compiler is named": {map[string]string{"x/x.ino": "", "Makefile": "CC = arm-none-eabi-gcc -mcpu=cortex-m4\n"},
			"cortex-m4", "arduino-cli compile x"},
		"examples alone": {map[string]string{"examples/x/x.ino": ""}, "host", ""},
		"plain CMake":    {map[string]string{"CMakeLists.txt": "project(x C)\n"}, "host", "cmake"},
	} {
		s := tree(t, c.files)
		if target, _ := s.target(); target != c.target {
			t.Errorf("%s: target %s, want %s", name, target, c.target)
		}
		if installed("cmake") && c.asked == "cmake" {
			continue
		}
		_, asked := s.ways()
		want := 1
		if c.asked == "" {
			want = 0
		}
		if len(asked) != want || want == 1 && !strings.Contains(asked[0], c.asked) {
			t.Errorf("%s: asked %q, want %q", name, asked, c.asked)
		}
	}
}

// TestSettings: macros are those that the C files use, by values before defaults, and none under a condition.
func TestSettings(t *testing.T) {
	s := tree(t, map[string]string{
		"a.c": "int a = CONFIG_A + CONFIG_B + CONFIG_C + CONFIG_D + CONFIG_E + CONFIG_F + CONFIG_G + CONFIG_H " +
			"+ CONFIG_I + CONFIG_J;\n#ifdef CONFIG_OFF\n#endif\n",
		"a.h":                 "char *s = CONFIG_S CONFIG_T;\n",
		"prj.conf":            "CONFIG_A=y\nCONFIG_B=0x10\n# CONFIG_OFF is not set\nCONFIG_UNUSED=1\nCONFIG_D=n\n",
		"examples/x/prj.conf": "CONFIG_C=9\n",
		"Kconfig": `config B
	int
	default 3
menuconfig C
	int "how many"
	depends on A
	default 1 # one
	default 2 if X
config OFF
	bool "off"
	default y
config E
	bool
	default y
	depends on A
config F
	bool
	default y
if A
config G
	bool
	default y
config H
	hex
	default 0x20
endif
config I
	int
	default 5 if A
	default 6
config J
	int
	default A
config S
	string
	default "a b"
config T
	string
	default "$(X)"
`})
	want := []string{"CONFIG_A=1", "CONFIG_B=0x10", "CONFIG_C=1", "CONFIG_F=1", "CONFIG_H=0x20", `CONFIG_S="a b"`}
	if got := s.settings(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTargetOfHeaders: without a build file, the target is the one whose headers most C files include, or that has the
// interrupt handlers, unless other files need an operating system.
func TestTargetOfHeaders(t *testing.T) {
	const device, plain = "#include <avr/io.h>\nint main(void) { return PINB; }\n", "int f(void) { return 1; }\n"
	const handler = "void UART0_IRQHandler(void) {\n}\n"
	for want, files := range map[string]map[string]string{
		"avr":        {"main.c": device, "ring.c": plain},
		"msp430":     {"main.c": "  #  include \"msp430g2553.h\"\n"},
		"host":       {"port/avr.c": device, "ring.c": plain, "list.c": plain},
		"cortex-m0":  {"main.c": "#include \"core_cm0plus.h\"\n"},
		"cortex-m4":  {"main.c": "#include <stm32f4xx.h>\n", "ring.c": plain},
		"cortex-m3":  {"uart.c": handler, "ring.c": plain, "list.c": plain},
		"cortex-m33": {"uart.c": handler, "a.c": "#include \"nrf/nRF9160.h\"\n", "b.c": plain, "c.c": plain},
	} {
		if got, why := tree(t, files).target(); got != want {
			t.Errorf("%s, %s; want %s", got, why, want)
		}
	}
}

// TestTargetBesideHandlers: where a tree has handlers of a Cortex-M beside files for another chip, the target and the
// reason are those of which there is more.
func TestTargetBesideHandlers(t *testing.T) {
	const handler, chip = "void UART0_IRQHandler(void) {\n}\n", "#include <avr/io.h>\n"
	plain := map[string]string{"a.c": "int f(void);\n", "b.c": "int g(void);\n", "c.c": "int h(void);\n", "u.c": handler}
	const cortex = "cortex-m3: interrupt handlers"
	for n, want := range []string{cortex, cortex, "avr: more of the C files"} {
		files := maps.Clone(plain)
		for i := range n {
			files[fmt.Sprintf("avr%d.c", i)] = chip
		}
		if target, why := tree(t, files).target(); !strings.HasPrefix(target+": "+why, want) {
			t.Errorf("%d files for another chip: %s: %s; want %s", n, target, why, want)
		}
	}
}

// TestNoTargetOfHandlers: handlers that are declared, called, or in an example, and those beside code for POSIX, say
// nothing.
func TestNoTargetOfHandlers(t *testing.T) {
	const handler = "void UART0_IRQHandler(void) {\n}\n"
	for name, files := range map[string]map[string]string{
		"declared": {"a.c": "void UART0_IRQHandler(void);\nint f(void) { UART0_IRQHandler(); return 1; }\n"},
		"example":  {"a.c": "int f(void) { return 1; }\n", "examples/uart.c": handler},
		"posix":    {"uart.c": handler, "a.c": "#include <unistd.h>\n", "b.c": "int g(void) { return 2; }\n"},
	} {
		if got, why := tree(t, files).target(); got != "host" {
			t.Errorf("%s: %s, %s; want host", name, got, why)
		}
	}
}
