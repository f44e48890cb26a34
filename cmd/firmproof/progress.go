package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/firmproof/firmproof/verifier"
)

// progressLine is one line on a terminal that says what is running; on anything
// else it is silent.
type progressLine struct {
	mu    sync.Mutex
	w     io.Writer // nil: silent
	total int
	ended int
	start time.Time
	last  time.Time
}

func newProgress(w io.Writer, total int, quiet bool) *progressLine {
	p := &progressLine{total: total, start: time.Now()}
	if !quiet && isTerminal(w) {
		p.w = w
	}
	return p
}

func (p *progressLine) show(target, entry string, s verifier.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last = time.Now()
	fmt.Fprintf(p.w, "\r\x1b[K%d/%d done, %s %s: %s, %d/%d claims, %d turns, %.0f s", p.ended, p.total, target, entry,
		s.Stage, s.Done, s.Total, s.Unwind, time.Since(p.start).Seconds())
}

func (p *progressLine) done() {
	p.mu.Lock()
	p.ended++
	p.mu.Unlock()
}

func (p *progressLine) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
