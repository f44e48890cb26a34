package compile

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

//go:embed include/cxx/bits/c++config.h
var cxxConfig []byte

//go:embed include/cxx/ext/atomicity.h
var cxxCounts []byte

// Header returns the text of firmproof.h.
func Header() []byte { return append([]byte(nil), firmproofHeader...) }

// WriteHeaders writes firmproof.h and stdatomic.h into dir, assert.h into dir/override, which goes on the include path
// only for targets that need it, and what stands before libstdc++'s headers into dir/cxx.
func WriteHeaders(dir string) error {
	for name, text := range map[string][]byte{"firmproof.h": firmproofHeader, "stdatomic.h": atomicHeader,
		"override/assert.h": assertHeader, "cxx/bits/c++config.h": cxxConfig,
		"cxx/ext/atomicity.h": cxxCounts} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := files.Write(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
