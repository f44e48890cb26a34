package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestInTime: a proof whose steps do not end is given up when its time is over, and at
// once when the process is told to end.
func TestInTime(t *testing.T) {
	endless := func(context.Context, io.Writer) (string, error) { select {} }
	var out bytes.Buffer
	start := time.Now()
	if err := inTime(context.Background(), 100*time.Millisecond, &out, endless); err != nil ||
		!strings.HasSuffix(out.String(), "no answer within 100ms.\nMAYBE\n") || time.Since(start) > 20*time.Second {
		t.Errorf("%q %v after %s", out.String(), err, time.Since(start))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := inTime(ctx, time.Hour, &out, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	out.Reset()
	if err := inTime(context.Background(), time.Hour, &out, func(_ context.Context, w io.Writer) (string, error) {
		_, err := io.WriteString(w, "every run ends\n")
		return "YES", err
	}); err != nil || out.String() != "every run ends\nYES\n" {
		t.Errorf("%q %v", out.String(), err)
	}
}
