package main

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"5": 5 * time.Second, "0.5": 500 * time.Millisecond,
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "0": -1, "5x": -1, "-3": -1, "": -1, "NaN": -1, "1e30": -1} {
		var got time.Duration
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		secondsVar(f, &got, "timeout", time.Minute, "")
		switch err := f.Parse([]string{"--timeout=" + text}); {
		case err != nil && want >= 0:
			t.Errorf("%q: %v", text, err)
		case err == nil && got != want:
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
