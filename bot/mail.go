package bot

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	smtp "github.com/wneessen/go-mail"
)

// mailTime is how long sending a mail may take.
const mailTime = 30 * time.Second

// readTold reads who is told what nights find, and with which password mail is sent.
func (c *Config) readTold(k *keys) error {
	var err error
	if c.NoticeFile != "" {
		if k.notices, err = readNotices(c.NoticeFile); err != nil {
			return err
		}
	}
	if c.MailServer == "" {
		if i := slices.IndexFunc(k.notices, func(t told) bool { return t.mail }); i >= 0 {
			return fmt.Errorf("serve: --notice-file %s:%d: for mail, --mail-server is needed", c.NoticeFile, k.notices[i].line)
		}
		return nil
	}
	if c.MailPasswordFile != "" {
		if k.mail, err = readSecret("--mail-password-file", c.MailPasswordFile); err != nil {
			return err
		}
	}
	if _, err := mail.ParseAddress(c.MailFrom); err != nil {
		return errors.New("serve: --mail-from: an address such as firmproof@example.org is needed")
	}
	_, err = c.mailClient(k.mail)
	return err
}

// mailClient speaks to the mail server, by TLS alone.
func (c *Config) mailClient(password string) (*smtp.Client, error) {
	u, err := url.Parse(c.MailServer)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtps" && u.Scheme != "smtp" || strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("serve: --mail-server: want smtps://USER@HOST, or smtp:// for STARTTLS")
	}
	if _, given := u.User.Password(); given {
		return nil, errors.New("serve: --mail-server: the password belongs into the file of --mail-password-file")
	}
	if user := u.User.Username(); (user != "") != (password != "") {
		return nil, errors.New("serve: --mail-server: USER@ and --mail-password-file belong together")
	}
	port, security := 465, smtp.WithSSL()
	if u.Scheme == "smtp" {
		port, security = 587, smtp.WithTLSPolicy(smtp.TLSMandatory)
	}
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, fmt.Errorf("serve: --mail-server: %w", err)
		}
	}
	options := []smtp.Option{smtp.WithPort(port), security, smtp.WithTimeout(mailTime), smtp.WithTLSConfig(&tls.Config{
		ServerName: u.Hostname(), MinVersion: tls.VersionTLS12, RootCAs: c.MailRoots})}
	if password != "" {
		options = append(options, smtp.WithSMTPAuth(smtp.SMTPAuthAutoDiscover), smtp.WithUsername(u.User.Username()),
			smtp.WithPassword(password))
	}
	client, err := smtp.NewClient(u.Hostname(), options...)
	if err != nil {
		return nil, fmt.Errorf("serve: --mail-server: %w", err)
	}
	return client, nil
}

// mail sends a notice, as post takes it, to an address.
func (s *Server) mail(ctx context.Context, to, text string) error {
	var n notice
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return err
	}
	client, err := s.cfg.mailClient(s.keys.mail)
	if err != nil {
		return err
	}
	m := smtp.NewMsg()
	if err := errors.Join(m.From(s.cfg.MailFrom), m.To(to)); err != nil {
		return err
	}
	m.Subject(n.title())
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: nobody's absence answers
	m.SetBodyString(smtp.TypeTextPlain, n.mail())
	ctx, cancel := context.WithTimeout(ctx, mailTime)
	defer cancel()
	return client.DialAndSendWithContext(ctx, m)
}

// mail is the text of a mail.
func (n notice) mail() string {
	lines := n.lines(func(f noticeFinding) string {
		if f.URL == "" {
			return "- " + f.text() + "\n"
		}
		return "- " + f.text() + "\n  " + f.URL + "\n"
	})
	return fmt.Sprintf("The night's run of %s found what the one before did not:\n\n%s\nWhat changed in the night: %s\n",
		n.Repository, lines, n.URL)
}
