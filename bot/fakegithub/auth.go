package fakegithub

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// authKind says who may call an operation.
type authKind int

const (
	authInvalid authKind = iota
	authNone             // anybody
	authApp              // the App by its JWT
	authToken            // an installation access token
	authEither           // both
	authUser             // somebody who signed in
)

// maxJWTLife is GitHub's limit on an App JWT (GitHub docs: generating a JSON
// Web Token for a GitHub App).
const maxJWTLife = 10 * time.Minute

// credentials are the App's identity.
type credentials struct {
	appID      int
	clientID   string
	key        *rsa.PrivateKey
	keyPath    string
	secret     string
	secretPath string
	// of the web flow
	clientSecret     string
	clientSecretPath string
}

// makeCredentials reads the key and the secret that an earlier run left in
// dir, so that a server which holds them goes on working, or makes them.
func makeCredentials(dir string) (credentials, error) {
	c := credentials{
		appID: 1042, keyPath: filepath.Join(dir, "private-key.pem"), secretPath: filepath.Join(dir, "webhook-secret"),
		clientSecretPath: filepath.Join(dir, "client-secret"),
	}
	old, err := os.ReadFile(c.keyPath)
	if err == nil {
		if c.key, err = jwt.ParseRSAPrivateKeyFromPEM(old); err != nil {
			return c, fmt.Errorf("%s: %w", c.keyPath, err)
		}
	} else if c.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return c, err
	}
	if err := os.WriteFile(c.keyPath, c.pem(), 0o600); err != nil {
		return c, err
	}
	if c.secret, err = keptSecret(c.secretPath); err != nil {
		return c, err
	}
	if c.clientSecret, err = keptSecret(c.clientSecretPath); err != nil {
		return c, err
	}
	sum := sha256.Sum256(c.key.N.Bytes())
	c.clientID = "Iv23li" + hex.EncodeToString(sum[:7])
	return c, nil
}

// keptSecret reads the secret that an earlier run left in a file, or makes it.
func keptSecret(path string) (string, error) {
	if old, err := os.ReadFile(path); err == nil && len(old) > 0 {
		return string(old), nil
	}
	secret := randomHex(20)
	return secret, os.WriteFile(path, []byte(secret), 0o600)
}

func (c credentials) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(c.key)})
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// newGUID is a random version 4 UUID.
func newGUID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// newToken makes a token in the longer format, ghs_APPID_ and a JWT-like part.
func newToken(appID int) string {
	part := func(n int) string {
		b := make([]byte, n)
		_, _ = rand.Read(b)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	return fmt.Sprintf("ghs_%d_%s.%s.%s", appID, part(30), part(120), part(64))
}

// bearer takes the credential out of an Authorization header.
func bearer(r *http.Request) string {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch strings.ToLower(scheme) {
	case "bearer", "token":
		return strings.TrimSpace(value)
	}
	return ""
}

// checkJWT says what is wrong with an App JWT, in GitHub's words.
func (s *Server) checkJWT(raw string) string {
	claims := jwt.MapClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation())
	if _, err := parser.ParseWithClaims(raw, claims, func(*jwt.Token) (any, error) {
		return &s.app.key.PublicKey,
			nil
	}); err != nil {
		return "A JSON web token could not be decoded"
	}
	issuer := fmt.Sprint(claims["iss"])
	if f, ok := claims["iss"].(float64); ok {
		issuer = strconv.Itoa(int(f))
	}
	if issuer != strconv.Itoa(s.app.appID) && issuer != s.app.clientID {
		return "'Issuer' claim ('iss') must be the client ID or the App id"
	}
	now := s.opts.Now()
	exp, ok := claims["exp"].(float64)
	switch {
	case !ok || int64(exp) <= now.Unix():
		return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	case int64(exp) > now.Add(maxJWTLife).Unix():
		return "'Expiration time' claim ('exp') is too far in the future"
	}
	iat, ok := claims["iat"].(float64)
	if !ok || int64(iat) > now.Unix() {
		return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	}
	return ""
}

// liveToken answers the token of a value if it has not ended.
func (s *Server) liveToken(value string) *token {
	t := s.tokens[value]
	if t == nil || !s.opts.Now().Before(t.expires) || s.inst.deleted {
		return nil
	}
	return t
}

// covers tells whether a token reaches a repository.
func (t *token) covers(r *repo) bool {
	return r.installed && (t.repos == nil || t.repos[r.id])
}

// grants tells whether permissions hold one at a level: read, write or admin.
func grants(permissions map[string]string, name, level string) bool {
	rank := map[string]int{"read": 1, "write": 2, "admin": 3}
	return rank[permissions[name]] >= rank[level]
}
