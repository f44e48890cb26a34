package certificate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/firmproof/firmproof/verifier/ir"
	"github.com/firmproof/firmproof/verifier/problem"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// Names of the files in the folder.
const (
	IndexFile       = "certificates.json"
	CertificateFile = "certificate.json"
	ProgramFile     = "program"
)

// Index is the file that names the entries of a folder.
type Index struct {
	Format  int          `json:"format"`
	Tool    verdict.Tool `json:"tool"`
	Entries []string     `json:"entries"` // folders, in the order of the report
}

// FileError is a fault of the folder: a file that is missing, cut or none of ours. It says nothing about the program.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns the fault.
func (e *FileError) Unwrap() error { return e.Err }

func fault(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &FileError{path, err}
}

// FolderOf names the folder of an entry on a target, so that a file system takes it.
func FolderOf(target, entry string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '_'
	}, target+"-"+entry)
}

// Stored returns the part of m that the plan's entry reaches as it comes back from a file, and its bytes: certificates
// are about that.
func Stored(m *ir.Module, plan problem.Plan) (*ir.Module, []byte, error) {
	entry := m.Func(plan.Entry)
	if entry == nil || entry.IsDecl() {
		return nil, nil, fmt.Errorf("there is no function %q", plan.Entry)
	}
	named := m.Part(entry)
	named.Name = filepath.Base(m.Name) // it was made in a folder of its own: the same program has the same bytes
	var b bytes.Buffer
	if err := named.Encode(&b); err != nil {
		return nil, nil, err
	}
	part, err := ir.Decode(b.Bytes())
	return part, b.Bytes(), err
}

// Write makes the certificate of an answer about a program that Stored gave, in a folder.
func Write(ctx context.Context, dir string, tool verdict.Tool, part *ir.Module, text []byte, plan problem.Plan,
	res *verdict.Result) (*Certificate, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c := Make(ctx, part, plan, res, func(file string) string { return filepath.Join(dir, file) })
	sum := sha256.Sum256(text)
	c.Tool, c.Program = tool, hex.EncodeToString(sum[:])
	if err := os.WriteFile(filepath.Join(dir, ProgramFile), text, 0o644); err != nil {
		return nil, err
	}
	return c, writeJSON(filepath.Join(dir, CertificateFile), c)
}

// WriteIndex names the entries of a folder.
func WriteIndex(dir string, tool verdict.Tool, entries []string) error {
	return writeJSON(filepath.Join(dir, IndexFile), Index{Format: Format, Tool: tool, Entries: entries})
}

func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fault(path, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file is cut")
		}
		return fault(path, err)
	}
	return nil
}

func formatFault(path string, format int) error {
	if format == Format {
		return nil
	}
	return fault(path, fmt.Errorf("format %d, this firmproof reads %d", format, Format))
}

// ReadIndex reads which entries a folder has.
func ReadIndex(dir string) (*Index, error) {
	var x Index
	path := filepath.Join(dir, IndexFile)
	if err := readJSON(path, &x); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(x.Entries, func(e string) bool { return e != filepath.Base(e) || e == ".." }); i >= 0 {
		return nil, fault(path, fmt.Errorf("%q is no folder beside it", x.Entries[i]))
	}
	return &x, formatFault(path, x.Format)
}

// Verify reads the certificate of an entry and checks it. The error is a FileError, or says what fails in the
// certificate.
func Verify(ctx context.Context, dir string) (*Certificate, *Outcome, error) {
	var c Certificate
	path := filepath.Join(dir, CertificateFile)
	if err := readJSON(path, &c); err != nil {
		return nil, nil, err
	}
	if err := formatFault(path, c.Format); err != nil {
		return nil, nil, err
	}
	program := filepath.Join(dir, ProgramFile)
	text, err := os.ReadFile(program)
	if err != nil {
		return &c, nil, fault(program, err)
	}
	part, err := ir.Decode(text)
	if err != nil {
		return &c, nil, fault(program, err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != c.Program {
		return &c, nil, errors.New("the program is not the one that the certificate names: its SHA-256 is another")
	}
	if err := ir.Check(part); err != nil {
		return &c, nil, fault(program, err)
	}
	out, err := Check(ctx, &c, part, func(name string, size int64) (io.ReadCloser, error) {
		return openPart(filepath.Join(dir, name), name == filepath.Base(name), size)
	})
	return &c, out, err
}

// openPart opens a file beside a certificate.
func openPart(path string, beside bool, size int64) (io.ReadCloser, error) {
	if !beside {
		return nil, fault(path, errors.New("is not in the folder"))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fault(path, err)
	}
	if st, err := f.Stat(); err != nil || st.Size() < size {
		_ = f.Close() // it was only read
		return nil, fault(path, fmt.Errorf("the file is cut: it has to have %d bytes", size))
	}
	return f, nil
}
