package build

import (
	_ "embed"
	"os"
	"path/filepath"

	"github.com/firmproof/firmproof/pipeline/files"
)

//go:embed include/firmproof.h
var firmproofHeader []byte

//go:embed include/override/assert.h
var assertHeader []byte

//go:embed include/stdatomic.h
var atomicHeader []byte

// Header returns the text of firmproof.h.
func Header() []byte { return append([]byte(nil), firmproofHeader...) }

// WriteHeaders writes firmproof.h and stdatomic.h into dir, and assert.h into dir/override, which
// goes on the include path only for targets that need it.
func WriteHeaders(dir string) error {
	over := filepath.Join(dir, "override")
	if err := os.MkdirAll(over, 0o755); err != nil {
		return err
	}
	if err := files.Write(filepath.Join(dir, "firmproof.h"), firmproofHeader, 0o644); err != nil {
		return err
	}
	if err := files.Write(filepath.Join(dir, "stdatomic.h"), atomicHeader, 0o644); err != nil {
		return err
	}
	return files.Write(filepath.Join(over, "assert.h"), assertHeader, 0o644)
}
