// Package blob keeps documents under the digest of their contents: programs cut
// out for verification, reports, traces. What is stored never changes, so that it
// may be written twice, read from anywhere, and collected when nothing names it.
package blob

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrNotFound says that nothing is stored under a name.
var ErrNotFound = errors.New("blob: not found")

// Info holds what a listing says of a document.
type Info struct {
	Name string
	Size int64 // as stored
	At   time.Time
}

// Store keeps documents.
type Store interface {
	// Put stores data and gives its name.
	Put(ctx context.Context, data []byte) (string, error)
	// Get gives the document of a name; its contents have been checked against the name.
	Get(ctx context.Context, name string) ([]byte, error)
	// Delete forgets a document, if it is there.
	Delete(ctx context.Context, name string) error
	// List calls f for every document, in no order.
	List(ctx context.Context, f func(Info) error) error
	// String says where the documents are, without credentials.
	String() string
}

// maxSize caps what a stored document may unpack to.
const maxSize = 1 << 30

// Name returns the name of a document: SHA-256 in hexadecimal.
func Name(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// valid reports whether s can be a name.
func valid(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size && hex.EncodeToString(b) == s
}

func pack(data []byte) []byte {
	var z bytes.Buffer
	w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed) // the level is a known one
	_, _ = w.Write(data)                            // into memory: cannot fail
	_ = w.Close()
	return z.Bytes()
}

// unpack undoes pack, and fails unless the contents have the digest that is their name.
func unpack(name string, stored []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		return nil, fmt.Errorf("blob %s: damaged: %w", name, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxSize))
	if err != nil {
		return nil, fmt.Errorf("blob %s: damaged: %w", name, err)
	}
	if Name(data) != name {
		return nil, fmt.Errorf("blob %s: damaged: its contents are others", name)
	}
	return data, nil
}
