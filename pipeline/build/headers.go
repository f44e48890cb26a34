package build

import (
	_ "embed"
	"os"
	"path/filepath"
)

//go:embed include/firmproof.h
var firmproofHeader []byte

//go:embed include/override/assert.h
var assertHeader []byte

// Header returns the text of firmproof.h.
func Header() []byte { return append([]byte(nil), firmproofHeader...) }

// WriteHeaders writes firmproof.h into dir, and assert.h into dir/override, which
// goes on the include path only for targets that need it.
func WriteHeaders(dir string) error {
	over := filepath.Join(dir, "override")
	if err := os.MkdirAll(over, 0o755); err != nil {
		return err
	}
	if err := writeAtomic(filepath.Join(dir, "firmproof.h"), firmproofHeader); err != nil {
		return err
	}
	return writeAtomic(filepath.Join(over, "assert.h"), assertHeader)
}

// writeAtomic writes a file so that others see it whole or not at all.
func writeAtomic(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
