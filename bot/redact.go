package bot

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

// secretShapes match what must never be written anywhere: GitHub tokens of every
// kind (an installation token's length is not fixed), JWTs, authorisation
// headers, passwords in URLs.
var secretShapes = regexp.MustCompile(
	`gh[pousr]_[A-Za-z0-9_.\-]{8,}|github_pat_[A-Za-z0-9_]{8,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+|` +
		`(?i:authorization: *(?:basic|bearer|token) +)[A-Za-z0-9+/=._~-]+|x-access-token:[^@\s"]+|eC1hY2Nlc3MtdG9rZW46[A-Za-z0-9+/=]+|` +
		`://[^/@\s:"]+:[^/@\s"]+@`)

// keyShape matches private keys. They go first: the shape of a header would take their beginning.
var keyShape = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----`)

// redactor removes secrets from text.
type redactor struct{ known []string }

func newRedactor(k *keys) *redactor {
	r := &redactor{}
	for _, s := range k.webhook {
		r.known = append(r.known, string(s))
	}
	for _, s := range []string{k.client, k.mail} {
		if s != "" {
			r.known = append(r.known, s)
		}
	}
	return r
}

func (r *redactor) text(s string) string {
	for _, k := range r.known {
		s = strings.ReplaceAll(s, k, "[redacted]")
	}
	return secretShapes.ReplaceAllString(keyShape.ReplaceAllString(s, "[redacted]"), "[redacted]")
}

// redactHandler cleans every record on its way to the log.
type redactHandler struct {
	slog.Handler
	r *redactor
}

// Handle implements slog.Handler.
func (h redactHandler) Handle(ctx context.Context, rec slog.Record) error {
	out := slog.NewRecord(rec.Time, rec.Level, h.r.text(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.clean(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

func (h redactHandler) clean(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.r.text(v.String()))
	case slog.KindGroup:
		group := v.Group()
		out := make([]slog.Attr, len(group))
		for i := range group {
			out[i] = h.clean(group[i])
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(out...)}
	case slog.KindAny:
		return slog.String(a.Key, h.r.text(fmt.Sprint(v.Any())))
	}
	return a
}

// WithAttrs implements slog.Handler.
func (h redactHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i := range attrs {
		out[i] = h.clean(attrs[i])
	}
	return redactHandler{h.Handler.WithAttrs(out), h.r}
}

// WithGroup implements slog.Handler.
func (h redactHandler) WithGroup(name string) slog.Handler {
	return redactHandler{h.Handler.WithGroup(name), h.r}
}
