package bot

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// Bounds of what is kept of GitHub's answers.
const (
	maxKept     = 512
	maxKeptBody = 256 << 10
)

// tagCache keeps answers with their entity tags: a read is sent with the tag, and
// an answer 304 (which costs nothing of the rate limit) is replaced by what is kept.
// Nothing is answered without asking GitHub.
type tagCache struct {
	mu   sync.Mutex
	kept map[string]keptAnswer
}

type keptAnswer struct {
	tag    string
	header http.Header
	body   []byte
}

// ask adds the tag to a read whose answer is kept. key names the request and whose it is.
func (c *tagCache) ask(key string, r *http.Request) *http.Request {
	c.mu.Lock()
	k, ok := c.kept[key]
	c.mu.Unlock()
	if !ok || r.Header.Get("If-None-Match") != "" {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set("If-None-Match", k.tag)
	return r
}

// take keeps a good answer, and turns a 304 into the one that is kept. It
// reports whether the kept one was used.
func (c *tagCache) take(key string, resp *http.Response) (bool, error) {
	switch {
	case resp.StatusCode == http.StatusNotModified:
		c.mu.Lock()
		k, ok := c.kept[key]
		c.mu.Unlock()
		if !ok {
			return false, nil // dropped meanwhile: the caller sees the 304 as an error and tries again
		}
		_ = resp.Body.Close() // it is empty
		for name, values := range k.header {
			if resp.Header.Get(name) == "" {
				resp.Header[name] = values
			}
		}
		resp.StatusCode, resp.Status = http.StatusOK, "200 OK"
		resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(k.body)), int64(len(k.body))
		return true, nil
	case resp.StatusCode != http.StatusOK || resp.Header.Get("ETag") == "" || resp.ContentLength > maxKeptBody:
		return false, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxKeptBody+1))
	if err != nil {
		return false, err
	}
	if len(body) > maxKeptBody {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), resp.Body), resp.Body}
		return false, nil
	}
	_ = resp.Body.Close() // read to its end
	resp.Body = io.NopCloser(bytes.NewReader(body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		for old := range c.kept { // any of them: it only costs a full answer
			delete(c.kept, old)
			break
		}
	}
	c.kept[key] = keptAnswer{resp.Header.Get("ETag"), resp.Header.Clone(), body}
	return false, nil
}
