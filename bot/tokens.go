package bot

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/firmproof/firmproof/pipeline/store"
)

// A token lets a program read what a person may read who signs in: of one repository, until a day. It is made, listed and
// ended on a page of the repository by who may write to it, shown once, and known here by its digest alone.

const (
	tokensOfRepo = 20
	tokenDays    = 90
	tokenMost    = 365
	noteMost     = 80 // characters
)

// errToken says that a token is not good, or not any more.
var errToken = errors.New("this token is not good, or not any more")

// digestOf is what is kept of a token: it has more than 128 random bits.
func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// tokenFor returns the token of a request that is good for a use, if it has one: as `Authorization: Bearer TOKEN`, or, for
// a badge, as `?token=TOKEN` (pictures are fetched without headers).
func (s *Server) tokenFor(ctx context.Context, r *http.Request, use store.TokenUse) (*store.Token, error) {
	text, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !is && use == store.TokenBadge {
		text = r.URL.Query().Get("token")
	}
	if text == "" {
		return nil, nil
	}
	digest := digestOf(text)
	var k store.Token
	var note bool
	err := s.store.Read(ctx, func(tx store.Tx) (err error) {
		k, err = tx.TokenOf(ctx, digest)
		note = tx.Stale(&k)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && k.Use != use:
		return nil, errToken
	case err != nil:
		return nil, err
	case note:
		err = s.store.Write(ctx, func(tx store.Tx) error { return tx.UseToken(ctx, digest) })
	}
	return &k, err
}

// admitted finds the repository that a request is about, if its sender may read about it: everybody of a public one, a
// person with read permission, a token of the repository. Otherwise the error is store.ErrNotFound, errHidden, errSignIn or
// errToken, or another one if GitHub or the database does not answer.
func (s *Server) admitted(ctx context.Context, r *http.Request, use store.TokenUse,
	find func(context.Context, store.Tx) (store.Repo, error)) (repo store.Repo, err error) {
	var k *store.Token
	if use != "" {
		if k, err = s.tokenFor(ctx, r, use); err != nil {
			return repo, err
		}
	}
	if err := s.store.Read(ctx, func(tx store.Tx) (err error) { repo, err = find(ctx, tx); return err }); err != nil {
		return repo, err
	}
	if k != nil && k.Repo == repo.ID && repo.Active {
		return repo, nil
	}
	who, signedIn := s.signIn.viewer(r)
	return repo, s.audience.admits(ctx, repo, who, signedIn)
}

// isHidden reports whether an error of admitted is to look like something that is not there.
func isHidden(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, errHidden) || errors.Is(err, errSignIn)
}

// tokensPage is the data of the page of tokens.
type tokensPage struct {
	Repo   store.Repo
	Home   string // address of the repository's page
	Tokens []store.Token
	Made   string // a token that was made just now
	Use    store.TokenUse
	Days   int
	Full   bool
}

// tokens shows the tokens of a repository to who may write to it.
func (p *pages) tokens(w http.ResponseWriter, r *http.Request) {
	if repo, _, ok := p.writer(w, r); ok {
		p.showTokens(w, r, repo, "", "")
	}
}

func (p *pages) showTokens(w http.ResponseWriter, r *http.Request, repo store.Repo, made string, use store.TokenUse) {
	p.show(w, r, "tokens", func(ctx context.Context, tx store.Tx) (any, error) {
		list, err := tx.Tokens(ctx, repo.ID)
		return tokensPage{Repo: repo, Home: p.s.cfg.PublicURL + "/repos/" + repo.FullName, Tokens: list, Made: made, Use: use,
			Days: tokenDays, Full: len(list) >= tokensOfRepo}, err
	})
}

// makeToken makes a token, and shows it this once.
func (p *pages) makeToken(w http.ResponseWriter, r *http.Request) {
	repo, who, ok := p.writer(w, r)
	if !ok {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<12)
	use, note := store.TokenUse(r.FormValue("use")), strings.TrimSpace(r.FormValue("note"))
	days, err := strconv.Atoi(r.FormValue("days"))
	if err != nil || days < 1 || days > tokenMost || use != store.TokenReads && use != store.TokenBadge ||
		note == "" || len([]rune(note)) > noteMost {
		tell(w, http.StatusBadRequest, "A token needs a use, a note of at most "+strconv.Itoa(noteMost)+
			" characters that says what it is for, and an end in at most "+strconv.Itoa(tokenMost)+" days.", "")
		return
	}
	token := "fp_" + rand.Text()
	full := false
	err = p.s.store.Write(r.Context(), func(tx store.Tx) error {
		list, err := tx.Tokens(r.Context(), repo.ID)
		if full = len(list) >= tokensOfRepo; err != nil || full {
			return err
		}
		return tx.AddToken(r.Context(), digestOf(token), store.Token{ID: rand.Text()[:8], Repo: repo.ID, Use: use, Note: note,
			By: who.login, Until: tx.Now().Add(time.Duration(days) * 24 * time.Hour)})
	})
	switch {
	case err != nil:
		p.s.log.Error("token", "repo", repo.FullName, "err", err)
		tell(w, http.StatusInternalServerError, "The token could not be kept. The log of the server says why.", "")
	case full:
		tell(w, http.StatusConflict, "There are "+strconv.Itoa(tokensOfRepo)+" tokens already: end one first.", "")
	default:
		p.s.log.Info("token made", "repo", repo.FullName, "by", who.login, "use", use)
		p.showTokens(w, r, repo, token, use)
	}
}

// endToken ends a token.
func (p *pages) endToken(w http.ResponseWriter, r *http.Request) {
	repo, who, ok := p.writer(w, r)
	if !ok {
		return
	}
	err := p.s.store.Write(r.Context(), func(tx store.Tx) error {
		_, err := tx.DropToken(r.Context(), repo.ID, r.PathValue("id")) // one that is gone is as was asked
		return err
	})
	if err != nil {
		p.s.log.Error("token", "repo", repo.FullName, "err", err)
		tell(w, http.StatusInternalServerError, "The token could not be ended. The log of the server says why.", "")
		return
	}
	p.s.log.Info("token ended", "repo", repo.FullName, "by", who.login)
	http.Redirect(w, r, "/repos/"+repo.FullName+"/tokens", http.StatusSeeOther)
}

// writer finds the repository of a page, and answers the request unless its sender may write to it at GitHub.
func (p *pages) writer(w http.ResponseWriter, r *http.Request) (store.Repo, viewer, bool) {
	repo, ok := p.admit(w, r, byName(r))
	if !ok {
		return repo, viewer{}, false
	}
	who, signedIn := p.s.signIn.viewer(r)
	if !signedIn {
		if p.s.signIn == nil {
			tell(w, http.StatusNotFound, "To sign in, this server needs --client-id and --client-secret-file.", "")
		} else {
			tell(w, http.StatusForbidden, "Tokens are for who may write to the repository.", r.URL.RequestURI())
		}
		return repo, who, false
	}
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
	defer cancel()
	may, err := p.s.audience.permission(ctx, repo, who)
	switch {
	case err != nil:
		p.s.log.Warn("access", "path", r.URL.Path, "err", err)
		tell(w, http.StatusServiceUnavailable, "GitHub does not say at present whether you may do this. Try again later.", "")
	case !may.write:
		tell(w, http.StatusForbidden, "Tokens are for who may write to the repository, which "+who.login+" may not.", "")
	default:
		return repo, who, true
	}
	return repo, who, false
}
