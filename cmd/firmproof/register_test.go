package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

// TestRegisterInCode: a write where the target has its code is often one to a register of another chip, which is said.
func TestRegisterInCode(t *testing.T) {
	for address, said := range map[string]bool{"0x01c20000": true, "0x20000000": false} {
		dir := writeTree(t, map[string]string{"src.c": "void set(void) { *(volatile unsigned *)" + address + " = 1; }\n"})
		var out bytes.Buffer
		runWith([]string{"check", filepath.Join(dir, "src.c"), "--target", "cortex-m3", "--function", "set"}, &out, &out)
		if got := bytes.Contains(out.Bytes(), []byte("target cortex-m3 has read-only memory there")); got != said {
			t.Errorf("%s: %v\n%s", address, got, out.String())
		}
	}
}
