package pipeline

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/firmproof/firmproof/pipeline/queue"
)

// A disk that runs full stops work before it stops the database: nothing new is
// begun while less than Config.MinFree is left, what failed for want of space is
// given back without counting, and work goes on by itself when there is room again.

// freeBytes returns what an unprivileged user may still write below path.
func freeBytes(path string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// Paused says why no work is begun at present, or nothing.
func (s *Service) Paused() string {
	free, err := s.cfg.Free(s.cfg.Data)
	why := ""
	switch {
	case err != nil:
		why = fmt.Sprintf("the free space of %s is not known: %v", s.cfg.Data, err)
	case free < s.cfg.MinFree:
		why = fmt.Sprintf("the disk of %s is full: %d MB are free, %d MB are needed", s.cfg.Data, free>>20,
			s.cfg.MinFree>>20)
	}
	s.mu.Lock()
	before := s.pausedFor
	s.pausedFor = why
	s.mu.Unlock()
	switch {
	case why != "" && before == "":
		s.log.Error("work is paused", "why", why)
	case why == "" && before != "":
		s.log.Info("work goes on", "free_mb", free>>20)
	}
	return why
}

// pause gives back a job while there is no space to do it.
func (s *Service) pause() error {
	if s.Paused() == "" {
		return nil
	}
	return &queue.Snooze{After: s.cfg.PausePoll}
}

// full reports whether err is for want of disk space.
func (s *Service) full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || err != nil &&
		strings.Contains(err.Error(), "database or disk is full") ||
		err != nil && s.Paused() != ""
}
