package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/firmproof/firmproof/pipeline/blob"
	"github.com/firmproof/firmproof/pipeline/store"
)

// storeFlags say where a server keeps what it knows.
type storeFlags struct{ data, db, artifacts string }

func (f *storeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.data, "data", "firmproof-data", "the server's data `folder`")
	cmd.Flags().StringVar(&f.db, "db", "", "the server's `database`, as for serve")
	cmd.Flags().StringVar(&f.artifacts, "artifacts", "", "the server's `store` of artifacts, as for serve")
}

// open opens the database with its artifacts.
func (f *storeFlags) open(ctx context.Context) (*store.Store, blob.Store, error) {
	if f.db == "" {
		f.db = "sqlite:" + filepath.Join(f.data, "firmproof.db")
	}
	if f.artifacts == "" {
		f.artifacts = filepath.Join(f.data, "artifacts")
	}
	blobs, err := blob.Open(ctx, f.artifacts)
	if err != nil {
		return nil, nil, err
	}
	st, err := store.Open(ctx, f.db)
	if err != nil {
		return nil, nil, err
	}
	st.Attach(blobs)
	return st, blobs, nil
}

// Names in the archive: the database, and a folder with a file per artifact.
const (
	backupRows  = "database.jsonl"
	backupBlobs = "artifacts/"
)

func backupCommand() *cobra.Command {
	var f storeFlags
	var out string
	cmd := &cobra.Command{
		Use:     "backup -o FILE",
		Short:   "Write everything that a server keeps into one file, while it runs",
		Example: `  firmproof backup --data /var/lib/firmproof -o firmproof.tar.gz`,
		Long: "Writes the database, as of one moment, and the artifacts that it names into one compressed tar file. The service may go on meanwhile.\n" +
			"`firmproof restore` reads it into either kind of database.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := f.backup(cmd.Context(), out)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: the database and %d artifacts\n", out, n)
			}
			return err
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write")
	_ = cmd.MarkFlagRequired("output") // fails only for flags that do not exist
	return cmd
}

// backup writes the archive beside its place, and moves it there when it is whole.
func (f *storeFlags) backup(ctx context.Context, out string) (n int, err error) {
	st, blobs, err := f.open(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	file, err := os.OpenFile(out+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("backup: %w", err)
	}
	z := gzip.NewWriter(file)
	tw := tar.NewWriter(z)
	// the artifacts first: none that the rows name can be missing then
	n, err = backupArtifacts(ctx, st, blobs, tw)
	if err == nil {
		err = backupDatabase(ctx, st, tw, out+".rows")
	}
	err = errors.Join(err, tw.Close(), z.Close(), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(out+".part", out)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("backup: %w", err), os.Remove(out+".part"))
	}
	return n, nil
}

// backupArtifacts writes all artifacts: what is begun while it lists may be named
// by the rows, so it looks again until nothing is new.
func backupArtifacts(ctx context.Context, st *store.Store, blobs blob.Store, tw *tar.Writer) (int, error) {
	seen := map[string]bool{}
	for {
		var names []string
		if err := st.Read(ctx, func(tx store.Tx) (err error) {
			names,
				err = tx.BlobsInUse(ctx)
			return err
		}); err != nil {
			return 0, err
		}
		fresh := 0
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			data, err := blobs.Get(ctx, name)
			if errors.Is(err, blob.ErrNotFound) {
				continue // expired meanwhile
			}
			if err != nil {
				return 0, err
			}
			fresh++
			if err := tarFile(tw, backupBlobs+name, int64(len(data)), strings.NewReader(string(data))); err != nil {
				return 0, err
			}
		}
		if fresh == 0 {
			return len(seen), nil
		}
	}
}

func backupDatabase(ctx context.Context, st *store.Store, tw *tar.Writer, scratch string) error {
	rows, err := os.OpenFile(scratch, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600) // a tar header knows the size
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(rows.Close(), os.Remove(scratch)) }() // it was only read
	if err := st.Backup(ctx, rows); err != nil {
		return err
	}
	size, err := rows.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := rows.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return tarFile(tw, backupRows, size, rows)
}

func tarFile(tw *tar.Writer, name string, size int64, r io.Reader) error {
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: time.Now()}); err != nil {
		return err
	}
	_, err := io.Copy(tw, r)
	return err
}

func restoreCommand() *cobra.Command {
	var f storeFlags
	cmd := &cobra.Command{
		Use:     "restore FILE",
		Short:   "Fill an empty database and store of artifacts from a backup",
		Example: `  firmproof restore --data /var/lib/firmproof firmproof.tar.gz`,
		Long:    "Reads what `firmproof backup` wrote into an empty database, of whichever kind, and its artifacts into the store of artifacts. The server must not run.",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := f.restore(cmd.Context(), args[0])
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "restored the database and %d artifacts\n", n)
			}
			return err
		},
	}
	f.add(cmd)
	return cmd
}

func (f *storeFlags) restore(ctx context.Context, from string) (n int, err error) {
	file, err := os.Open(from)
	if err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	z, err := gzip.NewReader(file)
	if err != nil {
		return 0, fmt.Errorf("restore: %s: %w", from, err)
	}
	st, blobs, err := f.open(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	done := false
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if err == io.EOF && done {
			return n, nil
		}
		if err != nil {
			return 0, fmt.Errorf("restore: %s is cut: %w", from, err)
		}
		name, isBlob := strings.CutPrefix(h.Name, backupBlobs)
		switch {
		case h.Name == backupRows:
			if err := st.Restore(ctx, tr); err != nil {
				return 0, fmt.Errorf("restore: %w", err)
			}
			done = true
		case isBlob:
			data, err := io.ReadAll(tr)
			if err != nil {
				return 0, fmt.Errorf("restore: %s: %w", h.Name, err)
			}
			if got, err := blobs.Put(ctx, data); err != nil || got != name {
				return 0, errors.Join(fmt.Errorf("restore: %s has other contents than its name says", h.Name), err)
			}
			n++
		}
	}
}
