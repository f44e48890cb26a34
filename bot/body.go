package bot

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// maxBody is GitHub's cap on payloads, 25 MiB, plus slack for the form encoding.
	maxBody = 25<<20 + 1<<16
	// leastBody is the minimum charge of a delivery: its connection costs memory, too.
	leastBody = 64 << 10
	// smallBody is the size up to which a delivery does not wait for large ones. Most have some 10 KB.
	smallBody = 1 << 20
	// bodyTime is the deadline for reading a body. GitHub itself gives up after ten seconds.
	bodyTime = 10 * time.Second
	// bodyTurn is the longest wait for memory that other deliveries hold.
	bodyTurn = 2 * time.Second
)

// bodies bounds the memory of all deliveries that are being read, in bytes. Large ones have a
// budget of their own, so that a few of them do not keep out the others.
type bodies struct{ small, large *semaphore.Weighted }

func newBodies() *bodies {
	return &bodies{small: semaphore.NewWeighted(64 << 20), large: semaphore.NewWeighted(2 * maxBody)}
}

// take reserves memory for a body of size bytes (negative: unknown) and returns the function that releases it; false
// if none is free within bodyTurn.
func (b *bodies) take(ctx context.Context, size int64) (func(), bool) {
	if size < 0 || size > maxBody {
		size = maxBody
	}
	budget := b.small
	if size > smallBody {
		budget = b.large
	}
	size = max(size, leastBody)
	ctx, cancel := context.WithTimeout(ctx, bodyTurn)
	defer cancel()
	if err := budget.Acquire(ctx, size); err != nil {
		return nil, false
	}
	return func() { budget.Release(size) }, true
}

// denial is the answer to a delivery that is not accepted.
type denial struct {
	status  int
	message string
}

var (
	errUnsigned = &denial{http.StatusUnauthorized, "the signature (X-Hub-Signature-256) is missing or wrong"}
	errTooLarge = &denial{http.StatusRequestEntityTooLarge, "a payload has at most 25 MiB"}
	errBusy     = &denial{http.StatusServiceUnavailable, "too many deliveries at once; deliver again"}
	errUnread   = &denial{http.StatusBadRequest, "the body could not be read"}
)

// signedBody reads the body of a delivery if its signature is right. What can be refused by the
// headers is refused before any of the body is read; the signature is computed as the body arrives.
// The caller calls done when it needs the body no more.
func (s *Server) signedBody(w http.ResponseWriter, r *http.Request) (body []byte, done func(), no *denial) {
	given, ok := signature(r.Header.Get("X-Hub-Signature-256"))
	switch {
	case !ok:
		return nil, nil, errUnsigned
	case r.ContentLength > maxBody:
		return nil, nil, errTooLarge
	}
	done, ok = s.bodies.take(r.Context(), r.ContentLength)
	if !ok {
		return nil, nil, errBusy
	}
	// not every kind of ResponseWriter has deadlines; the server's own bounds those without
	deadline := http.NewResponseController(w).SetReadDeadline
	_ = deadline(time.Now().Add(bodyTime))
	defer func() { _ = deadline(time.Time{}) }() // it would end the request while it is being handled
	macs := make([]hash.Hash, len(s.keys.webhook))
	sinks := make([]io.Writer, len(macs))
	for i, secret := range s.keys.webhook {
		macs[i] = hmac.New(sha256.New, secret)
		sinks[i] = macs[i]
	}
	var buf bytes.Buffer // grows with what arrives, whatever was announced
	_, err := buf.ReadFrom(io.TeeReader(http.MaxBytesReader(w, r.Body, maxBody), io.MultiWriter(sinks...)))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		no = errTooLarge
	case err != nil:
		no = errUnread
	case !anyEqual(macs, given):
		no = errUnsigned
	default:
		return buf.Bytes(), done, nil
	}
	done()
	return nil, nil, no
}

// signature decodes a SHA-256 signature header. SHA-1 is not accepted.
func signature(header string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(header, "sha256=")
	given, err := hex.DecodeString(digits)
	return given, ok && err == nil && len(given) == sha256.Size
}

// anyEqual compares with every secret's sum, in the same time whichever it is.
func anyEqual(macs []hash.Hash, given []byte) bool {
	equal := false
	for _, m := range macs {
		if hmac.Equal(m.Sum(nil), given) {
			equal = true
		}
	}
	return equal
}
