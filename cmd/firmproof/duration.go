package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// seconds is a duration as users write one: 90s, 2m or 1h30m, or a bare number of seconds.
type seconds time.Duration

// secondsVar adds a flag for a duration to f.
func secondsVar(f *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	f.Var((*seconds)(p), name, usage)
}

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if n, bare := strconv.ParseFloat(text, 64); bare == nil {
		d, err = time.ParseDuration(strconv.FormatFloat(n, 'f', -1, 64) + "s")
	}
	if err == nil && d == 0 && *s != 0 { // it is the default of those that may be left out
		return errors.New("some time is needed: 90s, 2m or 1h30m, or a number of seconds")
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no duration: write 90s, 2m or 1h30m, or a number of seconds", text)
	}
	*s = seconds(d)
	return nil
}

func (s *seconds) String() string { return time.Duration(*s).String() }
func (s *seconds) Type() string   { return "duration" }
