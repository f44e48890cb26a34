package bot_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/firmproof/firmproof/bot"
)

// mailServer takes mail as RFC 5321, 3207 and 4954 say: a sender and a recipient, after STARTTLS and a password.
type mailServer struct {
	listener
	url   string // without its user
	roots *x509.CertPool
	tls   *tls.Config // nil: it does not offer STARTTLS
}

const mailPassword = "correct horse battery"

func newMailServer(t *testing.T, secure bool) *mailServer {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	m := &mailServer{roots: x509.NewCertPool()}
	m.roots.AddCert(certified.Certificate())
	if secure {
		m.tls = &tls.Config{Certificates: certified.TLS.Certificates}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	m.url = ln.Addr().String()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go m.talk(c)
		}
	}()
	return m
}

// talk answers one client; a mail is heard with the commands before it, each followed by its line end.
func (m *mailServer) talk(c net.Conn) {
	defer func() { _ = c.Close() }()
	r := bufio.NewReader(c)
	_, secured := c.(*tls.Conn)
	known := false
	said := ""
	say := func(line string) { _, _ = fmt.Fprintf(c, "%s\r\n", line) }
	say("220 mail.example ESMTP")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		verb = strings.ToUpper(verb)
		if verb == "AUTH" || verb == "MAIL" || verb == "RCPT" {
			said += line
		}
		switch {
		case verb == "EHLO" && secured:
			say("250-mail.example\r\n250 AUTH PLAIN")
		case verb == "EHLO" && m.tls != nil:
			say("250-mail.example\r\n250 STARTTLS")
		case verb == "STARTTLS" && m.tls != nil:
			say("220 go on")
			c = tls.Server(c, m.tls)
			r, secured = bufio.NewReader(c), true
		case verb == "AUTH":
			text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			known = secured && err == nil && string(text) == "\x00robot\x00"+mailPassword
			say(map[bool]string{true: "235 welcome", false: "535 no"}[known])
		case (verb == "MAIL" || verb == "RCPT" || verb == "DATA") && !known:
			m.hear("refused: " + line)
			say("530 who are you")
		case verb == "DATA":
			say("354 go on")
			for line = ""; err == nil && line != ".\r\n"; line, err = r.ReadString('\n') {
				said += line
			}
			m.hear(strings.ReplaceAll(said, "=\r\n", "")) // quoted-printable
			said = ""
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default: // EHLO in the open, NOOP, RSET, MAIL, RCPT
			say("250 OK")
		}
	}
}

func (l *listener) hear(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, text)
}

// mailed has a server send mail by m to those whom the lines name.
func mailed(t *testing.T, c *bot.Config, m *mailServer, lines string) {
	t.Helper()
	dir := t.TempDir()
	c.NoticeFile, c.MailPasswordFile = filepath.Join(dir, "notices"), filepath.Join(dir, "password")
	c.MailServer, c.MailFrom, c.MailRoots = "smtp://robot@"+m.url, "Firmproof <firmproof@example.org>", m.roots
	for name, text := range map[string]string{c.NoticeFile: lines, c.MailPasswordFile: mailPassword + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// keyFile makes an App's key.
func keyFile(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestMail: mail goes to a server that is who it says, under TLS; to another one go neither the mail nor the password.
func TestMail(t *testing.T) {
	good, open := newMailServer(t, true), newMailServer(t, false)
	for _, c := range []struct {
		name string
		m    *mailServer
		but  func(c *bot.Config)
		want string // of the mistake; empty: it is heard
	}{
		{"as it should be", good, func(*bot.Config) {}, ""},
		{"no STARTTLS", open, func(*bot.Config) {}, "STARTTLS"},
		{"a stranger's certificate", good, func(c *bot.Config) { c.MailRoots = x509.NewCertPool() }, "certificate"},
		{"a wrong password", good, func(c *bot.Config) {
			if err := os.WriteFile(c.MailPasswordFile, []byte("another one\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "535"},
	} {
		cfg := bot.Config{Data: t.TempDir(), AppID: 1, PrivateKeys: []string{keyFile(t)}}
		mailed(t, &cfg, c.m, "mailto:ann@example.org\n")
		c.but(&cfg)
		before := len(c.m.told)
		s, err := bot.New(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		err = bot.Mail(s, context.Background(), "Ann <ann@example.org>", `{"repository": "acme/fw", "url": "https://x/night",
			"findings": [{"target": "x86_64", "where": "a.c:7", "message": "index 8 of 8\r\n.\r\nQUIT", "url": "https://x/f"}]}`)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), mailPassword) ||
				len(c.m.told) != before {
				t.Errorf("%s: %v, and heard %q", c.name, err, c.m.told[before:])
			}
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else {
			c.m.heard(t, "MAIL FROM:<firmproof@example.org>", "RCPT TO:<ann@example.org>", "Auto-Submitted: auto-generated",
				"Subject: acme/fw: 1 new in the night", "- index 8 of 8=EF=BF=BD .=EF=BF=BD QUIT at a.c:7 on x86_64\r\n  https://x/f")
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// TestMailFlags: what is wrong with who is told, and by which server, is said at the start, with the line and without
// the secret.
func TestMailFlags(t *testing.T) {
	m := newMailServer(t, true)
	for _, c := range []struct {
		lines string
		but   func(c *bot.Config)
		want  string
	}{
		{"mailto:ann@example.org\n", func(c *bot.Config) { c.MailServer = "" }, "notices:1: for mail, --mail-server is needed"},
		{"\nmailto:ann\n", nil, "notices:2: want a URL such as"},
		{"ftp://x/secret\n", nil, "notices:1: want a URL such as"},
		{"acme mailto:ann@example.org\n", nil, "notices:1: want [OWNER/NAME or OWNER/*]"},
		{"acme/[ mailto:ann@example.org\n", nil, "notices:1: want [OWNER/NAME or OWNER/*]"},
		{"acme/fw https://x/secret and more\n", nil, "notices:1: want [OWNER/NAME or OWNER/*]"},
		{"", func(c *bot.Config) { c.MailServer = "http://mail.example" }, "--mail-server: want smtps://"},
		{"", func(c *bot.Config) { c.MailServer = "smtp://robot:secret@mail.example" }, "belongs into the file"},
		{"", func(c *bot.Config) { c.MailServer = "smtp://mail.example" }, "belong together"},
		{"", func(c *bot.Config) { c.MailFrom = "" }, "--mail-from"},
	} {
		cfg := bot.Config{Data: t.TempDir(), AppID: 1, PrivateKeys: []string{keyFile(t)}}
		mailed(t, &cfg, m, c.lines)
		if c.but != nil {
			c.but(&cfg)
		}
		_, err := bot.New(context.Background(), cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q", c.lines, err, c.want)
		}
	}
}
