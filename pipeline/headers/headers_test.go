package headers

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// treeOf writes files below a folder, whose tree it returns.
func treeOf(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := NewTree(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestSearch: folders are found for includes of includes, near ones before those aside; paths with
// steps up, and headers that nobody has.
func TestSearch(t *testing.T) {
	tree := treeOf(t, map[string]string{
		"src/a.c":                   "#include \"near.h\"\n#include <lib/x.h>\n#include <stdio.h>\n# include \"config.h\"\n",
		"src/near.h":                "#include \"deep.h\"\n#include \"none.h\"\n",
		"core/inc/deep.h":           "",
		"include/lib/x.h":           "",
		"test/lib/x.h":              "",
		"examples/board/config.h":   "#include \"../logging/levels.h\"\n",
		"examples/logging/levels.h": "",
		"test/port/stdio.h":         "",
	})
	s := NewSearch(tree, nil, func(name string) bool { return name == "stdio.h" })
	s.Add("src/a.c")
	if want := []string{"core/inc", "include", "examples/board"}; !slices.Equal(s.Dirs, want) {
		t.Errorf("folders %q, want %q", s.Dirs, want)
	}
	if len(s.Missing) != 1 || s.Missing[0] != (Missing{"none.h", "src/near.h"}) {
		t.Errorf("missing %v", s.Missing)
	}
	if found, dirs := tree.Folders("src/a.c", "../logging/levels.h"); len(found) != 1 || dirs[0] != "examples/logging" {
		t.Errorf("steps up: %q in %q", found, dirs)
	}
}

// TestSearchComplete: of headers of one name, the one that includes what is there comes before a nearer one that does not.
func TestSearchComplete(t *testing.T) {
	tree := treeOf(t, map[string]string{
		"src/a.c":                   "#include \"options.h\"\n#include \"other.h\"\n",
		"dev/options.h":             "#include \"windows.h\"\n",
		"lib/deep/inc/options.h":    "#include <stdio.h>\n#include \"types.h\"\n",
		"lib/deep/inc/types.h":      "",
		"near/other.h":              "#include \"none.h\"\n",
		"lib/far/further/x/other.h": "#include \"none.h\"\n",
	})
	s := NewSearch(tree, nil, func(name string) bool { return name == "stdio.h" })
	s.Add("src/a.c")
	if want := []string{"lib/deep/inc", "near"}; !slices.Equal(s.Dirs, want) {
		t.Errorf("folders %q, want %q", s.Dirs, want)
	}
}

// TestAside: names of tests, examples and other people's code, and names that only look like it.
func TestAside(t *testing.T) {
	for name, want := range map[string]bool{"test": true, "src/unit_test.c": true, "examples/a": true,
		"third_party": true,
		"test_ring":   true, "fuzzing": true, "latest": false, "src/attestation": false, "contest": false,
		"protester.c": false, "portable": false} {
		if got := Aside.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestPackaged: folders and files of makers' packages, and files of a project's own whose names only look like it.
func TestPackaged(t *testing.T) {
	for file, want := range map[string]bool{"Drivers/STM32F4xx_HAL_Driver/Src/a.c": true, "Drivers/CMSIS/a.c": true,
		"FWLIB/src/a.c": true, "Libraries/STM32F10x_StdPeriph_Driver/src/a.c": true, "Drivers/hal.c": false,
		"Src/hal_driver.c": false, "cmsis.c": false, "lib/a.c": false, "src/hal/a.c": false,
		"hal/src/stm32f4xx_hal_adc.c": true, "hal/stm32g0xx_ll_utils.c": true, "spl/stm32f10x_gpio.c": true,
		"gd32f30x_rcu.c": true, "drivers/fsl_lpuart.c": true, "nrfx_twim.c": true, "Core/Src/stm32f4xx_hal_msp.c": false,
		"Core/Src/stm32f4xx_hal_timebase_tim.c": false, "Src/stm32f4xx_it.c": false, "src/stm32_app.c": false,
		"src/hal_adc.c": false, "src/myfsl_x.c": false} {
		if got := Packaged(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// TestProvider: headers of frameworks and chips, and names that only look like them.
func TestProvider(t *testing.T) {
	for name, want := range map[string]string{"zephyr/kernel.h": "Zephyr", "freertos/FreeRTOS.h": "ESP-IDF",
		"esp_log.h": "ESP-IDF", "Arduino.h": "the Arduino core of the board", "core_cm4.h": "CMSIS",
		"core_config.h": "", "FreeRTOS.h": "the FreeRTOS kernel", "stm32f4xx_hal.h": "STM32Cube or StdPeriph",
		"nrf_gpio.h": "the nRF SDK", "nrfile.h": "",
		"intrinsics.h": "IAR's compiler", "iostm8s003f3.h": "IAR's compiler", "iolib.h": "",
		"msp430f5529.h": "TI's compiler or device package", "my/driver/x.h": "", "vendor.h": "",
		"windows.h": "Windows", "windows_list.h": ""} {
		if got, _ := Provider(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestSearchCase: an inclusion finds a header where only case and backslashes differ, after those of its own name and
// those of the system.
func TestSearchCase(t *testing.T) {
	tree := treeOf(t, map[string]string{
		"src/a.c":         "#include \"drv\\Uart.H\"\n#include <time.h>\n#include \"both.h\"\n#include \"NEAR.h\"\n",
		"src/near.h":      "",
		"lib/Drv/uart.h":  "#include \"..\\CFG.h\"\n",
		"lib/cfg.h":       "#include \"deep.h\"\n",
		"inc/deep/deep.h": "",
		"other/Time.h":    "#include \"none.h\"\n",
		"a/Both.h":        "",
		"z/both.h":        "",
	})
	s := NewSearch(tree, nil, func(name string) bool { return name == "time.h" })
	s.Add("src/a.c")
	if want := []string{"lib", "inc/deep", "z"}; !slices.Equal(s.Dirs, want) || len(s.Missing) > 0 {
		t.Errorf("folders %q, want %q; missing %v", s.Dirs, want, s.Missing)
	}
}
