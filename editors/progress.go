package editors

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
)

// work is something whose progress an editor shows.
type work struct {
	token string // of the request that asks for it; empty: there is none
	title string
	asked bool // somebody asked for it: the editor offers to end it. What edits begin is to disturb nobody
}

// withProgress does work whose progress the editor shows, and which it may end: under the token of a request, or else
// under one of our own, where the editor can do that.
func (s *Server) withProgress(ctx context.Context, end context.CancelFunc, w work, do func(func(Progress))) {
	token := w.token
	if token == "" && s.can.Window.Progress {
		token = strconv.Quote(fmt.Sprintf("firmproof-work-%d", s.conn.next()))
		if _, err := s.conn.ask(ctx, "window/workDoneProgress/create", map[string]any{"token": json.RawMessage(token)}); err != nil {
			token = ""
		}
	}
	if token == "" {
		do(func(Progress) {})
		return
	}
	s.mu.Lock()
	s.tokens[token] = end
	s.mu.Unlock()
	show := func(value map[string]any) {
		s.conn.notify("$/progress", map[string]any{"token": json.RawMessage(token), "value": value})
	}
	show(map[string]any{"kind": "begin", "title": "firmproof: " + w.title, "cancellable": w.asked})
	do(func(p Progress) {
		value := map[string]any{"kind": "report", "message": p.Doing, "cancellable": w.asked}
		if p.Total > 0 {
			value["percentage"] = 100 * p.Ended / p.Total
		}
		show(value)
	})
	show(map[string]any{"kind": "end"})
	s.mu.Lock()
	delete(s.tokens, token)
	s.mu.Unlock()
}

// workCancelled ends work whose progress is shown.
func (s *Server) workCancelled(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Token json.RawMessage `json:"token"`
	}
	err := json.Unmarshal(params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.tokens[string(p.Token)]; end != nil {
		end()
	}
	return nil, err
}
