package main

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

	"github.com/spf13/cobra"
)

func lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "lsp",
		Short:   "Language server for editors, on standard input and output",
		Example: `  firmproof lsp`,
		Long: `Speaks the Language Server Protocol: a file that is opened or saved is checked with its project, by the .firmproof.yml above it.
Violations are errors with the steps of the counterexample, unknowns and bounds are warnings; above a harness is a command that checks it alone,
and quick fixes suppress a finding or raise a bound in the manifest.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := newLanguageServer(cmd.OutOrStdout(), checkByCommand)
			return s.serve(cmd.Context(), cmd.InOrStdin())
		},
	}
}

// message is one of JSON-RPC 2.0: a request has ID and Method, a notification only Method, an answer only ID.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Codes of errors (JSON-RPC 2.0, LSP 3.17).
const (
	rpcParse, rpcNoMethod, rpcBadParams = -32700, -32601, -32602
	maxMessage                          = 64 << 20
)

// connection writes messages; safe for concurrent use.
type connection struct {
	mu  sync.Mutex
	out io.Writer
	err error // the first one: the editor has gone
}

func (c *connection) send(m message) {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // our own types always marshal
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		_, c.err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
}

func (c *connection) notify(method string, params any) {
	text, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	c.send(message{Method: method, Params: text})
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

// serve answers until the editor says exit or goes.
func (s *languageServer) serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.checks.Wait()
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
		case m.Error != nil && m.Method == "":
			s.conn.send(message{ID: json.RawMessage("null"), Error: m.Error})
			continue
		case m.Method == "exit":
			return nil
		}
		s.handle(m)
	}
}

// lspMethods are the requests and notifications that are understood; a notification's answer is not sent.
var lspMethods = map[string]func(s *languageServer, params json.RawMessage) (any, error){
	"initialize":               (*languageServer).initialize,
	"shutdown":                 func(*languageServer, json.RawMessage) (any, error) { return nil, nil },
	"textDocument/didOpen":     (*languageServer).opened,
	"textDocument/didSave":     (*languageServer).saved,
	"textDocument/codeLens":    (*languageServer).codeLenses,
	"textDocument/codeAction":  (*languageServer).codeActions,
	"workspace/executeCommand": (*languageServer).execute,
}

func (s *languageServer) handle(m *message) {
	do, known := lspMethods[m.Method]
	if !known {
		if m.ID != nil {
			s.conn.send(message{ID: m.ID, Error: &rpcError{rpcNoMethod, "no method " + m.Method}})
		}
		return
	}
	result, err := do(s, m.Params)
	switch {
	case m.ID == nil:
	case err != nil:
		s.conn.send(message{ID: m.ID, Error: &rpcError{rpcBadParams, err.Error()}})
	case result == nil:
		s.conn.send(message{ID: m.ID, Result: json.RawMessage("null")})
	default:
		s.conn.send(message{ID: m.ID, Result: result})
	}
}
