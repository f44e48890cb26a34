package bot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline"
	"github.com/firmproof/firmproof/pipeline/queue"
	"github.com/firmproof/firmproof/pipeline/store"
)

// maxBody is GitHub's cap of 25 MiB, and a little.
const maxBody = 25<<20 + 1<<16

// webhook accepts a delivery: signature, reduction, one transaction that records
// it and queues its handling. Nothing else happens before the answer.
func (s *Server) webhook(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	name, guid := r.Header.Get("X-GitHub-Event"), r.Header.Get("X-GitHub-Delivery")
	status, message := s.accept(w, r, name, guid)
	s.metrics.deliveries.WithLabelValues(known(name), http.StatusText(status)).Inc()
	s.metrics.ack.Observe(time.Since(start).Seconds())
	level := s.log.Info
	if status >= 500 {
		level = s.log.Error
	}
	level("webhook", "event", name, "delivery", guid, "status", status, "outcome", message, "ms",
		time.Since(start).Milliseconds())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, message+"\n") // the sender has gone if this fails
}

// known bounds the label values that a stranger can make us keep.
func known(name string) string {
	if _, ok := eventNamed(name); ok {
		return name
	}
	return "other"
}

func (s *Server) accept(w http.ResponseWriter, r *http.Request, name, guid string) (int, string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return http.StatusRequestEntityTooLarge, "a payload has at most 25 MiB"
	case err != nil:
		return http.StatusBadRequest, "the body could not be read"
	case !s.signed(body, r.Header.Get("X-Hub-Signature-256")):
		return http.StatusUnauthorized, "the signature (X-Hub-Signature-256) is missing or wrong"
	case name == "" || guid == "" || len(guid) > 100:
		return http.StatusBadRequest, "X-GitHub-Event and X-GitHub-Delivery are needed"
	case s.draining.Load():
		return http.StatusServiceUnavailable, "the server is stopping; deliver again"
	case known(name) == "other":
		return http.StatusAccepted, "not of interest"
	}
	if body, err = formPayload(r.Header.Get("Content-Type"), body); err != nil {
		return http.StatusBadRequest, "the form has no payload"
	}
	event, err := Decode(name, body)
	if err != nil {
		return http.StatusBadRequest, "the payload is no JSON of this event"
	}
	small, err := json.Marshal(event)
	if err != nil {
		return http.StatusInternalServerError, "internal error"
	}
	fresh := false
	err = s.store.Write(r.Context(), func(tx store.Tx) error {
		fresh, err = tx.AddDelivery(r.Context(), store.Delivery{GUID: guid, Event: name, Payload: string(small)})
		if err != nil || !fresh {
			return err
		}
		return s.pipe.Enqueue(r.Context(), tx, queue.Job{Kind: pipeline.EventJob, ID: guid, Lane: queue.Events})
	})
	switch {
	case err != nil:
		s.log.Error("webhook not recorded", "delivery", guid, "err", err)
		return http.StatusServiceUnavailable, "the delivery could not be recorded; deliver again"
	case !fresh:
		return http.StatusAccepted, "known already"
	}
	return http.StatusAccepted, "accepted"
}

// signed checks the HMAC against every valid secret. SHA-1 is not accepted.
func (s *Server) signed(body []byte, header string) bool {
	given, err := hex.DecodeString(strings.TrimPrefix(header, "sha256="))
	if err != nil || !strings.HasPrefix(header, "sha256=") {
		return false
	}
	ok := false
	for _, secret := range s.keys.webhook {
		mac := hmac.New(sha256.New, secret)
		mac.Write(body)
		if hmac.Equal(mac.Sum(nil), given) {
			ok = true
		}
	}
	return ok
}

// formPayload takes the JSON out of a form-encoded delivery.
func formPayload(contentType string, body []byte) ([]byte, error) {
	if t, _, err := mime.ParseMediaType(contentType); err != nil || t != "application/x-www-form-urlencoded" {
		return body, nil
	}
	v, err := url.ParseQuery(string(body))
	if err != nil || v.Get("payload") == "" {
		return nil, errors.New("no payload")
	}
	return []byte(v.Get("payload")), nil
}
