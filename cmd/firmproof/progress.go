package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/firmproof/firmproof/editors"
	"github.com/firmproof/firmproof/reports"
	"github.com/firmproof/firmproof/verifier"
	"github.com/firmproof/firmproof/verifier/verdict"
)

// How often progress is shown.
const (
	redraw    = 200 * time.Millisecond // the line on a terminal
	heartbeat = 30 * time.Second       // a line in a pipe, so that nobody takes a long run for a dead one
	quickRun  = 2 * time.Second        // a run that is shorter shows its violations at its end only
)

// progressLine says what is running: one line that moves on a terminal, a line now and then in a pipe. The first
// violation is said at once.
type progressLine struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	json     bool // an object a line, for a program: editors.Progress
	total    int
	ended    int
	start    time.Time
	beat     time.Time // of the last line in a pipe
	running  map[string]*progressOf
	found    string // the first violation, not yet shown
	said     bool   // a violation was found
	stop     chan struct{}
	stopped  chan struct{}
}

// progressOf is where one verification is.
type progressOf struct {
	start time.Time
	limit time.Duration
	last  verifier.Progress
}

// newProgress starts to show the progress of total verifications.
func newProgress(w io.Writer, total int, quiet bool) *progressLine {
	p := &progressLine{w: w, terminal: isTerminal(w), total: total, start: time.Now(), beat: time.Now(),
		running: map[string]*progressOf{}, stop: make(chan struct{}), stopped: make(chan struct{})}
	if quiet {
		close(p.stopped)
		return p
	}
	go p.tick()
	return p
}

func (p *progressLine) tick() {
	defer close(p.stopped)
	ticker := time.NewTicker(redraw)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.show(time.Now())
		}
	}
}

// show writes what there is to say at a time.
func (p *progressLine) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		_ = json.NewEncoder(p.w).Encode(editors.Progress{Ended: p.ended, Total: p.total, Doing: p.line(now)})
		return
	}
	if p.found != "" && now.Sub(p.start) > quickRun {
		p.wipe()
		fmt.Fprintln(p.w, p.found)
		p.found, p.beat = "", now
	}
	switch {
	case p.terminal:
		p.wipe()
		fmt.Fprint(p.w, p.line(now))
	case now.Sub(p.beat) >= heartbeat:
		p.beat = now
		fmt.Fprintln(p.w, "firmproof: "+p.line(now))
	}
}

// line returns what is running: of several verifications the one that runs longest.
func (p *progressLine) line(now time.Time) string {
	out := fmt.Sprintf("%d/%d done, %.0f s", p.ended, p.total, now.Sub(p.start).Seconds())
	var name string
	var oldest *progressOf
	for n, r := range p.running {
		if oldest == nil || r.start.Before(oldest.start) || r.start.Equal(oldest.start) && n < name {
			name, oldest = n, r
		}
	}
	if oldest == nil {
		return out
	}
	out += ": " + name
	if s := oldest.last; s.Stage != "" {
		out += fmt.Sprintf(": %s, %d/%d claims, %d turns", s.Stage, s.Done, s.Total, s.Unwind)
	}
	if left := oldest.limit - now.Sub(oldest.start); left > 0 {
		out += fmt.Sprintf(", at most %.0f s left", left.Seconds())
	}
	if n := len(p.running) - 1; n > 0 {
		out += fmt.Sprintf(" (+%d)", n)
	}
	if len(out) > 118 && p.terminal {
		out = out[:115] + "..."
	}
	return out
}

// begin notes that a verification begins, with its limit of time.
func (p *progressLine) begin(target, entry string, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[entry+" on "+target] = &progressOf{start: time.Now(), limit: limit}
}

// at notes how far a verification is.
func (p *progressLine) at(target, entry string, s verifier.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.running[entry+" on "+target]; r != nil {
		r.last = s
	}
}

// violated notes a violation; the first one is said while the rest goes on.
func (p *progressLine) violated(target, entry string, c verdict.Claim) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said {
		return
	}
	p.said = true
	p.found = reports.FirstViolation(target, entry, &c) + fmt.Sprintf(" (after %.1f s, the rest goes on)",
		time.Since(p.start).Seconds())
}

// done notes that a verification is over.
func (p *progressLine) done(target, entry string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended++
	delete(p.running, entry+" on "+target)
}

// clear ends the line.
func (p *progressLine) clear() {
	close(p.stop)
	<-p.stopped
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}

func (p *progressLine) wipe() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
