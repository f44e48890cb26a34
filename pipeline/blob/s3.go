package blob

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Open opens a folder, or a bucket of an S3-compatible service written as
// s3://HOST/BUCKET[/PREFIX][?region=R&insecure=1], with the credentials of
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or of the machine's role.
func Open(ctx context.Context, place string) (Store, error) {
	if !strings.HasPrefix(place, "s3://") {
		return OpenDisk(place)
	}
	u, err := url.Parse(place)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if u.Host == "" || bucket == "" || u.User != nil {
		return nil, fmt.Errorf("blob: %q: want s3://HOST/BUCKET[/PREFIX]", u.Redacted())
	}
	q := u.Query()
	chain := credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{},
		&credentials.FileAWSCredentials{}, &credentials.IAM{}})
	client, err := minio.New(u.Host, &minio.Options{Creds: chain, Secure: q.Get("insecure") == "",
		Region: q.Get("region")})
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	s := &S3{client, bucket, prefix, u.Host}
	switch ok, err := client.BucketExists(ctx, bucket); {
	case err != nil:
		return nil, fmt.Errorf("blob: %s: %w", s, err)
	case !ok:
		return nil, fmt.Errorf("blob: %s: there is no such bucket", s)
	}
	return s, nil
}

// S3 keeps documents in a bucket.
type S3 struct {
	client               *minio.Client
	bucket, prefix, host string
}

func (s *S3) String() string { return "s3://" + path.Join(s.host, s.bucket, s.prefix) }

func (s *S3) key(name string) string { return path.Join(s.prefix, name[:2], name) }

// Put implements Store. A document that is there is written again: its age begins anew.
func (s *S3) Put(ctx context.Context, data []byte) (string, error) {
	name := Name(data)
	z := pack(data)
	if _, err := s.client.PutObject(ctx, s.bucket, s.key(name), bytes.NewReader(z), int64(len(z)),
		minio.PutObjectOptions{ContentType: "application/gzip"}); err != nil {
		return "", fmt.Errorf("blob: %s: %w", s, err)
	}
	return name, nil
}

// Get implements Store.
func (s *S3) Get(ctx context.Context, name string) ([]byte, error) {
	if !valid(name) {
		return nil, ErrNotFound
	}
	o, err := s.client.GetObject(ctx, s.bucket, s.key(name), minio.GetObjectOptions{})
	if err == nil {
		defer func() { _ = o.Close() }() // it was only read
		var z []byte
		if z, err = io.ReadAll(io.LimitReader(o, maxSize)); err == nil {
			return unpack(name, z)
		}
	}
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return nil, ErrNotFound
	}
	return nil, fmt.Errorf("blob: %s: %w", s, err)
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, name string) error {
	if !valid(name) {
		return nil
	}
	if err := s.client.RemoveObject(ctx, s.bucket, s.key(name), minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("blob: %s: %w", s, err)
	}
	return nil
}

// List implements Store.
func (s *S3) List(ctx context.Context, f func(Info) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	prefix := s.prefix
	if prefix != "" {
		prefix += "/"
	}
	for o := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if o.Err != nil {
			return fmt.Errorf("blob: %s: %w", s, o.Err)
		}
		if name := path.Base(o.Key); valid(name) {
			if err := f(Info{name, o.Size, o.LastModified}); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
