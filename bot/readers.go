package bot

import (
	"sync"
	"time"
)

// Comments of one person without write access that are answered in one repository: each costs calls of GitHub, whose
// number is limited for the whole installation.
const (
	readerComments = 5
	readerTime     = time.Hour
)

// readers counts the comments of people without write access that were answered.
type readers struct {
	mu    sync.Mutex
	times map[reader][]time.Time
}

// reader is a person in a repository.
type reader struct {
	repo  int64
	login string
}

// full reports whether no more comments of r are answered now.
func (l *readers) full(r reader, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(recent(l.times[r], now)) >= readerComments
}

// add counts a comment of r, and forgets what is too long ago.
func (l *readers) add(r reader, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.times == nil {
		l.times = map[reader][]time.Time{}
	}
	for k, times := range l.times {
		if l.times[k] = recent(times, now); len(l.times[k]) == 0 {
			delete(l.times, k)
		}
	}
	l.times[r] = append(l.times[r], now)
}

// recent are the times, which ascend, of the last readerTime.
func recent(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= readerTime {
		times = times[1:]
	}
	return times
}
