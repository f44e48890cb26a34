package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWindowsNames: inclusions with backslashes and in another case find their headers, with sources and with a recorded
// build, from the cache too; a changed header is seen, and one that is not there is an error with its name.
func TestWindowsNames(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"src/Main.c": "#include \"..\\Cfg.h\"\n#include \"Drv\\UART.h\"\nint main(void) { return limit(2); }\n",
		"inc/drv/uart.h": "#pragma once\n#include \"Types.H\"\nstatic inline int limit(word n) {\n" +
			"  return 10 / (n - OFF);\n}\n",
		"inc/drv/types.h": "#pragma once\ntypedef int word;\n",
		"cfg.h":           "#define OFF 1\n",
		".firmproof.yml": "version: 1\ntargets: [cortex-m3]\nbuild: {sources: [src/Main.c], include: [inc]}\n" +
			"harnesses: [{entry: main}]\n",
	})
	check := func(code int, want string) {
		t.Helper()
		var out bytes.Buffer
		if got := runWith([]string{"check", dir}, &out, &out); got != code || !strings.Contains(out.String(), want) {
			t.Errorf("exit status %d, want %d with %q:\n%s", got, code, want, &out)
		}
	}
	for range 2 {
		check(0, "inc/drv/uart.h only where case and backslashes do not matter")
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("cfg.h", "#define OFF 2\n")
	check(1, "inc/drv/uart.h:4:")
	write("cfg.h", "#define OFF 1\n")
	write("compile_commands.json", `[{"directory": "`+dir+`", "file": "src/Main.c",
		"command": "arm-none-eabi-gcc -Iinc -c src/Main.c"}]`)
	write(".firmproof.yml", "version: 1\ntargets: [cortex-m3]\nbuild: {compile_commands: compile_commands.json}\n"+
		"harnesses: [{entry: main}]\n")
	check(0, "as on Windows")
	write("inc/drv/types.h", "#include \"Sub\\none.h\"\n")
	check(2, `'Sub\none.h' file not found`)
}
