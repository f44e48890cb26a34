package editors

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// message is one of JSON-RPC 2.0: a request has ID and Method, a notification only Method, an answer only ID.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// Codes of errors (JSON-RPC 2.0, LSP 3.17).
const (
	rpcParse, rpcNoMethod, rpcBadParams, rpcCancelled = -32700, -32601, -32602, -32800
	maxMessage                                        = 64 << 20
)

// connection writes messages; safe for concurrent use.
type connection struct {
	mu      sync.Mutex
	out     io.Writer
	err     error // the first one: the editor has gone
	n       int   // requests to the editor
	waiting map[string]chan *message
}

func (c *connection) send(m message) {
	m.Version = "2.0"
	text := encoded(m)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		_, c.err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
}

// encoded is JSON of our own types, which always marshal.
func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func (c *connection) notify(method string, params any) {
	c.send(message{Method: method, Params: encoded(params)})
}

// next is a number that no request to the editor had.
func (c *connection) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// ask sends a request to the editor and waits for its answer, until ctx ends.
func (c *connection) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := strconv.Quote("firmproof-" + strconv.Itoa(c.next()))
	c.mu.Lock()
	answer := make(chan *message, 1)
	if c.waiting == nil {
		c.waiting = map[string]chan *message{}
	}
	c.waiting[id] = answer
	c.mu.Unlock()
	c.send(message{ID: json.RawMessage(id), Method: method, Params: encoded(params)})
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, m.Error
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// answered hands an answer of the editor to who waits for it.
func (c *connection) answered(m *message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.waiting[string(m.ID)]; ok {
		delete(c.waiting, string(m.ID))
		answer <- m
	}
}

// readMessage reads one message; io.EOF at the end.
func readMessage(in *bufio.Reader) (*message, error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	size, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || size < 0 || size > maxMessage {
		return nil, fmt.Errorf("a message without a right Content-Length: %q", header.Get("Content-Length"))
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, err
	}
	m := &message{}
	if err := json.Unmarshal(text, m); err != nil {
		return &message{Error: &rpcError{rpcParse, err.Error()}}, nil
	}
	return m, nil
}

// Serve answers until the editor says exit or goes.
func (s *Server) Serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.work.Wait()
	defer cancel()
	s.ctx = ctx
	r := bufio.NewReader(in)
	for {
		m, err := readMessage(r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Method == "" && m.Error != nil && m.ID == nil:
			s.conn.send(message{ID: json.RawMessage("null"), Error: m.Error})
		case m.Method == "":
			s.conn.answered(m)
		case m.Method == "exit":
			return nil
		default:
			s.handle(m)
		}
	}
}

// method answers a request, or takes a notification, whose answer is not sent. Slow ones run beside what comes next, until
// they are cancelled.
type method struct {
	do   func(s *Server, ctx context.Context, params json.RawMessage) (any, error)
	slow bool
}

func (s *Server) handle(m *message) {
	do, known := methods[m.Method]
	if !known {
		if m.ID != nil {
			s.conn.send(message{ID: m.ID, Error: &rpcError{rpcNoMethod, "no method " + m.Method}})
		}
		return
	}
	if !do.slow {
		s.answer(s.ctx, m, do)
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.calls[string(m.ID)] = cancel
	s.mu.Unlock()
	s.work.Go(func() {
		defer cancel()
		s.answer(ctx, m, do)
		s.mu.Lock()
		delete(s.calls, string(m.ID))
		s.mu.Unlock()
	})
}

// answer does what a message asks for, and says what came out.
func (s *Server) answer(ctx context.Context, m *message, do method) {
	result, err := do.do(s, ctx, m.Params)
	switch {
	case m.ID == nil:
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		s.conn.send(message{ID: m.ID, Error: &rpcError{rpcCancelled, "cancelled"}})
	case err != nil:
		s.conn.send(message{ID: m.ID, Error: &rpcError{rpcBadParams, err.Error()}})
	default:
		s.conn.send(message{ID: m.ID, Result: encoded(result)})
	}
}

// cancelled ends a request that runs.
func (s *Server) cancelled(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	err := json.Unmarshal(params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.calls[string(p.ID)]; end != nil {
		end()
	}
	return nil, err
}
