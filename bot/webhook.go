package bot

import (
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
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "10")
	}
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

// notPrintable reports what is no printable character of ASCII: databases refuse some of it.
func notPrintable(r rune) bool { return r < ' ' || r > '~' }

func (s *Server) accept(w http.ResponseWriter, r *http.Request, name, guid string) (int, string) {
	if name == "" || guid == "" || len(guid) > 100 || strings.ContainsFunc(guid, notPrintable) {
		return http.StatusBadRequest, "X-GitHub-Event and X-GitHub-Delivery are needed"
	}
	body, done, no := s.signedBody(w, r)
	switch {
	case no != nil:
		return no.status, no.message
	case s.draining.Load():
		done()
		return http.StatusServiceUnavailable, "the server is stopping; deliver again"
	case known(name) == "other":
		done()
		return http.StatusAccepted, "not of interest"
	}
	event, err := decodeBody(name, r.Header.Get("Content-Type"), body)
	done()
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	return s.record(r, event, guid)
}

// decodeBody reduces a payload to what we use of it.
func decodeBody(name, contentType string, body []byte) (*Event, error) {
	payload, err := formPayload(contentType, body)
	if err != nil {
		return nil, errors.New("the form has no payload")
	}
	event, err := Decode(name, payload)
	if err != nil {
		return nil, errors.New("the payload is no JSON of this event")
	}
	return event, nil
}

// record keeps a delivery and queues its handling, in one transaction, once.
func (s *Server) record(r *http.Request, event *Event, guid string) (int, string) {
	small, err := json.Marshal(event)
	if err != nil {
		return http.StatusInternalServerError, "internal error"
	}
	fresh := false
	err = s.store.Write(r.Context(), func(tx store.Tx) error {
		fresh, err = tx.AddDelivery(r.Context(), store.Delivery{GUID: guid, Event: event.Name, Payload: string(small)})
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
