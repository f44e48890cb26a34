package blob_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/firmproof/firmproof/pipeline/blob"
)

// server starts an S3 server with an empty bucket and gives the store's place.
func server(t *testing.T) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("firm"); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(web.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return "s3://" + strings.TrimPrefix(web.URL, "http://") + "/firm/some/prefix?region=eu-central-1&insecure=1"
}

// TestStores: what is put is found under its digest, on disk and over S3's protocol.
func TestStores(t *testing.T) {
	for name, place := range map[string]string{"disk": filepath.Join(t.TempDir(), "x"), "s3": server(t)} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			s, err := blob.Open(ctx, place)
			if err != nil {
				t.Fatal(err)
			}
			long := bytes.Repeat([]byte("firmware "), 100_000)
			for _, data := range [][]byte{{}, []byte("one"), long, []byte("one")} {
				n, err := s.Put(ctx, data)
				if err != nil || n != blob.Name(data) {
					t.Fatalf("%s %v", n, err)
				}
				got, err := s.Get(ctx, n)
				if err != nil || !bytes.Equal(got, data) {
					t.Errorf("%d bytes: %d came back, %v", len(data), len(got), err)
				}
			}
			sizes := map[string]int64{}
			if err := s.List(ctx, func(i blob.Info) error { sizes[i.Name] = i.Size; return nil }); err != nil {
				t.Fatal(err)
			}
			if len(sizes) != 3 || sizes[blob.Name(long)] > 10_000 || sizes[blob.Name(long)] == 0 {
				t.Errorf("listed: %v", sizes)
			}
			gone := blob.Name([]byte("one"))
			for range 2 {
				if err := s.Delete(ctx, gone); err != nil {
					t.Error(err)
				}
			}
			for _, n := range []string{gone, "../../etc/passwd", ""} {
				if _, err := s.Get(ctx, n); !errors.Is(err, blob.ErrNotFound) {
					t.Errorf("%q: %v", n, err)
				}
			}
		})
	}
}

// TestPlaces: what is no store is refused, without telling secrets.
func TestPlaces(t *testing.T) {
	ctx := context.Background()
	for _, place := range []string{"s3://", "s3://host", "s3://user:secret@host/bucket", strings.Replace(server(t),
		"/firm/", "/none/", 1)} {
		if _, err := blob.Open(ctx, place); err == nil || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// TestDamage: contents that are not those of the name are an error, not an answer.
func TestDamage(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s, err := blob.Open(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	one, err := s.Put(ctx, []byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.Put(ctx, []byte("two"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, two[:2], two), filepath.Join(dir, one[:2], one)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, one); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("another document's contents: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, one[:2], one), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, one); err == nil || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("half a file: %v", err)
	}
}
